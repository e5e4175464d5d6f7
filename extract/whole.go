package extract

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/go-faster/jx"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// Values of Record.Missing: why a record is incomplete.
const (
	Stub       = "stub"       // it has only its key and its time
	NoItems    = "no_items"   // read by id, it came without the list that it is read for
	FewItems   = "few_items"  // it has fewer items of that list than it counts, and than the source sends at most
	Unreadable = "unreadable" // the record, or the rest of a nested list of it, cannot be read
	NoTime     = "no_time"    // the value of its time is no time of a workspace
)

// stubColumns is the number of columns besides key and time from which a record without any of them is a Stub.
const stubColumns = 3

// IncompleteReason says why a record is incomplete, judged by what records of its stream always have; "" when it may be complete.
// A null or an empty value counts as present.
func IncompleteReason(s *schemas.Stream, raw []byte) string {
	return incompleteReason(s, raw, countCapped(s, raw))
}

// incompleteReason is IncompleteReason of a record whose capped list is counted already: to count it walks through all of its text.
func incompleteReason(s *schemas.Stream, raw []byte, capped itemCounts) string {
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
		if c.Within == "" && !c.Complete && c.Count != nil && !(c.Table == capped.table && capped.came > 0) && lacksItems(raw, c) {
			return NoItems
		}
	}
	if capped.known && capped.came < capped.counted {
		return FewItems
	}
	return ""
}

// itemCounts is the number of items that came in lists of a record, and the number that it counts, without what the source never sends.
type itemCounts struct {
	came, counted int64
	known         bool   // of a capped list: the record has it; came is -1 otherwise
	table         string // of a capped list: the table of its items
}

// countCapped counts the items of a record's capped list; the zero value where the stream file names no cap.
func countCapped(s *schemas.Stream, raw []byte) itemCounts {
	list, found := cappedList(s)
	if !found {
		return itemCounts{}
	}
	came := listLength(raw, list.From)
	return itemCounts{came, min(scan.Count(scan.Field(raw, s.Capped.Count...)), s.Capped.Most), came >= 0, list.Table}
}

// lacksItems reports whether a record lacks a list whose items it counts, or has an empty list and a count above 0.
func lacksItems(raw []byte, c schemas.Child) bool {
	count, came := scan.Field(raw, c.Count...), listLength(raw, c.From)
	if came < 0 && !hasPath(raw, c.From) {
		return string(count) != "0"
	}
	return count != nil && scan.Count(count) > 0 && came == 0
}

// cappedList is the nested list of a stream of which the source sends only the newest items; false where the stream file names none.
func cappedList(s *schemas.Stream) (schemas.Child, bool) {
	i := slices.IndexFunc(s.Children, func(c schemas.Child) bool { return s.Capped.Most > 0 && slices.Equal(c.Count, s.Capped.Count) })
	if i < 0 {
		return schemas.Child{}, false
	}
	return s.Children[i], true
}

// countParts counts the items of all lists whose items a record counts; where one is capped, of that one.
func countParts(s *schemas.Stream, raw []byte, capped itemCounts) (all itemCounts) {
	if capped.known {
		return capped
	}
	for _, c := range s.Children {
		if c.Within != "" || c.Complete || c.Count == nil {
			continue
		}
		if n := listLength(raw, c.From); n >= 0 {
			all.came += n
			all.counted += max(n, scan.Count(scan.Field(raw, c.Count...)))
		}
	}
	return all
}

// HasInvalidTime reports whether a record's time (the stream file's `newest`) is present but outside the range of a workspace's
// times: no window would find the stored record again. Null and 0 mean no time; a text is judged by its column.
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

// isBookkeeping reports whether a stub has the column, too: part of the key, a time that lists go by, or no field of the record.
func isBookkeeping(s *schemas.Stream, c schemas.Column) bool {
	return c.From[0] == "" || c.From[0][0] == '$' || slices.Contains(s.Key, c.Name) || c.Name == s.Newest || c.From[0] == s.Read.Since.Field
}

// hasPath reports whether a record has a value at a path, or a parent of it that is null or no object.
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

// isStaleRead reports whether raw, a record read by id, may be older than what the list shows of it (T7). It is when the list has
// a newer time or a higher count; when raw counts more parts than it has; or when raw changed after its newest part and no other
// part of it has that time.
//
// Where list and record both count the parts that came, no part can be missing unless the next search shows it by its count. Then
// only a part that changed in its place may be outdated, for as long as the source takes to show a change (the lag). listed is
// the list's copy; nil: there is none.
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
			n, newest := scan.DatedItems(scan.Field(raw, c.From...))
			if countsMore(s, c, raw, n) {
				return true
			}
			behind := newest < at && !explainsChange(s, c, raw, at)
			return behind && (isRecent(at, now, s.Read.Since.Lag) || !countsAgree(s, listed, raw, n))
		}
	}
	return false
}

// countsMore reports whether a field of a record that the next search compares counts more than the n parts that came, while the
// count of the list itself does not: the record was read between two changes.
func countsMore(s *schemas.Stream, parts schemas.Child, raw []byte, n int64) bool {
	return n >= 0 && scan.Count(scan.Field(raw, parts.Count...)) <= n && slices.ContainsFunc(s.Read.Detail.UnlessSame, func(path []string) bool {
		value := scan.Field(raw, path...)
		return path[0] != s.Read.Since.Field && value != nil && scan.Count(value) > n
	})
}

// countsAgree reports whether the list's copy of a record and the record itself both count n parts, by a field that the next
// search compares.
func countsAgree(s *schemas.Stream, listed, raw []byte, n int64) bool {
	return slices.ContainsFunc(s.Read.Detail.UnlessSame, func(path []string) bool {
		return listed != nil && n >= 0 && scan.Count(scan.Field(listed, path...)) == n && scan.Count(scan.Field(raw, path...)) == n
	})
}

// explainsChange reports whether a list or object of a record other than its parts has the time of its last change, such as a
// rating or a tag. Counts and times of parts explain nothing: they may belong to a part that is missing.
func explainsChange(s *schemas.Stream, parts schemas.Child, raw []byte, at int64) bool {
	beside := map[string]bool{parts.From[0]: true}
	for _, path := range s.Read.Detail.UnlessSame {
		beside[path[0]] = true
	}
	created, found := scan.UnixTime(scan.Field(raw, "created_at"))
	found = found && created == at
	keys, values := scan.Members(raw)
	for i, value := range values {
		if kind := jx.DecodeBytes(value).Next(); found || beside[keys[i]] || kind != jx.Object && kind != jx.Array {
			continue
		}
		found = bytes.Contains(value, strconv.AppendInt(nil, at, 10))
	}
	return found
}

// listLength is the number of items of the list at a path of a record, -1 when there is none.
func listLength(raw []byte, path []string) int64 {
	if n, ok := scan.CountItems(raw, path...); ok {
		return int64(n)
	}
	return -1
}

// mostAsideRecords is how many records of one reading may be unreadable before the source itself counts as failed. If all of
// several records are unreadable, the reading fails, too.
const mostAsideRecords = 10

// IsRecordError reports whether an error may concern one record alone. The others are still read, and the next run asks for that
// one again.
func IsRecordError(err error) bool {
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

// isRecent reports whether a time is less than within before now.
func isRecent(at int64, now time.Time, within time.Duration) bool {
	return now.Sub(time.Unix(at, 0)) < within
}
