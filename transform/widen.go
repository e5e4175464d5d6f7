package transform

import (
	"math"
	"slices"
	"strconv"

	"aqueduck/schemas"
	"aqueduck/transform/internal/scalar"
)

// narrowerTypes are the narrower types that a column had before. A value that one of them can hold is written as that type writes
// it, whether its row was stored before or after the widening: one value has one spelling (T176).
type narrowerTypes struct{ bools, ints, doubles bool }

func widenedFrom(was []schemas.Type) narrowerTypes {
	return narrowerTypes{slices.Contains(was, schemas.Bool), slices.Contains(was, schemas.Int), slices.Contains(was, schemas.Double)}
}

func (w narrowerTypes) hasAny() bool { return w.bools || w.hasNumbers() }

func (w narrowerTypes) hasNumbers() bool { return w.ints || w.doubles }

// parseWidened parses a value of a numeric column that had a narrower type: of bool, whose values become 1 and 0, or of int,
// whose numbers must not be rounded.
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

// spellScalar is the text of a scalar in a text column that had narrower types.
func (x *recordText) spellScalar(w narrowerTypes, t jsonValue) textSpan {
	start := len(x.arena)
	text, changed := w.appendTo(x.arena, t.first == '"', x.bytesOf(t.text))
	if !changed {
		return t.text
	}
	x.arena = text
	return x.arenaSpan(start)
}

// appendTo appends the spelling of a scalar to b; false: it stays as sent. Numbers become canonical, because a numeric column has
// no other spelling; quoted ones only if the narrower type accepts quoted numbers.
func (w narrowerTypes) appendTo(b []byte, quoted bool, text []byte) ([]byte, bool) {
	if one, reason := scalar.ParseBool(text); reason == "" && w.bools && w.hasNumbers() {
		return strconv.AppendUint(b, one, 10), true
	}
	if quoted && !w.hasNumbers() {
		return b, false
	}
	if n, reason := scalar.ParseInt(text); w.ints || w.bools { // otherwise a double column held them, rounded
		switch reason {
		case "":
			return strconv.AppendInt(b, n, 10), true
		case ReasonRange:
			return b, false // as sent: a double would round it
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

// appendDouble writes a number as DuckDB does, except that whole numbers have no decimal point.
func appendDouble(b []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	if size := math.Abs(v); size < 1e-4 || size >= 1e16 {
		return strconv.AppendFloat(b, v, 'e', -1, 64)
	}
	return strconv.AppendFloat(b, v, 'f', -1, 64)
}

// SpellDouble is the SQL expression that writes a double as appendDouble does.
func SpellDouble(value string) string {
	return "CASE WHEN " + value + " = trunc(" + value + ") AND abs(" + value + ") < 9223372036854775808 THEN " + value + "::BIGINT::VARCHAR ELSE " + value + "::VARCHAR END"
}
