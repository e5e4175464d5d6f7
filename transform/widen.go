package transform

import (
	"math"
	"slices"
	"strconv"

	"aqueduck/schemas"
	"aqueduck/transform/internal/scalar"
)

// narrowerTypes are the narrower types that a column had before the one it has now. A value that one of them held is spelled as that type
// spelled it, whether the row was stored before the column widened or after: one value has one spelling (T176).
type narrowerTypes struct{ bools, ints, doubles bool }

func widenedFrom(was []schemas.Type) narrowerTypes {
	return narrowerTypes{slices.Contains(was, schemas.Bool), slices.Contains(was, schemas.Int), slices.Contains(was, schemas.Double)}
}

func (w narrowerTypes) hasAny() bool { return w.bools || w.hasNumbers() }

func (w narrowerTypes) hasNumbers() bool { return w.ints || w.doubles }

// parseWidened reads a value of a column of numbers that was of a narrower type: of bool, whose values go on as 1 and 0, or of int, whose
// numbers are not rounded.
func (w narrowerTypes) parseWidened(k columnKind, t jsonValue, text []byte) (uint64, string) {
	if one, reason := scalar.ParseBool(text); w.bools && reason == "" {
		if k == kindDouble && one == 1 {
			one = math.Float64bits(1)
		}
		return one, ""
	}
	if n, reason := scalar.ParseInt(text); k == kindDouble && (reason == ReasonRange || reason == "" && (n > 1<<53 || n < -1<<53)) {
		return 0, ReasonRange
	}
	return k.parseScalar(t, text)
}

// spellScalar gives the text of a scalar in a column of texts that was of narrower types.
func (x *recordText) spellScalar(w narrowerTypes, t jsonValue) textSpan {
	start := len(x.arena)
	text, changed := w.appendTo(x.arena, t.first == '"', x.bytesOf(t.text))
	if !changed {
		return t.text
	}
	x.arena = text
	return x.arenaSpan(start)
}

// appendTo adds the spelling of a scalar to b; false where it is the text as sent. Numbers are canonical, for a column of numbers knows
// no other way to write them; quoted ones where a column of numbers held them.
func (w narrowerTypes) appendTo(b []byte, quoted bool, text []byte) ([]byte, bool) {
	if one, reason := scalar.ParseBool(text); reason == "" && w.bools && w.hasNumbers() {
		return strconv.AppendUint(b, one, 10), true
	}
	if quoted && !w.hasNumbers() {
		return b, false
	}
	if n, reason := scalar.ParseInt(text); w.ints || w.bools { // else doubles held them, rounded
		switch reason {
		case "":
			return strconv.AppendInt(b, n, 10), true
		case ReasonRange:
			return b, false // as sent: a double would round them
		}
	}
	if quoted && !w.doubles {
		return b, false
	}
	bits, reason := scalar.ParseDouble(text)
	if reason != "" {
		return b, false
	}
	return appendDouble(b, math.Float64frombits(bits)), true
}

// appendDouble spells a number as the database does, but for whole ones: these have no point.
func appendDouble(b []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	if size := math.Abs(v); size < 1e-4 || size >= 1e16 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// SpellDouble is the SQL that spells a double as a text in the same way.
func SpellDouble(value string) string {
	return "CASE WHEN " + value + " = trunc(" + value + ") AND abs(" + value + ") < 9223372036854775808 THEN " + value + "::BIGINT::VARCHAR ELSE " + value + "::VARCHAR END"
}

// SpellScalar gives a JSON scalar as the text of a value that a column which has widened takes of it, as a record with that value would bring
// it; false where it takes none.
func SpellScalar(c Column, raw []byte) (string, bool) {
	x := recordText{raw: raw}
	t := x.unquoteValue(raw)
	if t.isContainer() || raw[0] == 'n' {
		return "", false
	}
	w, k := widenedFrom(c.Was), codecs[c.Type].kind
	text := x.bytesOf(t.text)
	if k == kindText {
		if spelled, changed := w.appendTo(nil, t.first == '"', text); changed {
			return string(spelled), true
		}
		return string(text), true
	}
	number, reason := w.parseWidened(k, t, text)
	if reason != "" {
		return "", false
	}
	switch k {
	case kindInt:
		return strconv.FormatInt(int64(number), 10), true
	case kindDouble:
		return strconv.FormatFloat(math.Float64frombits(number), 'g', -1, 64), true
	}
	return "", false
}
