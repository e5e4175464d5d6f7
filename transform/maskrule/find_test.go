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

// TestAMisspelledFieldOfAnObjectIsRefused has names that mask something that is stored, and names of which no column, JSON or list is made.
func TestAMisspelledFieldOfAnObjectIsRefused(t *testing.T) {
	t.Parallel()
	s := &schemas.Stream{
		Name: "things", Table: "things", Key: []string{"id"}, Ignore: [][]string{{"place", "type"}},
		Columns: []schemas.Column{
			{Name: "id", Type: schemas.Text, From: []string{"id"}}, {Name: "place_country", Type: schemas.Text, From: []string{"place", "country"}},
			{Name: "more", Type: schemas.JSON, From: []string{"more"}},
		},
		Children: []schemas.Child{{Table: "parts", From: []string{"list", "data"}, Columns: []schemas.Column{{Name: "body", Type: schemas.Text, From: []string{"text"}}}}},
	}
	for name, right := range map[string]bool{
		"place": true, "place.country": true, "place_country": true, "more.anything": true, "list": true, "list.data.text": true, "parts.body": true,
		"place.type": true, "_extra.place.contry": true, "id": true,
		"place.contry": false, "list.data.txt": false, "list.dat.text": false, "id.x": false, "parts.bdy": false,
	} {
		if err := CheckDeclared(s, name); (err == nil) != right {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, want := ListNames(s), []string{"id", "place_country", "place.country", "more", "parts.body", "list.data.text"}; !cmp.Equal(got, want) {
		t.Errorf("the names are %q, not %q", got, want)
	}
}
