package publish_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/load/publish"
)

// model is a model of a test, from its file's third line on.
func model(name, kind, query string) publish.Relation {
	return publish.Relation{Name: name, Kind: kind, Doc: "One row a thing.", SQL: query, File: name + ".sql", Line: 3,
		Columns: []publish.Column{{Name: "n", Doc: "How many."}}}
}

func (h *house) withModels(models ...publish.Relation) publish.Result {
	h.t.Helper()
	s := h.spec()
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: models, Values: publish.Values{Timezone: "Asia/Tokyo"}}
	r := h.publishOnly(s)
	h.open()
	return r
}

func (h *house) models() string {
	h.t.Helper()
	return strings.Join(ask(h.t, h.dir, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'models' ORDER BY 1"), " ")
}

func TestModelsAreMadeInTheOrderOfTheirSQL(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commit(person("1", "a"), person("2", "b"))
	r := h.withModels(
		model("last", "view", "SELECT n + 1 AS n, name FROM {models}.middle"),
		model("middle", "table", "SELECT count(*) AS n, name FROM {models}.first GROUP BY ALL"),
		model("first", "view", "SELECT * FROM {schema}.people"),
		model("zoned", "view", "SELECT extract(hour FROM timezone({timezone}, TIMESTAMPTZ '2026-11-01 00:00:00Z')) AS n"),
		model("without_source", "view", "SELECT * FROM {schema}.nothing"),
		model("without_model", "view", "SELECT * FROM {models}.without_source"),
	)
	if len(r.FailedModels) != 0 {
		t.Errorf("failed: %v", r.FailedModels)
	}
	if got := h.models(); got != "first last middle zoned" {
		t.Errorf("models are %s", got)
	}
	for query, want := range map[string]string{
		"SELECT sum(n) FROM models.last": "4",
		"SELECT n FROM models.zoned":     "9",
		"SELECT doc FROM _sync.dictionary WHERE schema = 'models' AND table_name = 'last' AND column_name = 'name'":       "The name.",
		"SELECT comment FROM duckdb_columns() WHERE schema_name = 'models' AND table_name = 'last' AND column_name = 'n'": "How many.",
		"SELECT comment FROM duckdb_views() WHERE schema_name = 'models' AND view_name = 'last'":                          "One row a thing.",
	} {
		if got := ask(t, h.dir, query)[0]; got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestModelsFollowTheirDefinitionsAndTheRows publishes a changed row, then other definitions, then in a file written anew.
func TestModelsFollowTheirDefinitionsAndTheRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	counted := model("counted", "table", "SELECT count(*) AS n FROM {schema}.people")
	doubled := model("doubled", "view", "SELECT 2 * n AS n FROM {models}.counted")
	h.commit(person("1", "a"))
	h.withModels(counted, doubled)
	h.commit(person("2", "b"))
	h.withModels(counted, doubled)
	if got := ask(t, h.dir, "SELECT n FROM models.doubled")[0]; got != "4" {
		t.Errorf("after another row: %s, want 4", got)
	}
	if got := ask(t, h.dir, "SELECT comment FROM duckdb_columns() WHERE table_name = 'counted'")[0]; got != "How many." {
		t.Errorf("the table that was made again has the comment %q", got)
	}
	counted.Kind = "view"
	h.withModels(counted)
	if got := h.models() + ask(t, h.dir, "SELECT count(*) FROM _sync.dictionary WHERE schema = 'models'")[0]; got != "counted1" {
		t.Errorf("after one was removed there are %s", got)
	}
	s := h.spec()
	s.Rebuild = true
	s.Schemas[0].Models = publish.Models{Schema: "models", Relations: []publish.Relation{counted}}
	h.publishOnly(s)
	if got := ask(t, h.dir, "SELECT n FROM models.counted")[0]; got != "2" {
		t.Errorf("written anew: %s, want 2", got)
	}
}

// TestAModelThatFailsIsToldOfAndHoldsUpNobody has models that are wrong, that read each other in a circle, that reach for what is not the
// warehouse's, and that call what acts.
func TestAModelThatFailsIsToldOfAndHoldsUpNobody(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commit(person("1", "a"))
	good := model("good", "view", "SELECT count(*) AS n FROM {schema}.people")
	wrong := []publish.Relation{
		model("mistyped", "view", "SELECT name\nFROM {schema}.people\nWHERE nmae = 'a'"),
		model("upon_it", "view", "SELECT * FROM {models}.mistyped"),
		model("chicken", "view", "SELECT * FROM {models}.egg"), model("egg", "view", "SELECT * FROM {models}.chicken"),
		model("file", "view", "SELECT * FROM read_text('/etc/hostname')"), model("copied", "table", "SELECT * FROM read_csv('/etc/passwd')"),
		model("two", "view", "SELECT 1 AS n; ATTACH '/etc/passwd'"), model("set", "table", "SELECT 1 AS n; SET enable_external_access = true"),
		model("deletes", "view", "SELECT 1 AS n; DELETE FROM {schema}.people"), model("not_even", "view", "DELETE FROM {schema}.people RETURNING *"),
		model("logs", "table", "SELECT count(*) AS n\nFROM enable_logging()"),
	}
	for range 2 { // and told of again
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
		if told, want := r.FailedModels[9].String(), "logs.sql:4: model models.logs: it calls enable_logging(), which no SQL here may: "+
			"that turns logging on or off, or empties the log, for the whole process"; told != want {
			t.Errorf("told %s, want %s", told, want)
		}
		if got := h.models() + ask(t, h.dir, "SELECT n FROM models.good")[0]; got != "good1" {
			t.Errorf("models are %s", got)
		}
	}
}

// TestS24AModelThatNeverEndsIsGivenUp publishes with a model that would be worked out for years.
func TestS24AModelThatNeverEndsIsGivenUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commit(person("1", "a"))
	s := h.spec()
	s.Schemas[0].Models = publish.Models{Schema: "models", Longest: 100 * time.Millisecond, Relations: []publish.Relation{
		model("endless", "table", "SELECT count(*) AS n FROM range(1000000000000)"), model("good", "table", "SELECT count(*) AS n FROM {schema}.people")}}
	r := h.publishOnly(s)
	if got := fmt.Sprint(r.FailedModels); got != "[endless.sql:3: model models.endless: it took longer than 100ms and was given up]" {
		t.Errorf("failed: %s", got)
	}
	if got := h.models() + ask(t, h.dir, "SELECT n FROM models.good")[0]; got != "good1" {
		t.Errorf("models are %s", got)
	}
}
