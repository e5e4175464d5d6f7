package maskrule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"aqueduck/schemas"
)

// TestANameMeansEachPlaceOfItsValue has an object whose entries are rows, a column for one entry, and a list that comes in two places.
func TestANameMeansEachPlaceOfItsValue(t *testing.T) {
	t.Parallel()
	column := func(name string, is schemas.Type, from ...string) schemas.Column {
		return schemas.Column{Name: name, Type: is, From: from}
	}
	s := &schemas.Stream{
		Name: "things", Table: "things", Absent: "gone", Key: []string{"id"},
		Columns: []schemas.Column{column("id", schemas.Text, "id"), column("title", schemas.Text, "more", "title"), column("more", schemas.JSON, "more")},
		Children: []schemas.Child{
			{Table: "thing_more", From: []string{"more"}, Entries: true, Columns: []schemas.Column{column("name", schemas.Text, schemas.FromKey), column("value", schemas.JSON, schemas.FromItem)}},
			{Table: "parts", From: []string{"parts"}, Or: [][]string{{"old", "parts"}}, Columns: []schemas.Column{column("title", schemas.Text, schemas.FromParent, "title"), column("body", schemas.Text, "body")}},
		},
	}
	field := func(table, name string, path ...string) Rule {
		return Rule{Table: table, Column: name, Path: path, Hash: true}
	}
	entry := func(p Rule) Rule {
		p.KeyColumn, p.Key = "name", "title"
		return p
	}
	for name, want := range map[string][]Rule{
		"title": {
			field("things_all", "_extra", "more", "title"), field("things_all", "title"), field("things_all", "more", "title"),
			entry(field("thing_more", "_extra", "*")), entry(field("thing_more", "value")), field("parts", "title"),
		},
		"parts.body": {
			field("things_all", "_extra", "parts", "body"), field("things_all", "_extra", "old", "parts", "body"),
			field("parts", "_extra", "body"), field("parts", "body"),
		},
	} {
		got, err := Find(s, name, true)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	for _, name := range []string{"parts.title", "thing_more.name", "unknown"} {
		if got, err := Find(s, name, true); err == nil {
			t.Errorf("%s means %v", name, got)
		}
	}
}
