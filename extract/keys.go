package extract

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// RecordKey returns a record's id as text. It is false when the stream's key is not one field of the record, or the record has no
// value for it.
func RecordKey(s *schemas.Stream, raw []byte) (string, bool) {
	path := keyPath(s)
	if path == nil {
		return "", false
	}
	return scan.Scalar(scan.Field(raw, path...))
}

// RepeatedKeys counts the records of one answer that have the key of another one of them, and another text. It is 0 when a column of the key is no
// field of the record.
func RepeatedKeys(s *schemas.Stream, records []Record) (repeated int64) {
	var paths [][]string
	for _, c := range s.Columns {
		if slices.Contains(s.Key, c.Name) && len(c.From) > 0 && !strings.HasPrefix(c.From[0], "$") {
			paths = append(paths, c.From)
		}
	}
	if len(paths) < len(s.Key) {
		return 0
	}
	texts := map[string][]byte{}
	for _, r := range records {
		var key []byte
		whole := true // a record without its key is rejected
		for _, path := range paths {
			value := scan.Field(r.Raw, path...)
			key, whole = append(append(key, value...), 0), whole && value != nil && string(value) != "null"
		}
		if !whole {
			continue
		}
		if text, came := texts[string(key)]; came && !bytes.Equal(text, r.Raw) {
			repeated++
		}
		texts[string(key)] = r.Raw
	}
	return repeated
}

// RecordTime returns the time by which the stream's list is asked, in Unix seconds; false when the stream or the record has none.
func RecordTime(s *schemas.Stream, raw []byte) (int64, bool) {
	if s.Read.Since.Field == "" {
		return 0, false
	}
	return scan.UnixTime(scan.Field(raw, s.Read.Since.Field))
}

// keyPath is the path of a record's id; nil when the key is not one field of the record.
func keyPath(s *schemas.Stream) []string {
	for _, c := range s.Columns {
		if len(s.Key) == 1 && c.Name == s.Key[0] && len(c.From) > 0 && !strings.HasPrefix(c.From[0], "$") {
			return c.From
		}
	}
	return nil
}

// idPattern is the form of an id that may be put into a path.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
