package clause

import (
	"strings"

	"aqueduck/load/internal/duck"
)

// KeyText is the SQL that makes one text of a key with any number of columns.
func KeyText(prefix string, key []string) string {
	if len(key) == 1 {
		return prefix + duck.Name(key[0]) + "::VARCHAR"
	}
	return "to_json([" + strings.ReplaceAll(duck.Names(prefix, key), ", ", "::VARCHAR, ") + "::VARCHAR])::VARCHAR"
}

// Matches is the condition that the columns of two relations are equal, pair by pair.
func Matches(a string, columns []string, b string, others []string) string {
	pairs := make([]string, len(columns))
	for i := range columns {
		pairs[i] = a + duck.Name(columns[i]) + " = " + b + duck.Name(others[i])
	}
	return strings.Join(pairs, " AND ")
}

// MatchTexts is Matches where the columns of the first relation are texts.
func MatchTexts(a string, columns []string, b string, others []string) string {
	pairs := make([]string, len(columns))
	for i := range columns {
		pairs[i] = a + duck.Name(columns[i]) + " = " + b + duck.Name(others[i]) + "::VARCHAR"
	}
	return strings.Join(pairs, " AND ")
}

// Texts is the SQL of columns as texts.
func Texts(prefix string, columns []string) string {
	list := ""
	for i, c := range columns {
		if i > 0 {
			list += ", "
		}
		list += prefix + duck.Name(c) + "::VARCHAR"
	}
	return list
}
