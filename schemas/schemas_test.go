package schemas

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"aqueduck/internal/goldentest"
	"aqueduck/internal/grammar"
)

func loadBuiltins(t testing.TB) *Catalogue {
	t.Helper()
	c, err := Builtin()
	if err != nil {
		t.Fatal("\n" + err.Error())
	}
	return c
}

func mustStream(t testing.TB, c *Catalogue, name string) *Stream {
	t.Helper()
	s, ok := c.Stream(name)
	if !ok {
		t.Fatalf("no stream %s", name)
	}
	return s
}

func TestEveryBuiltinTableAndColumnIsDocumented(t *testing.T) {
	t.Parallel()
	for _, s := range loadBuiltins(t).Streams() {
		if s.Doc == "" {
			t.Errorf("%s: no doc", s.Name)
		}
		checkDocumented(t, s.Table, s.Columns)
		for _, child := range s.Children {
			if child.Doc == "" {
				t.Errorf("%s: no doc", child.Table)
			}
			checkDocumented(t, child.Table, child.Columns)
		}
	}
}

func checkDocumented(t *testing.T, table string, columns []Column) {
	t.Helper()
	for _, c := range columns {
		if c.Doc == "" {
			t.Errorf("%s.%s: no doc", table, c.Name)
		}
		if len(c.From) == 0 {
			t.Errorf("%s.%s: comes from nowhere", table, c.Name)
		}
	}
}

func TestAnIdIsTextAndPointsToItsTable(t *testing.T) {
	t.Parallel()
	unowned := []string{"workspace_id", "external_id", "note_id", // no stream will ever have their rows
		"source_id", "attribute_id", "plan_id", "scorecard_id", "evaluator_id", "monitor_id", "hitl_cycle_id", "rule_id",
		"role_id", "default_address_settings_id", "audience_id", "reference_object_type_id", "option_id", "topic_id", "subtopic_id", "reference_id",
		"author_id", "source_author_id", "assigned_to_id", "rating_teammate_id", "object_id", "parent_id", "teammate_id"} // or a type beside them says which stream
	for _, s := range loadBuiltins(t).Streams() {
		for _, columns := range slices.Concat([][]Column{s.Columns}, childColumns(s)) {
			for _, c := range columns {
				if c.Name != "id" && !strings.HasSuffix(c.Name, "_id") {
					continue
				}
				if c.Type != Text {
					t.Errorf("%s.%s is %s", s.Name, c.Name, c.Type)
				}
				if c.Name != "id" && c.References == "" && !slices.Contains(unowned, c.Name) {
					t.Errorf("%s.%s points nowhere", s.Name, c.Name)
				}
			}
		}
	}
}

func childColumns(s *Stream) (all [][]Column) {
	for _, c := range s.Children {
		all = append(all, c.Columns)
	}
	return all
}

func TestAStreamLikeAnotherHasItsTablesUnderItsOwnSuffix(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	model, s := mustStream(t, c, "contacts"), mustStream(t, c, "contacts_by_id")
	if model.Table != "contacts_raw" || s.Table != "contacts_by_id" || !model.Internal || !s.Internal {
		t.Errorf("got %s, %s", model.Table, s.Table)
	}
	if diff := cmp.Diff(model.Columns, s.Columns[:len(model.Columns)]); diff != "" {
		t.Error(diff)
	}
	if last := s.Columns[len(s.Columns)-1]; len(s.Columns) != len(model.Columns)+1 || last.Name != "read_at" || last.From[0] != FromReadAt {
		t.Errorf("got %+v", last)
	}
	if diff := cmp.Diff(model.Key, s.Key); diff != "" || s.Newest != model.Newest {
		t.Error(diff, s.Newest)
	}
	var tables []string
	for _, child := range s.Children {
		tables = append(tables, child.Table)
	}
	want := []string{"contact_tags_by_id", "contact_notes_by_id", "contact_companies_by_id", "contact_social_profiles_by_id",
		"contact_opted_in_subscription_types_by_id", "contact_opted_out_subscription_types_by_id", "contact_merge_history_by_id"}
	if diff := cmp.Diff(want, tables); diff != "" {
		t.Error(diff)
	}
	if s.Read.Records != nil || s.Read.Over == nil || !strings.Contains(s.Read.Over.SQL, "{schema}.") {
		t.Errorf("got %+v", s.Read)
	}
}

