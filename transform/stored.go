package transform

import (
	"math"
	"strconv"

	"aqueduck/transform/internal/jsontext"
	"aqueduck/transform/maskrule"
)

// SpellField is SpellValue of the value at a path of a stored JSON text; false where there is none.
func SpellField(c Column, stored []byte, path []string) (string, bool) {
	if raw, ok := jsontext.FieldAt(stored, path); ok {
		return SpellValue(c, raw)
	}
	return "", false
}

// WithoutFields makes a function that removes the values at some paths of a stored JSON text. It may be used by one goroutine at a time.
func WithoutFields(paths [][]string) func(stored string) string {
	rules := make([]maskrule.Rule, len(paths))
	for i, path := range paths {
		rules[i].Path = path
	}
	return MaskJSON(rules, nil)
}

// SpellValue is the text of what a column stores for a JSON value: equal to that of a new record with the value. Times are microseconds, and dates days, since
// 1970. It is false for null and for a value that the column rejects.
func SpellValue(c Column, raw []byte) (string, bool) {
	x := recordText{raw: raw}
	t := x.unquoteValue(raw)
	w, k := widenedFrom(c.NarrowerTypes), codecs[c.Type].kind
	switch {
	case raw[0] == 'n', k != kindJSON && t.isContainer():
		return "", false
	case k == kindJSON:
		return string(raw), true
	}
	text := x.bytesOf(t.text)
	if k == kindText {
		if spelled, changed := w.appendTo(nil, t.first == '"', text); w.hasAny() && changed {
			return string(spelled), true
		}
		if t.first != '"' {
			return string(text), true
		}
		return TextAs(c.As, string(text)), true
	}
	parse := k.parseScalar
	if w.hasAny() {
		parse = func(t jsonValue, text []byte) (uint64, string) { return w.parseWidened(k, t, text) }
	}
	number, reason := parse(t, text)
	switch {
	case reason != "":
		return "", false
	case k == kindDouble:
		return strconv.FormatFloat(math.Float64frombits(number), 'g', -1, 64), true
	case k == kindBool:
		return strconv.FormatBool(number != 0), true
	}
	return strconv.FormatInt(int64(number), 10), true
}
