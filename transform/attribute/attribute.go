// Package attribute gives each custom attribute the type of its column and the SQL of its values.
package attribute

import (
	"fmt"

	"aqueduck/transform"
	"aqueduck/transform/internal/scalar"
)

// Types are the types of an attribute's values, as transform.AttributeTypes names them, and date if the workspace's own list calls it one.
type Types map[string]bool

// ColumnType is the narrowest type that holds all values seen.
func (t Types) ColumnType() string {
	only := func(types ...string) bool {
		n := 0
		for _, one := range types {
			if t[one] {
				n++
			}
		}
		rest := len(t)
		if t["date"] {
			rest--
		}
		return n > 0 && n == rest
	}
	switch {
	case t["json"]:
		return "JSON"
	case only("int") && t["date"]:
		return "TIMESTAMPTZ"
	case only("bool"):
		return "BOOLEAN"
	case only("int", "big"):
		return "BIGINT"
	case only("int", "double"):
		return "DOUBLE"
	}
	return "VARCHAR"
}

// Value is the SQL expression of the attribute in a column of JSON objects, of its ColumnType; null for a value that this type does not hold.
// pointer is its JSON pointer, as a literal.
func (t Types) Value(column, pointer string) string {
	text := fmt.Sprintf("(%s ->> %s)", column, pointer)
	switch kind := t.ColumnType(); {
	case kind == "JSON":
		return fmt.Sprintf("nullif((%s -> %s)::VARCHAR, 'null')::JSON", column, pointer)
	case kind == "TIMESTAMPTZ":
		return scalar.InstantSQL("TRY_CAST(" + text + " AS BIGINT)")
	case kind == "VARCHAR" && t["double"]:
		// 1 and 1.0 are the same number, and must be the same text. A long integer, and what is larger than a double, keep their digits.
		number := "TRY_CAST(" + text + " AS DOUBLE)"
		return fmt.Sprintf("CASE WHEN json_type(%s, %s) = 'DOUBLE' AND regexp_matches(%s, '[.eE]') AND isfinite(%s) THEN %s ELSE %[3]s END",
			column, pointer, text, number, transform.SpellDouble(number))
	default:
		return "TRY_CAST(" + text + " AS " + kind + ")"
	}
}

// Forms tells whether another build makes the same columns: it has the SQL of a value of each type.
func Forms() string {
	var all string
	for _, t := range []Types{{"bool": true}, {"int": true}, {"int": true, "date": true}, {"double": true}, {"text": true, "double": true}, {"json": true}} {
		all += t.Value("o", "p") + " "
	}
	return all
}
