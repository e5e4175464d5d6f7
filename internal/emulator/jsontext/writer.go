package jsontext

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// Writer writes a JSON object field by field, with the commas. An empty text and a zero time are null.
type Writer struct {
	Bytes []byte
	Omit  bool // fields that are null are omitted
}

// WriteKey begins a field; an empty name begins an item of a list.
func (p *Writer) WriteKey(name string) {
	if n := len(p.Bytes); n > 0 && p.Bytes[n-1] != '{' && p.Bytes[n-1] != '[' {
		p.Bytes = append(p.Bytes, ',')
	}
	if name != "" {
		p.Bytes = append(append(append(p.Bytes, '"'), name...), `":`...)
	}
}

// Null writes null, or nothing with Omit.
func (p *Writer) Null(name string) {
	if p.Omit {
		return
	}
	p.WriteKey(name)
	p.Bytes = append(p.Bytes, "null"...)
}

// TextOrNull writes a text; an empty one is null.
func (p *Writer) TextOrNull(name, s string) {
	if s == "" {
		p.Null(name)
		return
	}
	p.WriteKey(name)
	p.Bytes = AppendString(p.Bytes, s)
}

// String writes a text; an empty one stays a text.
func (p *Writer) String(name, s string) {
	p.WriteKey(name)
	p.Bytes = AppendString(p.Bytes, s)
}

// TimeOrNull writes a time or another number; 0 is null.
func (p *Writer) TimeOrNull(name string, t int64) {
	if t == 0 {
		p.Null(name)
		return
	}
	p.Int(name, t)
}

// Int writes a number.
func (p *Writer) Int(name string, n int64) {
	p.WriteKey(name)
	p.Bytes = strconv.AppendInt(p.Bytes, n, 10)
}

// Bool writes true or false.
func (p *Writer) Bool(name string, v bool) {
	p.WriteKey(name)
	p.Bytes = strconv.AppendBool(p.Bytes, v)
}

// RawOrNull writes raw JSON; an empty one is null.
func (p *Writer) RawOrNull(name, json string) {
	if json == "" {
		p.Null(name)
		return
	}
	p.WriteKey(name)
	p.Bytes = append(p.Bytes, json...)
}

// Open begins an object.
func (p *Writer) Open(name string) {
	p.WriteKey(name)
	p.Bytes = append(p.Bytes, '{')
}

// OpenItem begins an object in a list.
func (p *Writer) OpenItem() { p.Open("") }

// Close ends an object.
func (p *Writer) Close() { p.Bytes = append(p.Bytes, '}') }

// OpenList begins a list.
func (p *Writer) OpenList(name string) {
	p.WriteKey(name)
	p.Bytes = append(p.Bytes, '[')
}

// CloseList ends a list.
func (p *Writer) CloseList() { p.Bytes = append(p.Bytes, ']') }

// WriteAttributes writes attributes as an object.
func (p *Writer) WriteAttributes(name string, list []event.Attribute) {
	p.Open(name)
	for i, a := range list {
		if i > 0 {
			p.Bytes = append(p.Bytes, ',')
		}
		p.Bytes = append(append(AppendString(p.Bytes, a.Name), ':'), a.Raw...)
	}
	p.Close()
}

// OpenTypedList begins a list in its envelope: {"type":kind,"key":[.
func (p *Writer) OpenTypedList(name, kind, key string) {
	p.Open(name)
	p.TextOrNull("type", kind)
	p.OpenList(key)
}

// CloseTypedList ends a list and its envelope.
func (p *Writer) CloseTypedList() {
	p.CloseList()
	p.Close()
}
