package clause

import (
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Bare is a query as part of another one: with its schema, without a semicolon.
func Bare(query, schema string) string {
	return strings.TrimSuffix(strings.TrimSpace(InSchema(query, schema)), ";")
}

// InSchema replaces {schema} in a query by the name of a workspace's schema, and {raw} by that of its raw schema.
func InSchema(query, schema string) string {
	return strings.NewReplacer("{schema}", duck.Name(schema), "{raw}", duck.Name(duck.RawSchema(schema))).Replace(query)
}

// StoredSchema is the schema of a workspace that has a table: the workspace's own, or its raw schema.
func StoredSchema(workspace string, t transform.Table) string {
	if t.Raw {
		return duck.RawSchema(workspace)
	}
	return workspace
}

// Stored is the quoted name of a stored table of a workspace.
func Stored(schema string, t transform.Table) string {
	return duck.Table(StoredSchema(schema, t), t.Name)
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

// Separator separates keys that a query gets as one text. A key with this character is left out of such a query.
const Separator = "\x1f"

// Instant is a time as SQL, independent of the session's time zone.
func Instant(t time.Time) string {
	return duck.Text(t.UTC().Format("2006-01-02 15:04:05.999999")+"+00") + "::TIMESTAMPTZ"
}

// ExactInDouble is the condition that a double holds a whole number exactly.
const ExactInDouble = " BETWEEN -9007199254740992 AND 9007199254740992"
