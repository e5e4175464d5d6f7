package publish_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/publish"
)

// testModel is a model of a test, from its file's third line on.
func testModel(name, kind, query string) publish.Relation {
	return publish.Relation{Name: name, Kind: kind, Doc: "One row per thing.", SQL: query, File: name + ".sql", Line: 3,
		Columns: []publish.Column{{Name: "n", Doc: "How many."}}}
}

func (h *publishFixture) withModels(models ...publish.Relation) publish.Result {
	h.t.Helper()
	s := h.runSpec()
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: models, Values: publish.Values{Timezone: "Asia/Tokyo"}}
	r := h.publishOnly(s)
	h.openRun()
	return r
}

func (h *publishFixture) modelNames() string {
	h.t.Helper()
	return strings.Join(firstColumn(h.t, h.dir, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'models' ORDER BY 1"), " ")
}

func TestModelsAreMadeInTheOrderOfTheirSQL(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"), newPerson("2", "b"))
	r := h.withModels(
		testModel("last", "view", "SELECT n + 1 AS n, name FROM {models}.middle"),
		testModel("middle", "table", "SELECT count(*) AS n, name FROM {models}.first GROUP BY ALL"),
		testModel("first", "view", "SELECT * FROM {schema}.people"),
		testModel("zoned", "view", "SELECT extract(hour FROM timezone({timezone}, TIMESTAMPTZ '2026-11-01 00:00:00Z')) AS n"),
		testModel("without_source", "view", "SELECT * FROM {schema}.nothing"),
		testModel("without_model", "view", "SELECT * FROM {models}.without_source"),
	)
	if len(r.FailedModels) != 0 {
		t.Errorf("failed: %v", r.FailedModels)
	}
	if got := h.modelNames(); got != "first last middle zoned" {
		t.Errorf("models are %s", got)
	}
	for query, want := range map[string]string{
		"SELECT sum(n) FROM models.last": "4",
		"SELECT n FROM models.zoned":     "9",
		"SELECT doc FROM _sync.dictionary WHERE schema = 'models' AND table_name = 'last' AND column_name = 'name'":       "The name.",
		"SELECT comment FROM duckdb_columns() WHERE schema_name = 'models' AND table_name = 'last' AND column_name = 'n'": "How many.",
		"SELECT comment FROM duckdb_views() WHERE schema_name = 'models' AND view_name = 'last'":                          "One row per thing.",
	} {
		if got := firstColumn(t, h.dir, query)[0]; got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestViewsInASecondSchemaComeAndGo publishes models of two schemas. The second one disappears with its views, also after one of them failed.
func TestViewsInASecondSchemaComeAndGo(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	publishWith := func(views ...publish.Relation) publish.Result {
		s := h.runSpec()
		s.Schemas[0].Models = publish.Models{Schema: "models", Relations: []publish.Relation{testModel("same", "table", "SELECT count(*) AS n FROM {schema}.people")}}
		s.Schemas[0].Compat = publish.Models{Schema: "other", Relations: views}
		r := h.publishOnly(s)
		h.openRun()
		return r
	}
	named := func() string {
		return strings.Join(firstColumn(t, h.dir, "SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE table_schema IN ('models', 'other') ORDER BY 1"), " ")
	}
	view := testModel("same", "view", "SELECT name FROM {schema}.people")
	publishWith(view)
	if got := named(); got != "models.same other.same" {
		t.Errorf("with both: %s", got)
	}
	if r := publishWith(view); !r.Unchanged {
		t.Error("the same definitions are published again")
	}
	if r := publishWith(testModel("same", "view", "SELECT nothing FROM {schema}.people")); len(r.FailedModels) != 1 {
		t.Errorf("failed: %v", r.FailedModels)
	}
	publishWith()
	if got := named(); got != "models.same" {
		t.Errorf("without the views: %s", got)
	}
	for _, query := range []string{"SELECT schema_name FROM information_schema.schemata WHERE schema_name = 'other'", "SELECT doc FROM _sync.dictionary WHERE schema = 'other'"} {
		if got := firstColumn(t, h.dir, query); len(got) != 0 {
			t.Errorf("%s: %v", query, got)
		}
	}
	if r := publishWith(); !r.Unchanged {
		t.Error("without the views, the file is published again")
	}
}

// TestModelsFollowTheirDefinitionsAndTheRows publishes a changed row, then other definitions, then a file that is written again.
func TestModelsFollowTheirDefinitionsAndTheRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	counted := testModel("counted", "table", "SELECT count(*) AS n FROM {schema}.people")
	doubled := testModel("doubled", "view", "SELECT 2 * n AS n FROM {models}.counted")
	h.commitPeople(newPerson("1", "a"))
	h.withModels(counted, doubled)
	h.commitPeople(newPerson("2", "b"))
	h.withModels(counted, doubled)
	if got := firstColumn(t, h.dir, "SELECT n FROM models.doubled")[0]; got != "4" {
		t.Errorf("after another row: %s, want 4", got)
	}
	if got := firstColumn(t, h.dir, "SELECT comment FROM duckdb_columns() WHERE table_name = 'counted'")[0]; got != "How many." {
		t.Errorf("the table that was made again has the comment %q", got)
	}
	counted.Kind = "view"
	h.withModels(counted)
	if got := h.modelNames() + firstColumn(t, h.dir, "SELECT count(*) FROM _sync.dictionary WHERE schema = 'models'")[0]; got != "counted1" {
		t.Errorf("after one was removed there are %s", got)
	}
	s := h.runSpec()
	s.Rebuild = true
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: []publish.Relation{counted}}
	h.publishOnly(s)
	if got := firstColumn(t, h.dir, "SELECT n FROM models.counted")[0]; got != "2" {
		t.Errorf("written anew: %s, want 2", got)
	}
}

// TestATableOfAModelIsMadeAgainOnlyWhereARowThatItReadsHasChanged publishes a person without a tag, and then one with a tag. A table that reads the tags,
// by another model, is made again for the second one only. One of a user is made each time: it may ask for the time.
func TestATableOfAModelIsMadeAgainOnlyWhereARowThatItReadsHasChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	models := []publish.Relation{testModel("tagged", "view", "SELECT person_id FROM {schema}.people_tags"), testModel("drawn", "table", "SELECT random() AS n, count(*) AS rows FROM {models}.tagged"),
		userModel("theirs", "table", "SELECT random() AS n FROM {schema}.people_tags LIMIT 1")}
	values := func() [3]string {
		h.withModels(models...)
		return [3]string(firstColumn(t, h.dir, "SELECT n FROM models.drawn UNION ALL SELECT n FROM models.theirs UNION ALL SELECT comment FROM duckdb_columns() WHERE table_name = 'drawn' AND column_name = 'n'"))
	}
	h.commitPeople(newPerson("1", "a", "x"))
	first := values()
	h.commitPeople(newPerson("2", "b"))
	second := values()
	h.commitPeople(newPerson("3", "c", "y"))
	third := values()
	if first[0] != second[0] || second[0] == third[0] {
		t.Errorf("the table that reads tags has %s, then %s and %s", first[0], second[0], third[0])
	}
	if first[1] == second[1] {
		t.Error("the user's table was not made again")
	}
	if third[2] != "How many." {
		t.Errorf("the table that was made again has the comment %q", third[2])
	}
}

// TestAFailedModelIsReportedAndTheOthersAreMade has models that are wrong, that read each other in a circle, that reach for what is not the
// warehouse's, and that call what acts.
// Holds: S49.
func TestAFailedModelIsReportedAndTheOthersAreMade(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	good := testModel("good", "view", "SELECT count(*) AS n FROM {schema}.people")
	wrong := []publish.Relation{
		testModel("mistyped", "view", "SELECT name\nFROM {schema}.people\nWHERE nmae = 'a'"),
		testModel("upon_it", "view", "SELECT * FROM {models}.mistyped"),
		testModel("chicken", "view", "SELECT * FROM {models}.egg"), testModel("egg", "view", "SELECT * FROM {models}.chicken"),
		testModel("file", "view", "SELECT * FROM read_text('/etc/hostname')"), testModel("copied", "table", "SELECT * FROM read_csv('/etc/passwd')"),
		testModel("two", "view", "SELECT 1 AS n; ATTACH '/etc/passwd'"), testModel("set", "table", "SELECT 1 AS n; SET enable_external_access = true"),
		testModel("deletes", "view", "SELECT 1 AS n; DELETE FROM {schema}.people"), testModel("not_even", "view", "DELETE FROM {schema}.people RETURNING *"),
		testModel("logs", "table", "SELECT count(*) AS n\nFROM enable_logging()"),
	}
	for range 2 { // and reported again
		r := h.withModels(append(wrong, good)...)
		var failed []string
		for _, f := range r.FailedModels {
			failed = append(failed, f.Name)
		}
		if got := fmt.Sprint(failed); got != "[chicken egg mistyped file copied two set deletes not_even logs]" {
			t.Errorf("failed: %s", got)
		}
		if told := r.FailedModels[2].String(); !strings.HasPrefix(told, `mistyped.sql:5: model models.mistyped: Binder Error: Referenced column "nmae" not found`) {
			t.Errorf("told: %s", told)
		}
		if told, want := r.FailedModels[9].String(), "logs.sql:4: model models.logs: it calls enable_logging(), which is not allowed here: "+
			"that turns logging on or off, or empties the log, for the whole process"; told != want {
			t.Errorf("told %s, want %s", told, want)
		}
		if got := h.modelNames() + firstColumn(t, h.dir, "SELECT n FROM models.good")[0]; got != "good1" {
			t.Errorf("models are %s", got)
		}
	}
}

// userModel is a model of a user.
func userModel(name, kind, query string) publish.Relation {
	m := testModel(name, kind, query)
	m.Own = true
	return m
}

// TestS24AModelThatNeverEndsIsCancelled publishes with models that would be worked out for years, in this process and in another, where one
// is within a function that hears of no interruption.
func TestS24AModelThatNeverEndsIsCancelled(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	s := h.runSpec()
	endless := "SELECT count(*) AS n FROM range(1000000000000)"
	s.Schemas[0].Models = publish.Models{Schema: "models", Longest: time.Second, Relations: []publish.Relation{
		testModel("endless", "table", endless), userModel("their_endless", "table", endless),
		userModel("deaf", "table", "SELECT levenshtein(repeat('ab', 1000000), repeat('ba', 1000000)) AS n"),
		userModel("good", "table", "SELECT count(*) AS n FROM {schema}.people")}}
	r := h.publishOnly(s)
	var want []string
	for _, name := range []string{"endless", "their_endless", "deaf"} {
		want = append(want, fmt.Sprintf("%s.sql:3: model models.%[1]s: it took longer than 1s and was stopped", name))
	}
	if got := fmt.Sprint(r.FailedModels); got != "["+strings.Join(want, " ")+"]" {
		t.Errorf("failed: %s", got)
	}
	if got := h.modelNames() + firstColumn(t, h.dir, "SELECT n FROM models.good")[0]; got != "good1" {
		t.Errorf("models are %s", got)
	}
}

// TestS50AModelThatCrashesDuckDBIsSkipped publishes with users' models that end their process, by a stack that is left and by memory,
// once when they are new and once when a row has changed: this process goes on, and so do all others.
func TestS50AModelThatCrashesDuckDBIsSkipped(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	all := []publish.Relation{
		userModel("first", "table", "SELECT count(*) AS n FROM {schema}.people"),
		userModel("lethal", "table", "SELECT 1 AS n,\n json_structure(repeat('[', 1000000) || repeat(']', 1000000)) AS s FROM {models}.first"),
		userModel("upon_it", "view", "SELECT * FROM {models}.lethal"),
		userModel("greedy", "table", "SELECT len(list_sort(range(400000000))) AS n"),
		userModel("mistyped", "view", "SELECT 1 AS n\nFROM {schema}.people WHERE nmae = 'a'"),
		userModel("logs", "table", "SELECT count(*) AS n\nFROM enable_logging()"),
		userModel("last", "view", "SELECT n + 1 AS n FROM {models}.first"),
		testModel("ours", "view", "SELECT 5 AS n"),
	}
	for round := 1; round <= 2; round++ {
		r := h.withModels(all...)
		var told []string
		for _, f := range r.FailedModels {
			told = append(told, f.String())
		}
		for i, want := range []string{
			"lethal.sql:3: model models.lethal: its SQL crashed DuckDB, which is a fault in DuckDB: its process ended: exit status 2: SIGSEGV: segmentation violation",
			"greedy.sql:3: model models.greedy: it needs more memory than it may have",
			"mistyped.sql:4: model models.mistyped: Binder Error: Referenced column \"nmae\" not found in FROM clause!",
			"logs.sql:4: model models.logs: it calls enable_logging(), which is not allowed here",
		} {
			if i >= len(told) || !strings.HasPrefix(told[i], want) {
				t.Errorf("round %d: told %q, want %s", round, told, want)
			}
		}
		if len(told) != 4 {
			t.Errorf("round %d: %d are told of: %q", round, len(told), told)
		}
		if got, want := h.modelNames()+firstColumn(t, h.dir, "SELECT n FROM models.last")[0], fmt.Sprint("first last ours", round+1); got != want {
			t.Errorf("round %d: models are %s, want %s", round, got, want)
		}
		h.commitPeople(newPerson(fmt.Sprint(round+1), "b"))
	}
	for _, query := range []string{
		"SELECT doc FROM _sync.dictionary WHERE schema = 'models' AND table_name = 'last' AND column_name = 'n'",
		"SELECT comment FROM duckdb_columns() WHERE table_name = 'first' AND column_name = 'n'",
	} {
		if got := firstColumn(t, h.dir, query)[0]; got != "How many." {
			t.Errorf("%s: %s", query, got)
		}
	}
}

// TestS56ErrorsOfAPrivateModelHaveItsLineAndNoWordOfIt publishes models of a file that only its owner may read, in this process and in a separate one.
func TestS56ErrorsOfAPrivateModelHaveItsLineAndNoWordOfIt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	var all []publish.Relation
	for name, query := range map[string]string{
		"no_sql": "SELECT 1 AS n\nFORM hunter2", "no_column": "SELECT 1 AS n\nFROM {schema}.people WHERE hunter2 = 1",
		"no_table": "SELECT 1 AS n\nFROM hunter2", "no_value": "SELECT 1 AS n\nWHERE CAST('hunter2' AS INT) > 0",
		"no_function": "SELECT 1 AS n\nFROM hunter2()", "forbidden": "SELECT 1 AS n\nFROM read_csv('hunter2')",
	} {
		kind := "view"
		if name == "no_value" {
			kind = "table"
		}
		for _, m := range []publish.Relation{testModel("ours_"+name, kind, query), userModel(name, kind, query)} {
			m.Private = true
			all = append(all, m)
		}
	}
	r := h.withModels(all...)
	if len(r.FailedModels) != len(all) {
		t.Errorf("%d of %d models failed: %v", len(r.FailedModels), len(all), r.FailedModels)
	}
	for _, f := range r.FailedModels {
		text := f.String()
		if strings.Contains(text, "hunter2") || strings.Contains(text, "FORM") || strings.Contains(text, "read_csv") {
			t.Errorf("the error quotes the file: %s", text)
		}
		if !strings.HasPrefix(text, f.Name+".sql:4: model models."+f.Name+": ") || !strings.Contains(text, "no word of the file is shown") {
			t.Errorf("the error lacks the line or the kind: %s", text)
		}
	}
}

// TestModelsOfUsersAreMadeOnlyWhenSomethingHasChanged publishes changed rows with a user's view, which takes no process, then without a
// program that could start one: a table of his needs it.
func TestModelsOfUsersAreMadeOnlyWhenSomethingHasChanged(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	view := userModel("theirs", "view", "SELECT count(*) AS n FROM {schema}.people")
	h.withModels(view)
	h.commitPeople(newPerson("2", "b"))
	s := h.runSpec()
	s.Program = sandbox.Program{}
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: []publish.Relation{view}, Values: publish.Values{Timezone: "Asia/Tokyo"}}
	if r := h.publishOnly(s); len(r.FailedModels) > 0 {
		t.Errorf("failed: %v", r.FailedModels)
	}
	h.openRun()
	if got := firstColumn(t, h.dir, "SELECT n FROM models.theirs")[0]; got != "2" {
		t.Errorf("it has %s, want 2", got)
	}
	view.SQL += " WHERE true"
	s.Schemas[0].Models.Relations = []publish.Relation{view}
	if _, err := publish.Publish(t.Context(), h.dir, h.work, s); err == nil {
		t.Error("it was made without a process")
	}
	h.openRun()
}
