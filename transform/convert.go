package transform

import "aqueduck/transform/internal/scalar"

// converter makes the cell of a column of a value of the record at hand.
type converter struct {
	text *recordText
	mask *masker
}

// value is what a column makes of a value: its hash, where the policy wants that. The reason is "" when it holds the value.
func (v *converter) value(c *column, t token, f *field) (value cell, reason string) {
	if f.policy.action() != actHash {
		return v.convert(c, t, f)
	}
	hashed := cell{set: true, span: v.mask.hashed(t.raw)}
	if c.kind == kindText { // without the quotes
		hashed.from++
		hashed.size -= 2
	}
	return hashed, ""
}

func (v *converter) convert(c *column, t token, f *field) (cell, string) {
	x := v.text
	switch {
	case c.kind == kindJSON:
		return cell{set: true, span: v.mask.json(t.raw, f.policy, f.in.depth)}, ""
	case c.kind.fixed() && c.was.any():
		number, reason := c.was.parse(c.kind, t, x.piece(t.text))
		return cell{set: true, number: number}, reason
	case c.kind.fixed():
		number, reason := c.kind.parse(t, x.piece(t.text))
		c.millis = c.millis || c.kind == kindTimestamp && reason == "" && scalar.TellsMilliseconds(x.piece(t.text))
		return cell{set: true, number: number}, reason
	case t.container():
		return cell{}, ReasonType
	case c.was.any():
		return cell{set: true, span: x.spell(c.was, t)}, ""
	case t.first != '"':
		return cell{set: true, span: t.text}, ""
	}
	switch c.as {
	case "url", "signed_url":
		t.text = x.unsigned(t.text, c.as)
	case "plain_text":
		start := len(x.arena)
		// The text may lie in the arena itself, which is added to.
		x.arena = appendPlainText(x.arena, x.piece(t.text))
		t.text = x.since(start)
	}
	return cell{set: true, span: t.text}, ""
}

// TextAs is what a column with `as` makes of a text.
func TextAs(as, text string) string {
	switch as {
	case "url", "signed_url":
		return unsigned(text, as)
	case "plain_text":
		return string(appendPlainText(nil, []byte(text)))
	}
	return text
}

// none is the value of a column that the record has nothing for.
func (v *converter) none(c *column) cell {
	if c.kind.fixed() {
		return cell{set: true, number: c.none.number}
	}
	return cell{set: true, span: v.text.put(c.none.text)}
}
