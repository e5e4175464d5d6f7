package extract

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// Why a record is not whole.
const (
	Stub       = "stub"       // nothing but its key and its time came
	NoItems    = "no_items"   // its own reading came without the list that it is read for
	Unreadable = "unreadable" // it, or the rest of a list of it, cannot be read
	NoTime     = "no_time"    // what it has for the time that lists go by is no time of a workspace
)

// stubColumns is how many columns besides key and time a stream must have for a record without all of them to be a stub.
const stubColumns = 3

// IncompleteReason says why a record is not whole, by what a record of its stream always has; "" when it may be. Null and empty are something.
func IncompleteReason(s *schemas.Stream, raw []byte) string {
	known, found := 0, false
	for _, c := range s.Columns {
		if isBookkeeping(s, c) {
			continue
		}
		known++
		if found = found || hasPath(raw, c.From[:1]); found {
			break
		}
	}
	found = found || slices.ContainsFunc(s.Children, func(c schemas.Child) bool { return c.Within == "" && len(c.From) > 0 && hasPath(raw, c.From[:1]) })
	if !found && known >= stubColumns {
		return Stub
	}
	for _, c := range s.Children {
		if c.Within == "" && !c.Complete && c.Count != nil && lacksItems(raw, c) {
			return NoItems
		}
	}
	return ""
}

// lacksItems reports whether a record says nothing of a list that it counts itself, or has an empty one and counts some.
func lacksItems(raw []byte, c schemas.Child) bool {
	count := scan.Field(raw, c.Count...)
	if !hasPath(raw, c.From) {
		return string(count) != "0"
	}
	n, _ := countItems(scan.Field(raw, c.From...))
	return n == 0 && count != nil && scan.Count(count) > 0
}

// countParts is how many items the lists of a record have that it counts itself, and how many it says that there are.
func countParts(s *schemas.Stream, raw []byte) (came, counted int64) {
	for _, c := range s.Children {
		if c.Within != "" || c.Complete || c.Count == nil {
			continue
		}
		if n, _ := countItems(scan.Field(raw, c.From...)); n >= 0 {
			came += n
			counted += max(n, scan.Count(scan.Field(raw, c.Count...)))
		}
	}
	return came, counted
}

// HasInvalidTime reports whether a record has something for the time that tells which of two copies is newer, and it is no time of a workspace:
// by what is stored of it no window would find it again. Null and 0 say that there is none; a text is left to its column.
func HasInvalidTime(s *schemas.Stream, raw []byte) bool {
	i := slices.IndexFunc(s.Columns, func(c schemas.Column) bool { return s.Newest != "" && c.Name == s.Newest })
	if i < 0 {
		return false
	}
	value := scan.Field(raw, s.Columns[i].From...)
	if value == nil || value[0] == '"' || string(value) == "null" || string(value) == "0" {
		return false
	}
	at, ok := scan.UnixTime(value)
	return !ok || at < scan.EarliestTime || at >= scan.LatestTime
}

// isBookkeeping reports whether a column is part of the key, a time that lists go by, or no field of the record: a stub has these.
func isBookkeeping(s *schemas.Stream, c schemas.Column) bool {
	return c.From[0] == "" || c.From[0][0] == '$' || slices.Contains(s.Key, c.Name) || c.Name == s.Newest || c.From[0] == s.Read.Since.Field
}

// hasPath reports whether a record says anything of what is at a path: it is there, or an object that it would be in is null or none.
func hasPath(raw []byte, path []string) bool {
	for i := range path {
		value := scan.Field(raw, path[:i+1]...)
		if value == nil {
			return false
		}
		if d := jx.DecodeBytes(value); i < len(path)-1 && d.Next() != jx.Object {
			return true
		}
	}
	return true
}

// isStaleRead reports whether a record may have been read before all that its list tells of it had reached what answers: the list has a
// newer time or a higher count than the record itself, or it counts more parts than it has, or it has changed after the newest of its parts and nothing else in it is of then.
// Where list and record count as many parts as came, none can be missing that the next search would not show by its count: then only a
// part that has changed in its place may be behind, for as long as the source takes to show a change. listed is the list's own copy; nil:
// there is none.
func isStaleRead(s *schemas.Stream, listed, raw []byte, now time.Time) bool {
	at, ok := RecordTime(s, raw)
	if !ok {
		return false
	}
	if listed != nil {
		if head, ok := RecordTime(s, listed); ok && head > at {
			return true
		}
		for _, path := range s.Read.Detail.UnlessSame {
			if a, b := scan.Field(listed, path...), scan.Field(raw, path...); a != nil && b != nil && scan.Count(a) > scan.Count(b) {
				return true
			}
		}
	}
	for _, c := range s.Children {
		if c.Within == "" && !c.Complete && c.Count != nil {
			n, newest := countItems(scan.Field(raw, c.From...))
			if countsMore(s, c, raw, n) {
				return true
			}
			behind := newest < at && !explainsChange(s, c, raw, at)
			return behind && (isRecent(at, now, s.Read.Since.Lag) || !countsAgree(s, listed, raw, n))
		}
	}
	return false
}

