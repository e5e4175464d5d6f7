package jsontext

import "time"

// Record is a small record, with its columns in the order in which they are sent.
type Record []Column

// FieldText returns the text of a field, "" when it is missing or not text.
func (r Record) FieldText(name string) string {
	for _, c := range r {
		if s, isText := c.Value.(string); isText && c.Name == name {
			return s
		}
	}
	return ""
}

// Column is one field of a small record: text (empty is null), an int64, a bool, RawJSON, a time, or nil.
type Column struct {
	Name  string
	Value any
}

// RawJSON is a value that is already JSON.
type RawJSON string

// Moment is a time in Unix seconds; zero is null.
type Moment int64

// ISOTime is a time in Unix seconds that is sent as ISO-8601 text.
type ISOTime int64

// WriteRecord writes a record. The caller writes separators.
func WriteRecord(p *Writer, r Record) {
	p.Bytes = append(p.Bytes, '{')
	for _, c := range r {
		switch v := c.Value.(type) {
		case nil:
			p.Null(c.Name)
		case string:
			p.TextOrNull(c.Name, v)
		case Moment:
			p.TimeOrNull(c.Name, int64(v))
		case ISOTime:
			p.TextOrNull(c.Name, time.Unix(int64(v), 0).UTC().Format(time.RFC3339))
		case int64:
			p.Int(c.Name, v)
		case bool:
			p.Bool(c.Name, v)
		case RawJSON:
			p.RawOrNull(c.Name, string(v))
		}
	}
	p.Close()
}
