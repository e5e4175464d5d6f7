package extract

import (
	"regexp"
	"strings"

	"aqueduck/extract/internal/scan"
	"aqueduck/schemas"
)

// RecordKey is the id of a record, as text; false when the stream has no key of one field, or the record none.
func RecordKey(s *schemas.Stream, raw []byte) (string, bool) {
	path := keyPath(s)
	if path == nil {
		return "", false
	}
	return scan.Scalar(scan.Field(raw, path...))
}

// RecordTime is the time of a record that its list is asked by, in unix seconds; false when it has none.
func RecordTime(s *schemas.Stream, raw []byte) (int64, bool) {
	if s.Read.Since.Field == "" {
		return 0, false
	}
	return scan.UnixTime(scan.Field(raw, s.Read.Since.Field))
}

// keyPath is where a record's id is.
func keyPath(s *schemas.Stream) []string {
	for _, c := range s.Columns {
		if len(s.Key) == 1 && c.Name == s.Key[0] && len(c.From) > 0 && !strings.HasPrefix(c.From[0], "$") {
			return c.From
		}
	}
	return nil
}

// idPattern is what an id looks like that may become part of a path.
var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)
