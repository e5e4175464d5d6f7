package transform

import (
	"bytes"
	"encoding/hex"
	"hash"
	"strings"

	"aqueduck/transform/internal/jsontext"

	"github.com/go-faster/jx"
)

// jsonMasker writes values of the current record as JSON, with hash and drop applied.
type jsonMasker struct {
	text   *recordText
	policy *maskPolicy // of the record
	mac    hash.Hash
	hashed bool // texts that look like a hash are hashes, and stay
	lists  int  // around the value at hand
}

// maskedJSON is a value as compact, valid JSON with the policy applied. depth is that of the object around it.
func (m *jsonMasker) maskedJSON(raw []byte, p *maskPolicy, depth int) textSpan {
	nested, clean := jsontext.Survey(raw)
	if depth+nested > jsontext.MaxDepth {
		m.text.deep = true
		return textSpan{}
	}
	start := len(m.text.arena)
	switch {
	case p != nil:
		m.rewriteValue(raw, p)
	case clean:
		return m.text.spanOf(raw)
	default:
		m.text.appendCompact(raw)
	}
	return m.text.arenaSpan(start)
}

// rewriteValue appends a valid JSON value to the arena with the policy applied.
func (m *jsonMasker) rewriteValue(raw []byte, p *maskPolicy) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	switch {
	case m.isKnown(p) && raw[0] == '{':
		m.rewriteObject(raw, p)
	case p.actionHere() == actHash && raw[0] != 'n' && !(m.hashed && looksHashed(raw)):
		m.appendHash(raw)
	case p != nil && raw[0] == '{':
		m.rewriteObject(raw, p)
	case p != nil && raw[0] == '[':
		m.text.arena = append(m.text.arena, '[')
		m.lists++
		js := jx.DecodeBytes(raw)
		items, _ := js.ArrIter()
		for first := true; items.Next(); first = false {
			if !first {
				m.text.arena = append(m.text.arena, ',')
			}
			if item, err := js.Raw(); err == nil {
				m.rewriteValue(item, p)
			}
		}
		m.text.arena = append(m.text.arena, ']')
		m.lists--
	default:
		m.text.appendCompact(raw)
	}
}

// isKnown reports whether the object at hand is a declared one. What came as a list is as sent, with all that is in it.
func (m *jsonMasker) isKnown(p *maskPolicy) bool { return p != nil && p.known && m.lists == 0 }

// looksHashed reports whether a JSON value is a text of the form of a hash.
func looksHashed(raw []byte) bool {
	return len(raw) == 34 && raw[0] == '"' && !bytes.ContainsFunc(raw[1:33], func(c rune) bool { return !strings.ContainsRune("0123456789abcdef", c) })
}

func (m *jsonMasker) rewriteObject(raw []byte, p *maskPolicy) {
	x := m.text
	x.arena = append(x.arena, '{')
	js := jx.DecodeBytes(raw)
	fields, _ := js.ObjIter()
	for first := true; fields.Next(); {
		below := p.policyOf(fields.Key())
		value, err := js.Raw()
		if err != nil || below.actionHere() == actDrop {
			continue
		}
		start := len(x.arena)
		if !first {
			x.arena = append(x.arena, ',')
		}
		x.appendQuoted(fields.Key())
		x.arena = append(x.arena, ':')
		m.rewriteValue(value, below)
		if m.isKnown(below) && bytes.HasSuffix(x.arena, []byte(":{}")) {
			x.arena = x.arena[:start]
			continue
		}
		first = false
	}
	x.arena = append(x.arena, '}')
}

// appendHash appends the keyed hash of a value as a JSON string. 12 and "12" have the same hash, so that joins still work where
// the source sends an id in both forms. An object or list is hashed as a whole.
func (m *jsonMasker) appendHash(raw []byte) textSpan {
	x := m.text
	start := len(x.arena)
	t := x.unquoteValue(raw)
	if !t.isContainer() {
		return m.appendTextHash(t.text, start)
	}
	x.appendCompact(raw)
	return m.appendTextHash(x.arenaSpan(start), start)
}

// appendFieldHash is appendHash of a field's value. An address is hashed without its signature, which changes at each reading.
func (m *jsonMasker) appendFieldHash(f *fieldNode, raw []byte) textSpan {
	if f.url == "" || raw[0] != '"' {
		return m.appendHash(raw)
	}
	address := m.text.unsignedSpan(m.text.unquoteValue(raw).text, f.url)
	return m.appendTextHash(address, len(m.text.arena))
}

// appendTextHash is appendHash of a text. The arena from start on is given up: only the text may need it.
func (m *jsonMasker) appendTextHash(text textSpan, start int) textSpan {
	x := m.text
	m.mac.Reset()
	m.mac.Write(x.bytesOf(text))
	x.arena = append(x.arena[:start], '"')
	var sum [32]byte
	x.arena = hex.AppendEncode(x.arena, m.mac.Sum(sum[:0])[:16])
	x.arena = append(x.arena, '"')
	return x.arenaSpan(start)
}

// maskedRecord is a copy of the record's text with hash and drop applied; nil when the text is no valid JSON.
func (m *jsonMasker) maskedRecord() []byte {
	x := m.text
	if m.policy == nil {
		return bytes.Clone(x.raw)
	}
	if jx.DecodeBytes(x.raw).Validate() != nil {
		return nil
	}
	start := len(x.arena)
	m.rewriteValue(x.raw, m.policy)
	return bytes.Clone(x.arena[start:])
}