// TestAChildOfAStreamLikeAnotherHasTheInheritedKey, which it need not declare.
func TestAChildOfAStreamLikeAnotherHasTheInheritedKey(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	err := c.AddStream("tags_twice.yaml", []byte(`stream: tags_twice
read: {endpoint: GET /tags, records: data, page: {by: none}, since: {by: full}}
like: tags
suffix: _twice
children: [{table: tag_uses, from: uses, key: [tag_id, use], columns: [{name: use, from: $item, type: text}]}]
`))
	if err != nil {
		t.Fatal(err)
	}
	child := mustStream(t, c, "tags_twice").Children[0]
	if from := child.Columns[0].From; child.Table != "tag_uses_twice" || child.Columns[0].Name != "tag_id" || !slices.Equal(from, []string{FromParent, "id"}) {
		t.Errorf("%s: %+v", child.Table, child.Columns)
	}
}

func TestAChildHasItsParentsKeyFirst(t *testing.T) {
	t.Parallel()
	tags := mustStream(t, loadBuiltins(t), "contacts").Children[0]
	want := Column{
		Name: "contact_id", From: []string{FromParent, "id"}, Type: Text, Required: true, Person: true,
		Doc: "The contacts row it belongs to.", References: "contacts.id",
	}
	if diff := cmp.Diff(want, tags.Columns[0]); diff != "" {
		t.Error(diff)
	}
	if !tags.Complete || tags.Key[0] != "contact_id" || !tags.Columns[1].Required {
		t.Errorf("got %+v", tags)
	}
}

// Holds: T30.
func TestEachBadStreamFileIsReportedWithItsPosition(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 35 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	c := loadBuiltins(t) // a refused file does not change it, so that all cases can share it
	before := c.Names()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var mistakes grammar.Mistakes
			if err := c.AddStream(filepath.Base(file), text); !errors.As(err, &mistakes) {
				t.Fatalf("got %v, want mistakes", err)
			}
			if diff := cmp.Diff(before, c.Names()); diff != "" {
				t.Errorf("the catalogue has changed: %s", diff)
			}
			goldentest.Compare(t, strings.TrimSuffix(file, ".yaml")+".txt", mistakes.Format())
		})
	}
}

func TestStreamFilesMayReferToEachOtherInAnyOrder(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	dir := fstest.MapFS{
		"ids.sql":    {Data: []byte("SELECT id FROM {schema}.things_raw")},
		"things.sql": {Data: []byte("-- relation: things (view)\n-- doc: One row per thing.\n-- column id: Thing id.\n\nSELECT *\nFROM {schema}.things_raw;\n")},
	}
	err := c.AddFiles(
		File{Name: "a.yaml", Dir: dir, Text: []byte(`
stream: more_things
like: things
suffix: _more
with: things
read: {endpoint: "GET /things/{id}", records: itself, page: {by: none}, since: {by: full}, over: {view: ids.sql, after: [things]}}
`)},
		File{Name: "b.yaml", Dir: dir, Text: []byte(`
stream: things
read: {endpoint: GET /things, records: [things, data], query: {all: true, kind: x}, page: {by: none}, since: {by: full}}
suffix: _raw
publish_as: things
key: [id]
columns: [{name: id, type: text}]
`)})
	if err != nil {
		t.Fatal(err)
	}
	if s := mustStream(t, c, "more_things"); s.Table != "things_more" || s.Columns[0].Name != "id" || s.Read.Over.SQL == "" {
		t.Errorf("got %+v", s)
	}
	if diff := cmp.Diff([]Param{{"all", "true"}, {"kind", "x"}}, mustStream(t, c, "things").Read.Query); diff != "" {
		t.Error(diff)
	}
	got, err := c.Relations("things")
	want := []Relation{{Name: "things", Kind: "view", Doc: "One row per thing.", Columns: []RelationColumn{{Name: "id", Doc: "Thing id."}}, SQL: "SELECT *\nFROM {schema}.things_raw", File: "things.sql", Line: 5}}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Relation{})); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestMistakesOfAllFilesComeAtOnce(t *testing.T) {
	t.Parallel()
	err := loadBuiltins(t).AddFiles(
		File{Name: "a.yaml", Text: []byte("stream: a\nread: x\n")},
		File{Name: "b.yaml", Text: []byte("stram: b\n")},
		File{Name: "c.yaml", Text: []byte("[")})
	var mistakes grammar.Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatal(err)
	}
	for _, file := range []string{"a.yaml", "b.yaml", "c.yaml"} {
		if !slices.ContainsFunc(mistakes, func(m grammar.Mistake) bool { return m.File == file }) {
			t.Errorf("nothing of %s in %v", file, mistakes)
		}
	}
}

