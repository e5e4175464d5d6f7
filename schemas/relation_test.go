package schemas

import (
	"slices"
	"strings"
	"testing"
)

func TestPublishedRelationsAreDocumentedAndKeepTheirComments(t *testing.T) {
	t.Parallel()
	all, err := loadBuiltins(t).Relations("contact_lifecycle")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Name)
		if r.Doc == "" || strings.HasSuffix(r.SQL, ";") || !strings.Contains(r.SQL, "{schema}.") {
			t.Errorf("got %+v", r)
		}
		for _, c := range r.Columns {
			if c.Doc == "" {
				t.Errorf("%s.%s: no doc", r.Name, c.Name)
			}
		}
	}
	for _, name := range []string{"contacts", "contacts_inactive", "contacts_all", "contact_identity", "contact_tags"} {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+name+" ") {
			t.Errorf("no relation %s in %v", name, names)
		}
	}
	if _, err := loadBuiltins(t).Relations("nothing"); err == nil {
		t.Error("relations of nothing")
	}
}

func TestAColumnMayHaveAnotherNameInItsSource(t *testing.T) {
	t.Parallel()
	all, err := ParseRelations("x.sql", "-- relation: a (view)\n-- doc: A.\n-- column b: Bees.\n-- column c from sea: Seas, from: all.\nSELECT 1\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := all[0].Columns, []RelationColumn{{Name: "b", Doc: "Bees."}, {Name: "c", Doc: "Seas, from: all.", From: "sea"}}; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestACommentAboveTheSelectMaySayAnything(t *testing.T) {
	t.Parallel()
	all, err := ParseRelations("x.sql", "-- relation: a (view)\n-- Who asked: the finance team.\n-- doc: A.\n\n-- see also: b\n-- key: id\nSELECT id -- note: no key\nFROM b\n")
	if err != nil {
		t.Fatal(err)
	}
	if got := all[0]; got.Doc != "A." || !slices.Equal(got.Key, []string{"id"}) || got.SQL != "SELECT id -- note: no key\nFROM b" || got.Line != 7 {
		t.Errorf("got %+v", got)
	}
}

func TestBadRelationsAreReportedWithTheirPosition(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"none", "-- nothing\n", "x.sql: error: no -- relation: line"},
		{"SQL first", "SELECT 1\n-- relation: a (view)\n", "x.sql:1:1: error: the file must begin with -- relation: NAME (view), then -- doc: what one row is (docs/models.md#your-own-models)"},
		{"SQL alone", "SELECT 1\n", "x.sql:1:1: error: the file must begin with -- relation: NAME (view), then -- doc: what one row is (docs/models.md#your-own-models)\n\n1 error in x.sql"},
		{"kind and SQL", "-- relation: a (macro)\n-- doc: A.\nSELECT 1\n", "x.sql:1:1: error: a relation is (view) or (table), not (macro)\n    1 | -- relation: a (macro)\n      | ^\n\n1 error in x.sql"},
		{"kind", "-- relation: a (incremental)\n", "x.sql:1:1: error: a relation is (view) or (table), not (incremental)"},
		{"no kind", "-- relation: by_role\n", "x.sql:1:1: error: after the name is (view) or (table): -- relation: by_role (view)"},
		{"no name", "-- relation: My Model (view)\n", `x.sql:1:1: error: a name is lower-case letters, digits and _, beginning with a letter: "My Model" is not`},
		{"spaces", "-- relation:  a (view)\n", "x.sql:1:1: error: write the line with single spaces, and nothing after it: -- relation: a (view)"},
		{"no SELECT", "-- relation: a (view)\n-- doc: A.\n-- relation: b (view)\n-- doc: B.\nSELECT 1\n", `x.sql:1:1: error: relation "a" has no SELECT`},
		{"no doc", "-- relation: a (view)\nSELECT 1\n", `x.sql:1:1: error: relation "a" has no line -- doc: what one row is`},
		{"twice", "-- relation: a (view)\n-- doc: A.\nSELECT 1\n-- relation: a (table)\n-- doc: A.\nSELECT 2\n", `x.sql:4:1: error: relation "a" is defined twice`},
		{"union of nothing", "-- relation: a (view)\n-- union: b, c\n-- doc: A.\nSELECT 1\n-- relation: b (view)\n-- doc: B.\nSELECT 1\n",
			`x.sql:1:1: error: relation "a" is a union with "c", which is not another relation of this file`},
		{"misspelled key", "-- relation: a (view)\n-- doc: A.\n-- keys: id\nSELECT 1\n", "x.sql:3:1: error: unknown line \"-- keys:\"\n    3 | -- keys: id\n      | ^ did you mean \"-- key: id\"?"},
		{"misspelled column", "-- relation: a (view)\n-- doc: A.\n-- clumn id: Id.\nSELECT 1\n", "x.sql:3:1: error: unknown line \"-- clumn id:\"\n    3 | -- clumn id: Id.\n      | ^ did you mean \"-- column NAME: its meaning\"?"},
		{"empty key", "-- relation: a (view)\n-- doc: A.\n-- key:\nSELECT 1\n", `x.sql:3:1: error: unknown line "-- key:"`},
		{"two columns", "-- relation: a (view)\n-- doc: A.\n-- column id: Id.\n-- column id: Name.\nSELECT 1\n", `x.sql:4:1: error: column "id" is described twice`},
		{"two keys", "-- relation: a (view)\n-- doc: A.\n-- key: id\n-- key: b\nSELECT 1\n", `x.sql:4:1: error: relation "a" has two lines "-- key:"`},
		{"key below the SELECT", "-- relation: a (view)\n-- doc: A.\nSELECT 1\n-- key: id\n",
			"x.sql:4:1: error: the line \"-- key:\" is below the SELECT, where it is a comment\n    4 | -- key: id\n      | ^ move it above the SELECT"},
		{"rows of another table", "-- relation: a (view)\n-- rows of: b_raw, c_raw\n-- doc: A.\nSELECT * FROM {raw}.b_raw\n", `x.sql:1:1: error: relation "a" has rows of "c_raw", which no relation of this file reads`},
		{"changed by without a key", "-- relation: a (table)\n-- changed by: b.id\n-- doc: A.\nSELECT 1\n", `x.sql:1:1: error: relation "a" has a changed by line and no key line`},
		{"changed by a table", "-- relation: a (table)\n-- key: id\n-- changed by: b\n-- doc: A.\nSELECT 1\n", `relation "a" is changed by "b", which is not like conversations.id`},
		{"changed by another table", "-- relation: a (table)\n-- key: id\n-- changed by: b.id\n-- doc: A.\nSELECT * FROM {schema}.b JOIN {schema}.bb USING (id)\n",
			`relation "a" reads {schema}.bb, which is not in its changed by line`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := ParseRelations("x.sql", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
