package oracletest

import (
	"encoding/json"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// Table is a published table, with the stream of the oracle that it must equal.
type Table struct {
	Name    string
	Oracle  string   // stream of the oracle
	Columns []string // of the oracle; in a child table, that of the parent's key comes first; after a colon follows the column here, where its name differs
	Of      string   // relation to query; "": the table itself
	Items   string   // column of the oracle with the list or object whose items are the rows, with dots for a path; "": the oracle's rows are the rows
	Where   func(row map[string]any) bool
}

// CompareTables compares tables with the oracle at this moment. edit, which may be nil, changes the oracle's rows first, as a test changed the
// answers on the wire.
func CompareTables(t testing.TB, space *emulator.Workspace, file string, edit func(table Table, rows []map[string]any) []map[string]any, tables ...Table) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareTables(space, edit, tables) })
}

// CompareTables is the function CompareTables for a file that may be open already.
func (a *OpenFile) CompareTables(t testing.TB, space *emulator.Workspace, file string, edit func(table Table, rows []map[string]any) []map[string]any, tables ...Table) {
	t.Helper()
	a.openFor(t, file).compareTables(space, edit, tables)
}

func (f publishedFile) compareTables(space *emulator.Workspace, edit func(table Table, rows []map[string]any) []map[string]any, tables []Table) {
	f.Helper()
	for _, table := range tables {
		rows := space.Oracle(table.Oracle)
		if edit != nil {
			rows = edit(table, rows)
		}
		var ours, theirs, want []string
		for _, c := range table.Columns {
			their, our, found := strings.Cut(c, ":")
			if !found {
				our = their
			}
			ours, theirs = append(ours, our), append(theirs, their)
		}
		for _, row := range rows {
			if table.Where != nil && !table.Where(row) {
				continue
			}
			for _, item := range table.expandRow(f.TB, row) {
				values := make([]any, len(theirs))
				for i, name := range theirs {
					values[i] = item[name]
				}
				want = append(want, joinValues(values))
			}
		}
		from := table.Of
		if from == "" {
			from = table.Name
		}
		query := "SELECT " + strings.Join(ours, ", ") + " FROM " + from
		CompareRows(f.TB, table.Name, f.selectRows(query), want)
	}
}

// expandRow returns the rows that one of the oracle's rows stands for. A row of a list has the fields of its item, the item itself as item, its
// key in an object as key, and the fields of the oracle's row with "parent." before them.
func (t Table) expandRow(tb testing.TB, row map[string]any) (list []map[string]any) {
	if t.Items == "" {
		return []map[string]any{row}
	}
	path := strings.Split(t.Items, ".")
	text, _ := row[path[0]].(string)
	if text == "" {
		return nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		tb.Fatalf("%s: %v", t.Items, err)
	}
	for _, name := range path[1:] {
		value = value.(map[string]any)[name]
	}
	items, _ := value.([]any)
	if entries, ok := value.(map[string]any); ok {
		for key, entry := range entries {
			if one, ok := entry.(map[string]any); ok {
				one["key"] = key
				items = append(items, one)
			}
		}
	}
	for _, item := range items {
		one, ok := item.(map[string]any)
		if !ok {
			one = map[string]any{"item": item}
		}
		for name, value := range one {
			if _, nested := value.(map[string]any); nested {
				text, err := json.Marshal(value)
				if err != nil {
					tb.Fatal(err)
				}
				one[name] = string(text)
			}
		}
		for name, value := range row {
			one["parent."+name] = value
		}
		list = append(list, one)
	}
	return list
}