func TestDetailSaysHowARecordIsReadByItself(t *testing.T) {
	t.Parallel()
	c := loadBuiltins(t)
	err := c.AddStream("x.yaml", []byte(`
stream: talks
doc: One row per talk.
read:
  endpoint: POST /talks/search
  records: talks
  page: {by: cursor, in: body, size: 20}
  since: {by: search, field: updated_at}
  detail: {endpoint: "GET /talks/{id}", query: {a: "true"}, unless_same: [updated_at, stats.parts], refresh: {for: 14d, every: 7d}}
key: [id]
absent: gone
columns: [{name: id, type: text}, {name: updated_at, type: timestamp}, {name: parts, from: stats.parts, type: int}]
children:
  - table: talk_cards
    from: cards
    key: [talk_id, card_id]
    columns: [{name: card_id, from: id, type: text}]
    children:
      - table: talk_card_notes
        from: notes
        key: [talk_id, card_id, note_id]
        columns: [{name: note_id, from: id, type: text}]
`))
	if err != nil {
		t.Fatal(err)
	}
	s := mustStream(t, c, "talks")
	want := &Detail{
		Path: "/talks/{id}", Query: []Param{{"a", "true"}}, UnlessSame: [][]string{{"updated_at"}, {"stats", "parts"}},
		For: 14 * 24 * time.Hour, Every: 7 * 24 * time.Hour,
	}
	if diff := cmp.Diff(want, s.Read.Detail); diff != "" {
		t.Error(diff)
	}
	notes := s.Children[1]
	if notes.Within != "talk_cards" || !slices.Equal(s.PathOf(notes), []string{"cards", "notes"}) || !notes.Complete {
		t.Errorf("got %+v", notes)
	}
	wantColumns := []Column{
		{Name: "talk_id", From: []string{FromParent, "talk_id"}, Type: Text, Required: true, Doc: "The talk_cards row it belongs to.", References: "talks.id"},
		{Name: "card_id", From: []string{FromParent, "card_id"}, Type: Text, Required: true, Doc: "The talk_cards row it belongs to.", References: "talk_cards.card_id"},
		{Name: "note_id", From: []string{"id"}, Type: Text, Required: true},
	}
	if diff := cmp.Diff(wantColumns, notes.Columns); diff != "" {
		t.Error(diff)
	}
}

// TestT23T50T68T81NoBuiltinStreamUsesUncertainFeatures: the document does not show what merge history adds to a record, nor how the
// contacts of a company are paged. Translations rewrite texts, and a customer's dates mean other days under another version.
func TestT23T50T68T81NoBuiltinStreamUsesUncertainFeatures(t *testing.T) {
	t.Parallel()
	for _, s := range loadBuiltins(t).Streams() {
		query := slices.Clone(s.Read.Query)
		if s.Read.Detail != nil {
			query = append(query, s.Read.Detail.Query...)
		}
		for _, p := range query {
			if p.Name == "include_merge_history" || p.Name == "include_translations" {
				t.Errorf("%s asks for %s", s.Name, p.Name)
			}
		}
		if field := s.Read.Since.Field; field != "" && field != "updated_at" && field != "created_at" {
			t.Errorf("%s is read by %s", s.Name, field)
		}
		if strings.HasPrefix(s.Read.Path, "/companies/") && strings.HasSuffix(s.Read.Path, "/contacts") {
			t.Errorf("%s reads %s", s.Name, s.Read.Path)
		}
	}
}
