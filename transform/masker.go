package transform

import (
	"bytes"
	"encoding/hex"
	"hash"

	"aqueduck/transform/internal/jsontext"

	"github.com/go-faster/jx"
)

// masker writes values of the record at hand as JSON, masked as the policy says.
type masker struct {
	text   *recordText
	policy *policy // of a record
	mac    hash.Hash
}

// json gives a value as JSON text: compact, valid, with the policy applied. depth is that of the object that holds it.
func (m *masker) json(raw []byte, p *policy, depth int) span {
	nested, clean := jsontext.Survey(raw)
	if depth+nested > jsontext.MaxDepth {
		m.text.deep = true
		return span{}
	}
	start := len(m.text.arena)
	switch {
	case p != nil:
		m.rewrite(raw, p)
	case clean:
		return m.text.within(raw)
	default:
		m.text.compact(raw)
	}
	return m.text.since(start)
}

// rewrite adds a value that is known to be JSON to the arena, hashed and dropped as its policy says.
func (m *masker) rewrite(raw []byte, p *policy) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	switch {
	case p.action() == actHash && raw[0] != 'n':
		m.hashed(raw)
	case p != nil && raw[0] == '{':
		m.rewriteObject(raw, p)
	case p != nil && raw[0] == '[':
		m.text.arena = append(m.text.arena, '[')
		js := jx.DecodeBytes(raw)
		items, _ := js.ArrIter()
		for first := true; items.Next(); first = false {
			if !first {
				m.text.arena = append(m.text.arena, ',')
			}
			if item, err := js.Raw(); err == nil {
				m.rewrite(item, p)
			}
		}
		m.text.arena = append(m.text.arena, ']')
	default:
		m.text.compact(raw)
	}
}

func (m *masker) rewriteObject(raw []byte, p *policy) {
	x := m.text
	x.arena = append(x.arena, '{')
	js := jx.DecodeBytes(raw)
	fields, _ := js.ObjIter()
	for first := true; fields.Next(); {
		below := p.at(fields.Key())
		value, err := js.Raw()
		if err != nil || below.action() == actDrop {
			continue
		}
		if !first {
			x.arena = append(x.arena, ',')
		}
		first = false
		x.quote(fields.Key())
		x.arena = append(x.arena, ':')
		m.rewrite(value, below)
	}
	x.arena = append(x.arena, '}')
}

// hashed adds the keyed hash of a value as a JSON string: 12 and "12" have the same one, so that joins go on working
// where the source sends ids in both ways. An object or a list is hashed as a whole.
func (m *masker) hashed(raw []byte) span {
	x := m.text
	start := len(x.arena)
	m.mac.Reset()
	if t := x.token(raw); t.container() {
		x.compact(raw)
		m.mac.Write(x.arena[start:])
	} else {
		m.mac.Write(x.piece(t.text))
	}
	x.arena = append(x.arena[:start], '"')
	var sum [32]byte
	x.arena = hex.AppendEncode(x.arena, m.mac.Sum(sum[:0])[:16])
	x.arena = append(x.arena, '"')
	return x.since(start)
}

// record gives a copy of the record's text with hash and drop applied; nil when it cannot be taken apart for that.
func (m *masker) record() []byte {
	x := m.text
	if m.policy == nil {
		return bytes.Clone(x.raw)
	}
	if jx.DecodeBytes(x.raw).Validate() != nil {
		return nil
	}
	start := len(x.arena)
	m.rewrite(x.raw, m.policy)
	return bytes.Clone(x.arena[start:])
}
