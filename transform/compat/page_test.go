package compat_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/compat"
)

var update = flag.Bool("update", false, "write the tables of docs/moving.md anew")

const page = "../../docs/moving.md"

// TestThePageOfMovingHasEveryColumn holds the tables of docs/moving.md to the views, and to the columns of the other connector.
func TestThePageOfMovingHasEveryColumn(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(page)
	must(t, err)
	want := replaceSection(t, string(text), "fivetran", viewTables(t))
	want = replaceSection(t, want, "airbyte", streamTables(t))
	if *update {
		must(t, os.WriteFile(page, []byte(want), 0o644))
	} else if want != string(text) {
		t.Errorf("%s is not what the views and testdata/airbyte.csv say: make docs", page)
	}
}

// replaceSection replaces what a page has between the marks of a section.
func replaceSection(t *testing.T, text, name, content string) string {
	t.Helper()
	mark := "<!-- made by make docs: " + name + " -->\n"
	before, rest, found := strings.Cut(text, mark)
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !found || !ended {
		t.Fatalf("%s has no section %s", page, name)
	}
	return before + mark + content + "<!-- end -->" + after
}

// viewTables has a table for each view: its columns, their types, and where their values are stored.
func viewTables(t *testing.T) string {
	f := openShared(t)
	views, err := compat.Views(func(string) bool { return false })
	must(t, err)
	var text strings.Builder
	for _, v := range views {
		fmt.Fprintf(&text, "\n#### %s\n\n%s From `%s`.\n\n| column | type | here | meaning |\n|---|---|---|---|\n", v.Name, v.Doc, strings.Join(f.sourcesOf(v), "`, `"))
		for _, row := range f.rowTexts("SELECT printf('%02d', column_index), column_name, lower(data_type), comment FROM duckdb_columns() WHERE schema_name = 'fivetran' AND table_name = '" +
			v.Name + "' AND NOT starts_with(column_name, '_fivetran_')") {
			cells := strings.SplitN(row, "|", 4)
			fmt.Fprintf(&text, "| `%s` | %s | %s | %s |\n", cells[1], cells[2], f.storedColumn(v, cells[1]), cells[3])
		}
	}
	return text.String() + "\n"
}

// sourcesOf are the stored tables and relations that a view reads.
func (f *testFile) sourcesOf(v schemas.Relation) (all []string) {
	for _, rest := range strings.Split(v.SQL, "{schema}.")[1:] {
		name := strings.FieldsFunc(rest, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })[0]
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// storedColumn names the stored column that a column of a view shows; a dash where it has none.
func (f *testFile) storedColumn(v schemas.Relation, column string) string {
	name := column
	for _, c := range v.Columns {
		if c.Name == column && c.From != "" {
			name = c.From
		}
	}
	sources := f.sourcesOf(v)
	if n := f.number("SELECT count(*) FROM duckdb_columns() WHERE schema_name = 'main' AND column_name = '" + name + "' AND table_name IN ('" + strings.Join(sources, "', '") + "')"); n == 0 {
		return "–"
	}
	return "`" + name + "`"
}

// streamTables has a table for each stream of the other connector: its columns that have other names here.
func streamTables(t *testing.T) string {
	text, err := os.ReadFile("testdata/airbyte.csv")
	must(t, err)
	records, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	must(t, err)
	stored := storedNames(t)
	var page strings.Builder
	last := ""
	for i, r := range records[1:] {
		stream, column, here := r[0], r[1], strings.Fields(r[2])
		main := tableOf[stream]
		if stream != last {
			same := slices.IndexFunc(records[1:], func(r []string) bool { return r[0] == stream && r[2] == main+"."+r[1] }) >= 0
			if last = stream; !same {
				t.Errorf("no column of %s has the same name in %s", stream, main)
			}
			fmt.Fprintf(&page, "\n#### %s: here `%s`\n\n| column | here |\n|---|---|\n", stream, main)
		}
		for _, name := range here {
			if !stored[name] {
				t.Errorf("line %d of testdata/airbyte.csv: no stored column or view is called %s", i+2, name)
			}
		}
		if len(here) == 1 && here[0] == main+"."+column {
			continue
		}
		names := "–"
		if len(here) > 0 {
			names = "`" + strings.Join(here, "`, `") + "`"
		}
		fmt.Fprintf(&page, "| `%s` | %s |\n", column, strings.ReplaceAll(names, "`"+main+".", "`"))
	}
	return page.String() + "\n"
}

// tableOf is our table with most columns of a stream of the other connector.
var tableOf = map[string]string{
	"activity_logs": "admin_activity_logs", "admins": "admins", "companies": "companies", "company_attributes": "data_attributes", "company_segments": "segments",
	"contact_attributes": "data_attributes", "contacts": "contacts", "conversation_parts": "conversation_parts", "conversations": "conversations",
	"segments": "segments", "tags": "tags", "teams": "teams", "tickets": "tickets",
}

// storedNames are the columns of all streams and their child tables as table.column, groups of columns as table.prefix_*, and the views of attributes.
func storedNames(t *testing.T) map[string]bool {
	t.Helper()
	c, err := schemas.Builtin()
	must(t, err)
	all := map[string]bool{}
	add := func(table string, columns []schemas.Column) {
		for _, column := range columns {
			prefix, _, _ := strings.Cut(column.Name, "_")
			all[table+"."+column.Name], all[table+"."+prefix+"_*"] = true, true
			all[table+"_attributes"] = all[table+"_attributes"] || column.Attributes != ""
		}
	}
	for _, s := range c.Streams() {
		add(s.Name, s.Columns)
		for _, child := range s.Children {
			table := strings.TrimSuffix(child.Table, "_raw") // a relation has its rows
			add(table, child.Columns)
			for _, key := range child.Key {
				all[table+"."+key] = true
			}
		}
	}
	return all
}
