package transform

import (
	"bytes"
	"encoding/hex"

	"github.com/go-faster/jx"
)

// label is what messages call a field: the column that it fills, or its path.
func (f *field) label(p *plan) string {
	if len(f.columns) > 0 {
		return p.columns[f.columns[0]].name
	}
	return f.path
}

// fill puts a value into the columns of its field; one that does not fit goes to _extra. opened says that the value was
// looked into: then only columns that take it whole are left.
func (d *Decoder) fill(f *field, raw []byte, w *frame, opened bool) {
	if raw[0] == 'n' {
		return
	}
	cells := w.plan.cells[w.row:]
	t := d.token(raw)
	misfit := false
	for _, i := range f.columns {
		c := &w.plan.columns[i]
		if opened && c.kind != kindJSON {
			continue
		}
		value, reason := d.value(c, t, f)
		if reason != "" {
			misfit = true
			d.complain(w.plan.number, c.name, reason)
			d.news.misfit(w.plan.table.Name, c, f.path, raw)
			continue
		}
		cells[i] = value
	}
	if misfit {
		d.spill(f, raw, w)
	}
}

// value is what a column makes of a value: its hash, where the policy wants that.
func (d *Decoder) value(c *column, t token, f *field) (cell, string) {
	if f.policy.action() != actHash {
		return d.convert(c, t, f)
	}
	hashed := cell{set: true, span: d.hashed(t.raw)}
	if c.kind == kindText { // without the quotes
		hashed.from++
		hashed.size -= 2
	}
	return hashed, ""
}

func (d *Decoder) convert(c *column, t token, f *field) (cell, string) {
	switch {
	case c.kind == kindJSON:
		return cell{set: true, span: d.json(t.raw, f.policy, f.in.depth)}, ""
	case c.kind.fixed() && c.was.any():
		number, reason := c.was.parse(c.kind, t, d.piece(t.text))
		return cell{set: true, number: number}, reason
	case c.kind.fixed():
		number, reason := c.kind.parse(t, d.piece(t.text))
		c.millis = c.millis || c.kind == kindTimestamp && reason == "" && tellsMilliseconds(d.piece(t.text))
		return cell{set: true, number: number}, reason
	case t.container():
		return cell{}, ReasonType
	case c.was.any():
		return cell{set: true, span: d.spell(c.was, t)}, ""
	case t.first != '"':
		return cell{set: true, span: t.text}, ""
	}
	switch c.as {
	case "url", "signed_url":
		t.text = d.unsigned(t.text, c.as)
	case "plain_text":
		start := len(d.arena)
		// The text may lie in the arena itself, which is added to.
		d.arena = appendPlainText(d.arena, d.piece(t.text))
		t.text = d.since(start)
	}
	return cell{set: true, span: t.text}, ""
}

// TextAs is what a column with `as` makes of a text.
func TextAs(as, text string) string {
	switch as {
	case "url", "signed_url":
		return Unsigned(text, as)
	case "plain_text":
		return string(appendPlainText(nil, []byte(text)))
	}
	return text
}

// token takes the quotes and escapes off a scalar.
func (d *Decoder) token(raw []byte) token {
	t := token{first: raw[0], raw: raw}
	if t.first != '"' {
		t.text = d.within(raw)
		return t
	}
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		t.text = d.within(inner)
		return t
	}
	start := len(d.arena)
	var mended bool
	d.arena, mended = appendUnescaped(d.arena, inner)
	d.mended = d.mended || mended
	t.text = d.since(start)
	return t
}

// json gives a value as JSON text: compact, valid, with the policy applied. depth is that of the object that holds it.
func (d *Decoder) json(raw []byte, p *policy, depth int) span {
	nested, clean := survey(raw)
	if depth+nested > maxDepth {
		d.deep = true
		return span{}
	}
	start := len(d.arena)
	switch {
	case p != nil:
		d.rewrite(raw, p)
	case clean:
		return d.within(raw)
	default:
		d.compact(raw)
	}
	return d.since(start)
}

func (d *Decoder) compact(raw []byte) {
	var mended bool
	d.arena, mended = appendCompact(d.arena, raw)
	d.mended = d.mended || mended
}

// rewrite adds a value that is known to be JSON to the arena, hashed and dropped as its policy says.
func (d *Decoder) rewrite(raw []byte, p *policy) {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	switch {
	case p.action() == actHash && raw[0] != 'n':
		d.hashed(raw)
	case p != nil && raw[0] == '{':
		d.rewriteObject(raw, p)
	case p != nil && raw[0] == '[':
		d.arena = append(d.arena, '[')
		js := jx.DecodeBytes(raw)
		items, _ := js.ArrIter()
		for first := true; items.Next(); first = false {
			if !first {
				d.arena = append(d.arena, ',')
			}
			if item, err := js.Raw(); err == nil {
				d.rewrite(item, p)
			}
		}
		d.arena = append(d.arena, ']')
	default:
		d.compact(raw)
	}
}

func (d *Decoder) rewriteObject(raw []byte, p *policy) {
	d.arena = append(d.arena, '{')
	js := jx.DecodeBytes(raw)
	fields, _ := js.ObjIter()
	for first := true; fields.Next(); {
		below := p.at(fields.Key())
		value, err := js.Raw()
		if err != nil || below.action() == actDrop {
			continue
		}
		if !first {
			d.arena = append(d.arena, ',')
		}
		first = false
		d.quote(fields.Key())
		d.arena = append(d.arena, ':')
		d.rewrite(value, below)
	}
	d.arena = append(d.arena, '}')
}

func (d *Decoder) quote(name []byte) {
	w := jx.Writer{Buf: d.arena}
	w.ByteStr(name)
	d.arena = w.Buf
}

// hashed adds the keyed hash of a value as a JSON string: 12 and "12" have the same one, so that joins go on working
// where the source sends ids in both ways. An object or a list is hashed as a whole.
func (d *Decoder) hashed(raw []byte) span {
	start := len(d.arena)
	d.mac.Reset()
	if t := d.token(raw); t.container() {
		d.compact(raw)
		d.mac.Write(d.arena[start:])
	} else {
		d.mac.Write(d.piece(t.text))
	}
	d.arena = append(d.arena[:start], '"')
	var sum [32]byte
	d.arena = hex.AppendEncode(d.arena, d.mac.Sum(sum[:0])[:16])
	d.arena = append(d.arena, '"')
	return d.since(start)
}

// redacted gives a copy of the record's text with hash and drop applied; nil when it cannot be taken apart for that.
func (d *Decoder) redacted() []byte {
	if d.policy == nil {
		return bytes.Clone(d.raw)
	}
	if jx.DecodeBytes(d.raw).Validate() != nil {
		return nil
	}
	start := len(d.arena)
	d.rewrite(d.raw, d.policy)
	return bytes.Clone(d.arena[start:])
}
