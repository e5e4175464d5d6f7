package clause

import (
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
)

// Bare is a query as part of another.
func Bare(query, schema string) string {
	return strings.TrimSuffix(strings.TrimSpace(InSchema(query, schema)), ";")
}

// InSchema puts a workspace's schema into a query that was written for any.
func InSchema(query, schema string) string {
	return strings.ReplaceAll(query, "{schema}", duck.Name(schema))
}

// Union gives the names of both lists, each once.
func Union(a, b []string) []string {
	list := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// Separator stands between the keys that a query is given as one text. A key that holds it is asked for by nobody.
const Separator = "\x1f"

// Instant is a time as SQL has it, without a zone of the session in between.
func Instant(t time.Time) string {
	return duck.Text(t.UTC().Format("2006-01-02 15:04:05.999999")+"+00") + "::TIMESTAMPTZ"
}

// ExactInDouble is the condition for a whole number that a double holds as it is.
const ExactInDouble = " BETWEEN -9007199254740992 AND 9007199254740992"
