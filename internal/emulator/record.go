package emulator

import (
	"time"

	"aqueduck/internal/emulator/jsontext"
)

// column is one field of a small record: text, where none is null, an int64, a bool, JSON, or nil.
type column struct {
	name  string
	value any
}

// record is a small record in the order in which it is sent.
type record []column

// rawJSONText is a value that is JSON already.
type rawJSONText string

// moment is a time: none is null.
type moment int64

// isoTime is a time that is sent as ISO-8601 text.
type isoTime int64

// writeRecord writes a record. What is around it, a comma too, is the caller's.
func writeRecord(p *jsontext.Writer, r record) {
	p.Bytes = append(p.Bytes, '{')
	for _, c := range r {
		switch v := c.value.(type) {
		case nil:
			p.Null(c.name)
		case string:
			p.Text(c.name, v)
		case moment:
			p.Time(c.name, int64(v))
		case isoTime:
			p.Text(c.name, time.Unix(int64(v), 0).UTC().Format(time.RFC3339))
		case int64:
			p.Int(c.name, v)
		case bool:
			p.Flag(c.name, v)
		case rawJSONText:
			p.Raw(c.name, string(v))
		}
	}
	p.Close()
}

// records answers a list that is not paged.
func (w *server) records(kind, key string, list []record) answer {
	return w.whole(kind, key, len(list), func(b []byte, n int32) []byte {
		p := &jsontext.Writer{Bytes: b}
		writeRecord(p, list[n])
		return p.Bytes
	})
}
