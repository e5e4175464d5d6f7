package oracletest

import (
	"encoding/json"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// Table is a published table and what the oracle says that it holds.
type Table struct {
	Name    string
	Oracle  string   // stream of the oracle
	Columns []string // of the oracle, that of a table below another begins with the other's key; what stands for it here follows after a colon, where it has another name
	Of      string   // relation to ask; "": the table itself
	Items   string   // column of the oracle, with dots for a list in an object, whose list's items, or object's objects, are the rows; "": its rows are
	Where   func(row map[string]any) bool
}

// CompareTables compares tables with what the oracle says now. edit, which may be nil, is given the oracle's rows first: what was
// done to the answers on their way.
func CompareTables(t testing.TB, space *emulator.Workspace, file string, edit func(table Table, rows []map[string]any) []map[string]any, tables ...Table) {
	t.Helper()
	withPublished(t, file, func(f publishedFile) { f.compareTables(space, edit, tables) })
}

// CompareTables is CompareTables of a file that may be open already.
func (a *Asked) CompareTables(t testing.TB, space *emulator.Workspace, file string, edit func(table Table, rows []map[string]any) []map[string]any, tables ...Table) {
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

// expandRow are the rows that one of the oracle's rows stands for. Those of a list have the fields of their item, the item itself as
// item, its key in an object as key, and what the oracle's row has with "parent." before.
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
