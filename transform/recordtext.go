package transform

import (
	"bytes"
	"unicode/utf8"

	"aqueduck/transform/internal/jsontext"

	"github.com/go-faster/jx"
)

// textSpan is a slice of the current record's text, or of the arena.
type textSpan struct {
	from, size uint32
	arena      bool
}

// jsonValue is a value of a record: of a scalar its text without quotes, of an object or list the whole JSON.
type jsonValue struct {
	first byte // first byte of the value as sent
	text  textSpan
	raw   []byte
}

func (t jsonValue) isContainer() bool { return t.first == '{' || t.first == '[' }

// recordText is the text of the current record, and an arena of texts that differ from it. Spans refer to both.
type recordText struct {
	raw    []byte // as sent, or made valid
	valid  []byte // buffer for a repaired text
	arena  []byte
	mended bool // invalid Unicode was replaced
	deep   bool // nested too deep

	body, plain textSpan // the last text that was converted to plain text, and what it became
}

// resetRecord begins a record.
func (x *recordText) resetRecord(raw []byte) {
	x.raw, x.arena = raw, x.arena[:0]
	x.mended, x.deep = false, false
	x.body, x.plain = textSpan{}, textSpan{}
	if !utf8.Valid(raw) {
		x.valid = jsontext.AppendValid(x.valid[:0], raw)
		x.raw, x.mended = x.valid, true
	}
}

// bytesOf are the bytes of a span, valid until the arena grows.
func (x *recordText) bytesOf(s textSpan) []byte {
	if s.arena {
		return x.arena[s.from : s.from+s.size]
	}
	return x.raw[s.from : s.from+s.size]
}

// spanOf is the span of a slice of the record's text. The capacity of a slice tells its distance from the text's end, and thus
// its offset.
func (x *recordText) spanOf(b []byte) textSpan {
	return textSpan{from: uint32(cap(x.raw) - cap(b)), size: uint32(len(b))}
}

// arenaSpan is the span from start to the arena's end.
func (x *recordText) arenaSpan(start int) textSpan {
	return textSpan{from: uint32(start), size: uint32(len(x.arena) - start), arena: true}
}

func (x *recordText) appendText(s string) textSpan {
	start := len(x.arena)
	x.arena = append(x.arena, s...)
	return x.arenaSpan(start)
}

// unquoteValue removes the quotes and escapes of a scalar.
func (x *recordText) unquoteValue(raw []byte) jsonValue {
	t := jsonValue{first: raw[0], raw: raw}
	if t.first != '"' {
		t.text = x.spanOf(raw)
		return t
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		t.text = x.spanOf(inner)
		return t
	}
	start := len(x.arena)
	var mended bool
	x.arena, mended = jsontext.AppendUnescaped(x.arena, inner)
	x.mended = x.mended || mended
	t.text = x.arenaSpan(start)
	return t
}

// appendCompact appends valid JSON to the arena, without spaces.
func (x *recordText) appendCompact(raw []byte) {
	var mended bool
	x.arena, mended = jsontext.AppendCompact(x.arena, raw)
	x.mended = x.mended || mended
}

// appendQuoted appends a text to the arena as a JSON string.
func (x *recordText) appendQuoted(text []byte) {
	w := jx.Writer{Buf: x.arena}
	w.ByteStr(text)
	x.arena = w.Buf
}
