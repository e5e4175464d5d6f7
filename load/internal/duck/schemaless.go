package duck

import (
	"cmp"
	"slices"
	"strings"
)

// MarkPlaceholders replaces the placeholders of schemas in a model by names that no schema has, for RequireSchemas.
func MarkPlaceholders(query string) string {
	return strings.NewReplacer("{schema}", `"?schema"`, "{models}", `"?models"`, "{raw}", `"?raw"`).Replace(query)
}

// RequireSchemas refuses a model that reads a table without a placeholder of MarkPlaceholders before it, as *Refused. DuckDB would read a table of
// one workspace in the models of all. Names that the SELECT defines with WITH, and views of DuckDB, have no schema.
func (d *DB) RequireSchemas(query string) error {
	tree, at, err := d.parseSelect(query)
	if err != nil || tree == nil {
		return err
	}
	var found tableNames
	found.collect(tree)
	j := &statementCheck{functionRules: defaultRules(), statement: query, from: at}
	slices.SortFunc(found.tables, func(a, b map[string]any) int { return cmp.Compare(placeOf(a), placeOf(b)) })
	for _, part := range found.tables {
		name, _ := part["table_name"].(string)
		schema, _ := part["schema_name"].(string)
		_, isView, _ := j.ruleFor("view", name)
		write := "write {schema}." + name + ", or {models}." + name + " for a model"
		switch {
		case schema == "" && !isView && !found.defined[strings.ToLower(name)]:
			return j.locateTable(part, Refused{Name: name, View: true, Whole: "table " + name + " has no schema: " + write})
		case schema != "" && !strings.HasPrefix(schema, "?") && !slices.Contains(ownSchemas, strings.ToLower(schema)):
			return j.locateTable(part, Refused{Name: schema + "." + name, View: true,
				Whole: schema + "." + name + " names one schema, which the models of every workspace would read: " + write})
		}
	}
	return nil
}

// ownSchemas are schemas that all workspaces share.
var ownSchemas = []string{"_sync", "information_schema", "pg_catalog"}

// locateTable adds the place of a table to its refusal, with the placeholders as the model has them.
func (j *statementCheck) locateTable(part map[string]any, r Refused) *Refused {
	before := j.statement[:min(max(j.from+int(placeOf(part)), 0), len(j.statement))]
	r.Before = strings.NewReplacer(`"?schema"`, "{schema}", `"?models"`, "{models}", `"?raw"`, "{raw}").Replace(before[strings.LastIndexByte(before, '\n')+1:])
	return j.locateRefusal(part, r)
}

// placeOf is the place of a part of a parse tree in the text.
func placeOf(part map[string]any) float64 {
	at, _ := part["query_location"].(float64)
	return at
}

// tableNames are names in a parse tree.
type tableNames struct {
	defined map[string]bool  // by WITH, in lower-case letters
	tables  []map[string]any // the places that read a table
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
		if part["type"] == "BASE_TABLE" {
			n.tables = append(n.tables, part)
		}
		for _, one := range part {
			n.collect(one)
		}
	}
}
