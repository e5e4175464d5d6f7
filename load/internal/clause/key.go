package clause

import (
	"strings"

	"aqueduck/load/internal/duck"
)

// KeyText is one text for a key of any number of columns.
func KeyText(prefix string, key []string) string {
	if len(key) == 1 {
		return prefix + duck.Name(key[0]) + "::VARCHAR"
	}
	return "to_json([" + strings.ReplaceAll(duck.Names(prefix, key), ", ", "::VARCHAR, ") + "::VARCHAR])::VARCHAR"
}

// Matches compares the columns of two relations pairwise.
func Matches(a string, columns []string, b string, others []string) string {
	pairs := make([]string, len(columns))
	for i := range columns {
		pairs[i] = a + duck.Name(columns[i]) + " = " + b + duck.Name(others[i])
	}
	return strings.Join(pairs, " AND ")
}

// MatchTexts compares texts with the columns of a relation pairwise.
func MatchTexts(a string, columns []string, b string, others []string) string {
	pairs := make([]string, len(columns))
	for i := range columns {
		pairs[i] = a + duck.Name(columns[i]) + " = " + b + duck.Name(others[i]) + "::VARCHAR"
	}
	return strings.Join(pairs, " AND ")
}

// Texts are columns as texts.
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
