package pipeline_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// TestRunsNeedNoDeprecatedView drops the views that have the old names of the tables in the raw schema, as the next version will. Contacts are read,
// by id too, merged, kept with their history, verified and published as before.
func TestRunsNeedNoDeprecatedView(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(77), strings.ReplaceAll(nightly, "contact_activities]", "contact_activities, companies, tags]")+"streams:\n  contacts: {history: true}\ncompat: fivetran\n")
	b.syncOnce(runner.Options{})
	const old = "SELECT view_name FROM duckdb_views() WHERE schema_name = 'main' AND (regexp_matches(view_name, '^contacts?_.*(raw|by_id|by_id_all)$')) ORDER BY 1"
	views := b.queryRows(old)
	if len(views) < 10 {
		t.Fatalf("the deprecated views: %v", views)
	}
	drop := []string{"DELETE FROM _sync.meta WHERE key LIKE 'definition:%' OR key LIKE 'models:%'"} // the next publish makes every relation and model again
	for _, view := range views {
		drop = append(drop, "DROP VIEW main."+view)
	}
	syncWithout := func(o runner.Options) {
		b.plantRows(drop...)
		without, err := os.ReadFile(b.runner.Dir.Current())
		b.failOn(err)
		b.failOn(os.MkdirAll(b.runner.Dir.Work(), 0o700))
		b.failOn(os.WriteFile(b.runner.Dir.Database(), without, 0o600)) // as a run that was killed leaves it
		b.syncOnce(o)
	}
	contacts := b.space.ContactIDs("active")
	b.failOn(b.space.UpdateContact(contacts[0], emulator.FieldChange{Field: "name", Value: "New"}))
	b.space.SimulateHours(24)
	b.space.Advance(72 * time.Hour)
	for _, o := range []runner.Options{{}, {FullRefresh: true}}[:lane.Cases(1, 2)] {
		syncWithout(o)
	}
	b.plantRows(drop...)
	if v := b.verifyPublished(verify.VerifyOptions{Deep: true}); v.Exit() != problem.ExitOK || len(v.Findings) > 0 {
		t.Errorf("exit %d\n%s", v.Exit(), verificationText(v))
	}
	if got := b.queryRows("SELECT count(*) FROM contacts_history WHERE id = '" + contacts[0] + "' AND name = 'New'"); got[0] == "0" {
		t.Error("the history lacks the new name")
	}
}