// countsMore reports whether a record counts more than the n parts that came, by a value that the next search is held against, while the list
// of them says that these are all: it was read between the two.
func countsMore(s *schemas.Stream, parts schemas.Child, raw []byte, n int64) bool {
	return n >= 0 && scan.Count(scan.Field(raw, parts.Count...)) <= n && slices.ContainsFunc(s.Read.Detail.UnlessSame, func(path []string) bool {
		value := scan.Field(raw, path...)
		return path[0] != s.Read.Since.Field && value != nil && scan.Count(value) > n
	})
}

// countsAgree reports whether a list's copy of a record and the record itself count n parts by one of the values that the next search is held
// against.
func countsAgree(s *schemas.Stream, listed, raw []byte, n int64) bool {
	return slices.ContainsFunc(s.Read.Detail.UnlessSame, func(path []string) bool {
		return listed != nil && n >= 0 && scan.Count(scan.Field(listed, path...)) == n && scan.Count(scan.Field(raw, path...)) == n
	})
}

// explainsChange reports whether another list or object of a record than its parts and its counts is of the time that it changed at: a rating,
// a tag. Counts are of when parts came, also of one that is not there yet.
func explainsChange(s *schemas.Stream, parts schemas.Child, raw []byte, at int64) bool {
	beside := map[string]bool{parts.From[0]: true}
	for _, path := range s.Read.Detail.UnlessSame {
		beside[path[0]] = true
	}
	found := scan.Field(raw, "created_at") != nil && equalsTime(scan.Field(raw, "created_at"), at)
	keys, values := scan.Members(raw)
	for i, value := range values {
		if kind := jx.DecodeBytes(value).Next(); found || beside[keys[i]] || kind != jx.Object && kind != jx.Array {
			continue
		}
		found = bytes.Contains(value, strconv.AppendInt(nil, at, 10))
	}
	return found
}

func equalsTime(raw []byte, at int64) bool {
	then, ok := scan.UnixTime(raw)
	return ok && then == at
}

// countItems is how many items a list has, -1 where it is none, and the latest time that one was made or changed, 0 where none tells.
func countItems(list []byte) (n, newest int64) {
	d := jx.DecodeBytes(list)
	if d.Next() != jx.Array {
		return -1, 0
	}
	_ = d.Arr(func(d *jx.Decoder) error { // records were checked to be JSON when they came
		raw, err := d.Raw()
		n++
		for _, name := range []string{"created_at", "updated_at"} {
			if at, ok := scan.UnixTime(scan.Field(raw, name)); ok {
				newest = max(newest, at)
			}
		}
		return err
	})
	return n, newest
}

// mostAsideRecords is how many records of one reading may be unreadable before it is the source that is. More than that, or all of
// several, end the reading.
const mostAsideRecords = 10

// isRecordError reports whether an error is of one record alone, as far as it tells: the others are read on, and that one is asked for again
// in the next run.
func isRecordError(err error) bool {
	var failure *api.Error
	if !errors.As(err, &failure) || errors.Is(err, api.ErrBudget) {
		return false
	}
	switch failure.Class {
	case api.ClassTransient, api.ClassContract, api.ClassSource:
		return true
	}
	return false
}

// withoutMember gives a copy of a record without the value at a path, so that it says nothing of it.
func withoutMember(record []byte, path ...string) ([]byte, error) {
	parent, name := path[:len(path)-1], path[len(path)-1]
	from, to, found := scan.Locate(record, parent...)
	if !found {
		return nil, fmt.Errorf("no object at %v", parent)
	}
	var kept []byte
	err := jx.DecodeBytes(record[from:to]).ObjBytes(func(d *jx.Decoder, key []byte) error {
		raw, err := d.Raw()
		if string(key) == name || err != nil {
			return err
		}
		if kept != nil {
			kept = append(kept, ',')
		}
		w := jx.Writer{Buf: kept}
		w.ByteStr(key)
		kept = append(append(w.Buf, ':'), raw...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	whole := append(slices.Clone(record[:from]), '{')
	return append(append(append(whole, kept...), '}'), record[to:]...), nil
}

// isRecent reports whether a time lies so shortly before now that what has happened then may not be known everywhere.
func isRecent(at int64, now time.Time, within time.Duration) bool {
	return now.Sub(time.Unix(at, 0)) < within
}
