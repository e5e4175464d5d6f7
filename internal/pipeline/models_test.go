package pipeline_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/runner"
)

// TestUserModelsAreBuiltAndTheirFailuresReported has a correct model, a wrong one that is then corrected, and one that is removed.
func TestUserModelsAreBuiltAndTheirFailuresReported(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(61)).publishingAll()
	dir := filepath.Join(filepath.Dir(b.file), "models")
	write := func(name, query string) {
		b.failOn(os.MkdirAll(dir, 0o755))
		text := "-- relation: " + name + " (view)\n-- doc: One row per role.\n-- column people: How many there are.\n" + query
		b.failOn(os.WriteFile(filepath.Join(dir, name+".sql"), []byte(text), 0o644))
	}
	write("by_role", "SELECT role, count(*) AS people FROM {models}.contact_current GROUP BY ALL")
	write("by_raw", "SELECT role, count(*) AS people FROM {raw}.contacts_raw GROUP BY ALL")
	write("by_old", "SELECT role, count(*) AS people FROM {schema}.contacts_raw GROUP BY ALL")
	write("by_nothing", "SELECT role, count(*) AS people FROM {raw}.contacts_raw CROSS JOIN {raw}.contact_tags_raw CROSS JOIN {schema}.tags GROUP BY ALL")
	write("by_rule", "SELECT rule,\n  count(*) AS people\nFROM {schema}.contacts GROUP BY ALL")
	write("by_call", "SELECT admin_id, count(*) AS people FROM {schema}.calls GROUP BY ALL")
	b.writeConfig(nightly + "models: models/*.sql\n")
	report := b.syncOnce(runner.Options{})
	if notes := strings.Join(report.Notes, "\n"); !strings.Contains(notes, "by_rule.sql:4: model models.by_rule: Binder Error") || !strings.Contains(notes, `by_call.sql: model "by_call" reads calls, which no pipeline reads`) {
		t.Errorf("notes: %s", notes)
	}
	if got := b.log.String(); strings.Count(got, "level=WARN msg=\"the published file lacks a model\"") != 3 || !strings.Contains(got, "by_rule.sql:4: model models.by_rule: Binder Error") {
		t.Errorf("log: %s", got)
	}
	if got := b.log.String(); strings.Count(got, "SQL reads a name that the next version no longer has") != 1 || !strings.Contains(got, `next="write {raw}.contacts_raw"`) {
		t.Errorf("log of a deprecated name: %s", got)
	}
	if missing := report.MissingModels; !strings.Contains(missing, "by_rule.sql:4: model models.by_rule: Binder Error") ||
		!strings.Contains(missing, `by_call.sql: model "by_call" reads calls, which no pipeline reads: without its tables the model is left out (add calls to the streams of a pipeline, or remove the model)`) {
		t.Errorf("missing models: %s", missing)
	}
	if got := b.queryRows("SELECT sum(people) FROM models.by_role")[0]; got != b.queryRows("SELECT count(*) FROM models.contact_current")[0] {
		t.Errorf("%s people by role", got)
	}
	if got := b.queryRows("SELECT sum(people), (SELECT count(*) FROM _raw.contacts_raw) FROM models.by_raw")[0]; got == "" || strings.Split(got, "|")[0] != strings.Split(got, "|")[1] {
		t.Errorf("%s people in the raw table", got)
	}
	if got := b.queryRows("SELECT count(*) FROM duckdb_views() WHERE view_name = 'by_nothing'")[0]; got != "0" {
		t.Error("there is a model of tags, which no pipeline reads")
	}
	write("by_rule", "SELECT role,\n  count(*) AS people\nFROM {schema}.contacts GROUP BY ALL")
	b.failOn(os.Remove(filepath.Join(dir, "by_role.sql")))
	b.failOn(os.Remove(filepath.Join(dir, "by_call.sql")))
	b.failOn(os.Remove(filepath.Join(dir, "by_old.sql")))
	b.failOn(os.Remove(filepath.Join(dir, "by_nothing.sql")))
	b.writeConfig(nightly + "models: models/*.sql\n")
	b.space.Advance(time.Hour)
	if report = b.syncOnce(runner.Options{}); len(report.Notes) > 0 || report.MissingModels != "" {
		t.Errorf("notes: %v, missing: %s", report.Notes, report.MissingModels)
	}
	if got := strings.Join(b.queryRows("SELECT view_name FROM duckdb_views() WHERE schema_name = 'models' AND view_name LIKE 'by%' ORDER BY 1"), " "); got != "by_raw by_rule" {
		t.Errorf("own models are %s", got)
	}
}

// TestModelsOfASecondWorkspaceHaveTheirOwnSchema reads one workspace under two names.
func TestModelsOfASecondWorkspaceHaveTheirOwnSchema(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(62)).publishingAll()
	b.writeConfig(strings.Replace(nightly, "workspaces:\n", "workspaces:\n  acme: {base_url: \"${WORKSPACE_URL}\", token: \"${WORKSPACE_TOKEN}\"}\n", 1))
	b.syncOnce(runner.Options{})
	for _, schema := range []string{"models", "acme_models"} {
		if got := b.queryRows("SELECT count(*) > 0 FROM " + schema + ".contact_current")[0]; got != "true" {
			t.Errorf("%s.contact_current has no row", schema)
		}
	}
}
