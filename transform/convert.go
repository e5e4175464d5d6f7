package transform

import (
	"aqueduck/schemas"
	"aqueduck/transform/internal/scalar"
)

// cellConverter converts values of the current record to cells of columns.
type cellConverter struct {
	text *recordText
	mask *jsonMasker
}

// maskedCell is the cell of a value, or of its hash where the policy says so. The reason is "" when the column accepts the value.
func (v *cellConverter) maskedCell(c *columnPlan, t jsonValue, f *fieldNode) (value rowCell, reason string) {
	if f.policy.actionHere() != actHash || c.as == schemas.HasText { // that there is a text is not personal
		return v.convertValue(c, t, f)
	}
	switch {
	case c.kind.isFixed(): // it has no place for a hash
		_, reason = v.convertValue(c, t, f)
		return rowCell{}, reason
	case c.kind == kindText && t.isContainer():
		return rowCell{}, ReasonType
	}
	hashed := rowCell{set: true, textSpan: v.mask.appendFieldHash(f, t.raw)}
	if c.kind == kindText { // the span without the quotes
		hashed.from++
		hashed.size -= 2
	}
	return hashed, ""
}

func (v *cellConverter) convertValue(c *columnPlan, t jsonValue, f *fieldNode) (rowCell, string) {
	x := v.text
	switch {
	case c.kind == kindJSON:
		return rowCell{set: true, textSpan: v.mask.maskedJSON(t.raw, f.policy, f.in.depth)}, ""
	case c.as == schemas.HasText:
		return v.hasText(t)
	case c.kind.isFixed() && c.priorTypes.hasAny():
		number, reason := c.priorTypes.parseWidened(c.kind, t, x.bytesOf(t.text))
		return rowCell{set: true, number: number}, reason
	case c.kind.isFixed():
		number, reason := c.kind.parseScalar(t, x.bytesOf(t.text))
		c.millis = c.millis || c.kind == kindTimestamp && reason == "" && scalar.IsFinerThanSeconds(x.bytesOf(t.text))
		return rowCell{set: true, number: number}, reason
	case t.isContainer():
		return rowCell{}, ReasonType
	case c.priorTypes.hasAny():
		return rowCell{set: true, textSpan: x.spellScalar(c.priorTypes, t)}, ""
	case t.first != '"':
		return rowCell{set: true, textSpan: t.text}, ""
	}
	switch c.as {
	case "url", "signed_url":
		t.text = x.unsignedSpan(t.text, c.as)
	case schemas.PlainText:
		t.text = x.plainSpan(t.text)
	}
	return rowCell{set: true, textSpan: t.text}, ""
}

// hasText is the cell that says whether a value has a plain text; without one where the value is no text at all.
func (v *cellConverter) hasText(t jsonValue) (rowCell, string) {
	if t.isContainer() {
		return rowCell{}, ReasonType
	}
	found := rowCell{set: true}
	if v.text.hasPlainText(t.text) {
		found.number = 1
	}
	return found, ""
}

// TextAs is the text that a column with `as` stores for a text.
func TextAs(as, text string) string {
	switch as {
	case "url", "signed_url":
		return unsignedURL(text, as)
	case schemas.PlainText:
		return string(appendPlainText(nil, []byte(text)))
	}
	return text
}

// defaultCell is the column's default value.
func (v *cellConverter) defaultCell(c *columnPlan) rowCell {
	if c.kind.isFixed() {
		return rowCell{set: true, number: c.none.number}
	}
	return rowCell{set: true, textSpan: v.text.appendText(c.none.text)}
}
