package duck

import (
	"cmp"
	"slices"
	"strings"
)

// RequireSchemas refuses a SELECT that reads a table without naming its schema, as *Refused. DuckDB would read the table of schema main, where
// that has one with the same name. Names that the SELECT defines with WITH, and views of DuckDB, have no schema.
func (d *DB) RequireSchemas(query string) error {
	tree, at, err := d.parseSelect(query)
	if err != nil || tree == nil {
		return err
	}
	var found tableNames
	found.collect(tree)
	j := &statementCheck{functionRules: defaultRules(), statement: query, from: at}
	slices.SortFunc(found.schemaless, func(a, b map[string]any) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	for _, part := range found.schemaless {
		name, _ := part["table_name"].(string)
		if _, isView, _ := j.ruleFor("view", name); !isView && !found.defined[strings.ToLower(name)] {
			return j.locateRefusal(part, Refused{Name: name, View: true, Reason: "has no schema; write {schema}." + name + ", or {models}." + name + " for a model"})
		}
	}
	return nil
}

// placeOf is the place of a part of a parse tree in the text.
func placeOf(part map[string]any) float64 {
	at, _ := part["query_location"].(float64)
	return at
}

// tableNames are names in a parse tree.
type tableNames struct {
	defined    map[string]bool  // by WITH, in small letters
	schemaless []map[string]any // the places that read a table without a schema
}

func (n *tableNames) collect(part any) {
	switch part := part.(type) {
	case []any:
		for _, one := range part {
			n.collect(one)
		}
	case map[string]any:
		if key, ok := part["key"].(string); ok {
			if value, _ := part["value"].(map[string]any); value["query"] != nil {
				if n.defined == nil {
					n.defined = map[string]bool{}
				}
				n.defined[strings.ToLower(key)] = true
			}
		}
		if part["type"] == "BASE_TABLE" && part["schema_name"] == nil {
			n.schemaless = append(n.schemaless, part)
		}
		for _, one := range part {
			n.collect(one)
		}
	}
}
