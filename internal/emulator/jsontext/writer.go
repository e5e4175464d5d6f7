package jsontext

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// Writer writes a JSON object field by field; commas are its business. An empty text and a zero time are null.
type Writer struct {
	Bytes []byte
	Omit  bool // leave out what is null
}

// Key begins a field; without a name it begins an item of a list.
func (p *Writer) Key(name string) {
	if n := len(p.Bytes); n > 0 && p.Bytes[n-1] != '{' && p.Bytes[n-1] != '[' {
		p.Bytes = append(p.Bytes, ',')
	}
	if name != "" {
		p.Bytes = append(append(append(p.Bytes, '"'), name...), `":`...)
	}
}

// Null writes null, or nothing where that is left out.
func (p *Writer) Null(name string) {
	if p.Omit {
		return
	}
	p.Key(name)
	p.Bytes = append(p.Bytes, "null"...)
}

// Text writes a text; an empty one is null.
func (p *Writer) Text(name, s string) {
	if s == "" {
		p.Null(name)
		return
	}
	p.Key(name)
	p.Bytes = AppendString(p.Bytes, s)
}

// String writes a text that is empty rather than null.
func (p *Writer) String(name, s string) {
	p.Key(name)
	p.Bytes = AppendString(p.Bytes, s)
}

// Time writes a time or another number; 0 is null.
func (p *Writer) Time(name string, t int64) {
	if t == 0 {
		p.Null(name)
		return
	}
	p.Int(name, t)
}

// Int writes a number.
func (p *Writer) Int(name string, n int64) {
	p.Key(name)
	p.Bytes = strconv.AppendInt(p.Bytes, n, 10)
}

// Flag writes true or false.
func (p *Writer) Flag(name string, v bool) {
	p.Key(name)
	p.Bytes = strconv.AppendBool(p.Bytes, v)
}

// Raw writes JSON as it is; none is null.
func (p *Writer) Raw(name, json string) {
	if json == "" {
		p.Null(name)
		return
	}
	p.Key(name)
	p.Bytes = append(p.Bytes, json...)
}

// Open begins an object.
func (p *Writer) Open(name string) {
	p.Key(name)
	p.Bytes = append(p.Bytes, '{')
}

// Item begins an object in a list.
func (p *Writer) Item() { p.Open("") }

// Close ends an object.
func (p *Writer) Close() { p.Bytes = append(p.Bytes, '}') }

// List begins a list.
func (p *Writer) List(name string) {
	p.Key(name)
	p.Bytes = append(p.Bytes, '[')
}

// End ends a list.
func (p *Writer) End() { p.Bytes = append(p.Bytes, ']') }

// Attrs writes attributes as an object.
func (p *Writer) Attrs(name string, list []event.Attribute) {
	p.Open(name)
	for i, a := range list {
		if i > 0 {
			p.Bytes = append(p.Bytes, ',')
		}
		p.Bytes = append(append(AppendString(p.Bytes, a.Name), ':'), a.Raw...)
	}
	p.Close()
}

// Typed begins a list in its envelope: {"type":kind,"key":[.
func (p *Writer) Typed(name, kind, key string) {
	p.Open(name)
	p.Text("type", kind)
	p.List(key)
}

// Done ends one.
func (p *Writer) Done() {
	p.End()
	p.Close()
}
