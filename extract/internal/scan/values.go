package scan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-faster/jx"
)

// Scalar reads a JSON string or number as text; false when it is neither, or an empty string.
func Scalar(raw []byte) (string, bool) {
	if s, ok := Text(raw); ok {
		return s, s != ""
	}
	if len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') {
		return string(raw), true
	}
	return "", false
}

// Text reads a JSON string; false when it is no string.
func Text(raw []byte) (string, bool) {
	d := jx.DecodeBytes(raw)
	if d.Next() != jx.String {
		return "", false
	}
	s, err := d.Str()
	return s, err == nil
}

// Count reads a count, written as 12, 12.0 or "12"; -1 when it is none.
func Count(raw []byte) int64 {
	n, ok := Number(raw)
	if !ok || n < 0 {
		return -1
	}
	return n
}

// Number reads an integer, also one in quotes; false when it is no integer, or too large to be exact.
func Number(raw []byte) (int64, bool) {
	s := strings.Trim(string(raw), "\" \t\r\n")
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Members are the keys and values of a JSON object, in its order.
func Members(body []byte) (keys []string, values [][]byte) {
	_ = jx.DecodeBytes(body).ObjBytes(func(d *jx.Decoder, key []byte) error {
		name := string(key)
		raw, err := d.Raw()
		keys, values = append(keys, name), append(values, raw)
		return err
	}) // callers have checked that it is an object
	return keys, values
}

// EarliestTime and LatestTime bound the times of workspaces, in Unix seconds: from 1990 to before 2100.
const EarliestTime, LatestTime = 631_152_000, 4_102_444_800

// UnixTime reads a time as Unix seconds. It accepts a number of seconds, milliseconds or microseconds, and ISO 8601 text.
func UnixTime(raw []byte) (int64, bool) {
	if n, ok := Number(raw); ok {
		for _, parts := range []int64{1000, 1e6} { // no workspace has such times in seconds
			if n >= parts*EarliestTime && n < parts*LatestTime {
				n /= parts
			}
		}
		return n, true
	}
	s, ok := Text(raw)
	if !ok {
		return 0, false
	}
	t, err := time.Parse(time.RFC3339, s)
	return t.Unix(), err == nil
}

// DatedItems is the number of items of a list, -1 when it is no list, and the latest time at which an item was made or changed, 0
// when none has a time.
func DatedItems(list []byte) (n, newest int64) {
	d := jx.DecodeBytes(list)
	if d.Next() != jx.Array {
		return -1, 0
	}
	_ = d.Arr(func(d *jx.Decoder) error { // the record's page was checked to be JSON
		raw, err := d.Raw()
		n++
		for _, name := range []string{"created_at", "updated_at"} {
			if at, ok := UnixTime(Field(raw, name)); ok {
				newest = max(newest, at)
			}
		}
		return err
	})
	return n, newest
}

// Without returns a copy of a record without the member at a path.
func Without(record []byte, path ...string) ([]byte, error) {
	parent, name := path[:len(path)-1], path[len(path)-1]
	from, to, found := Locate(record, parent...)
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
