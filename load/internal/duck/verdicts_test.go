package duck

import (
	"database/sql"
	"encoding/json"
	"strings"
	"testing"
)

// kinds are the words of functions.txt for the types of duckdb_functions().
var kinds = map[string]string{"scalar": "scalar", "aggregate": "scalar", "macro": "scalar", "table": "table", "table_macro": "table", "pragma": "pragma"}

// TestS49EveryFunctionOfDuckDBHasARule fails with a DuckDB that has a function which functions.txt neither allows nor
// refuses: a person looks at it and adds it there. It also fails for a name in functions.txt that DuckDB lacks.
func TestS49EveryFunctionOfDuckDBHasARule(t *testing.T) {
	t.Parallel()
	db, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version string
	if err := db.Scan(t.Context(), "SELECT version()", nil, &version); err != nil || !strings.Contains(functionList, "of DuckDB "+version+".") {
		t.Errorf("functions.txt is not of DuckDB %s (%v)", version, err)
	}
	v, seen := parseFunctionRules(functionList), map[string]bool{}
	look := func(kind, name, definition string) {
		seen[strings.ToLower(name)] = true
		_, allowed, known := v.ruleFor(kind, name)
		if !known {
			t.Errorf("DuckDB has the %s %s: look at what it does, then write it into functions.txt", kind, name)
		}
		if !allowed || definition == "" {
			return
		}
		if definition = strings.TrimSuffix(definition, ";"); !strings.HasPrefix(definition, "SELECT") && !strings.HasPrefix(definition, "WITH") && !strings.HasPrefix(definition, "(SELECT") {
			definition = "SELECT " + definition
		}
		p, err := db.parseFrom(definition)
		if err != nil || p.Error || len(p.Statements) != 1 {
			t.Errorf("%s %s cannot be parsed: %v %s: %s", kind, name, err, p.Message, definition)
			return
		}
		var tree any
		j := &statementCheck{functionRules: v, statement: definition}
		if err := json.Unmarshal(p.Statements[0], &tree); err != nil {
			t.Fatal(err)
		}
		if err := j.checkTree(tree, "scalar"); err != nil {
			t.Errorf("%s %s is allowed: %v", kind, name, err)
		}
	}
	const functions = "SELECT DISTINCT function_type, function_name, coalesce(macro_definition, '') FROM duckdb_functions()"
	err = db.Each(t.Context(), functions, nil, func(rows *sql.Rows) error {
		var kind, name, definition string
		if err := rows.Scan(&kind, &name, &definition); err != nil {
			return err
		}
		if kinds[kind] == "" {
			t.Errorf("DuckDB has %ss, as %s: functions.txt has no word for them", kind, name)
		}
		look(kinds[kind], name, definition)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.Each(t.Context(), "SELECT view_name, sql FROM duckdb_views() WHERE internal", nil, func(rows *sql.Rows) error {
		var name, definition string
		err := rows.Scan(&name, &definition)
		if _, definition, _ = strings.Cut(definition, " AS "); err == nil {
			look("view", name, definition)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key := range v.allowed {
		if _, name, _ := strings.Cut(key, " "); !seen[name] && !strings.HasSuffix(key, "...") {
			t.Errorf("functions.txt allows %s, which DuckDB has not", key)
		}
	}
	for key, reason := range v.refused {
		if _, name, _ := strings.Cut(key, " "); !seen[name] && !strings.HasSuffix(key, "...") || reason == "" || v.allowed[key] {
			t.Errorf("functions.txt refuses %s, which DuckDB has not, or without a reason, or allows it too", key)
		}
	}
}
