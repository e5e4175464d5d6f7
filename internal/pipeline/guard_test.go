package pipeline_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

// dropTags changes the answers so that no contact has a tag.
func dropTags(_ string, body []byte) []byte {
	var answer map[string]any
	if json.Unmarshal(body, &answer) != nil {
		return body
	}
	list, _ := answer["data"].([]any)
	for _, each := range list {
		if contact, ok := each.(map[string]any); ok && contact["type"] == "contact" && contact["tags"] != nil {
			contact["tags"] = map[string]any{"type": "list", "data": []any{}, "total_count": 0, "has_more": false}
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return body
	}
	return text
}

// TestT152PublishWithUnexpectedRowLossIsHeldBack: readers keep their file, run after run, until the operator accepts the loss. The rows that were
// read are committed, and the last line, the exit code and the audit report it.
func TestT152PublishWithUnexpectedRowLossIsHeldBack(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(57))
	b.syncOnce(runner.Options{})
	before := b.queryRows("SELECT count(*) FROM contact_tags")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	raw := b.queryRows("SELECT count(*) FROM contact_tags_raw")[0]
	for n := range 2 {
		b.space.Advance(time.Hour)
		report := b.trySync(runner.Options{FullRefresh: n == 0})
		var text strings.Builder
		render.PrintReport(report, &text)
		if report.Exit() != problem.ExitBreached || report.Published {
			t.Fatalf("run %d: exit %d, %s", n, report.Exit(), report.LastLine())
		}
		for _, want := range []string{"main.contact_tags_raw would go from " + raw + " rows to 0", "aqueduck sync --accept-drop contact_tags_raw", "published=no"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("run %d does not say %q:\n%s", n, want, text.String())
			}
		}
		raw = b.queryRows("SELECT count(*) FROM contact_tags_raw")[0]
		if b.queryRows("SELECT " + raw + " > 0.9 * " + before)[0] != "true" { // the loss of a publish in the middle of the run is small enough
			t.Fatalf("readers have %s tags after run %d, had %s", raw, n, before)
		}
	}
	report := b.syncOnce(runner.Options{AcceptDrop: []string{"contact_tags_raw"}})
	if !report.Published {
		t.Error(report.LastLine())
	}
	if got := b.queryRows("SELECT count(*) FROM contact_tags")[0]; got != "0" {
		t.Errorf("%s tags are left after their loss was accepted", got)
	}
	if got := b.queryRows("SELECT count(*) FROM _sync.runs WHERE exit_code = 6 AND outcome = 'FAILED' AND error LIKE 'publish guard%'"); got[0] != "2" {
		t.Errorf("%s runs are noted as held back, want 2", got[0])
	}
	if got := b.queryRows("SELECT DISTINCT kind, table_name, expected >= '" + raw + "', found FROM _sync.audit WHERE name = 'rows_lost'"); len(got) != 1 || got[0] != "exact|contact_tags_raw|true|0" {
		t.Errorf("the audit has %q", got)
	}
}

// TestARewindWhileAPublishIsHeldBackIsDone: it takes no row away, so it does not fail for the rows that readers would lose. The log says when they see it.
func TestARewindWhileAPublishIsHeldBackIsDone(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(57))
	b.syncOnce(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	b.space.Advance(time.Hour)
	if report := b.trySync(runner.Options{FullRefresh: true}); report.Exit() != problem.ExitBreached {
		t.Fatal(report.LastLine())
	}
	file := b.runner.Dir.Current()
	b.log.Reset()
	yes := func([]admin.Move) (bool, error) { return true, nil }
	b.failOn(admin.Rewind(t.Context(), b.runner, "", "contacts", b.space.CurrentTime().AddDate(0, 0, -40), yes))
	if b.runner.Dir.Current() != file || !strings.Contains(b.log.String(), "aqueduck sync --accept-drop contact_tags_raw") {
		t.Errorf("the rewind logged\n%s", b.log)
	}
	b.syncOnce(runner.Options{AcceptDrop: []string{"contact_tags_raw"}})
	if got := b.queryRows("SELECT count(*) FROM _sync.moves WHERE stream = 'contacts'"); got[0] != "1" {
		t.Errorf("%s moves are recorded", got[0])
	}
}

// TestT152ErasuresAreNoRowLoss: erased rows do not count, however many they are. A loss beside them does.
func TestT152ErasuresAreNoRowLoss(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(58))
	b.syncOnce(runner.Options{})
	before := b.queryRows("SELECT count(*) FROM contact_tags")[0]
	active := b.space.ContactIDs("active")
	for _, id := range active[:len(active)*3/4] {
		b.failOn(b.space.EraseContact(id))
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{AcceptDrop: []string{"deleted_contacts"}})
	after := b.queryRows("SELECT count(*) FROM contact_tags")[0]
	if b.queryRows("SELECT " + after + " < 0.7 * " + before)[0] != "true" {
		t.Fatalf("%s of %s tags are left: too few went to show anything", after, before)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	b.failOn(b.space.EraseContact(active[len(active)-1]))
	b.space.Advance(time.Hour)
	for n := range 2 {
		if report := b.trySync(runner.Options{FullRefresh: n == 0}); report.Exit() != problem.ExitBreached {
			t.Errorf("an erasure let a loss pass in run %d: %s", n, report.LastLine())
		}
	}
	b.syncOnce(runner.Options{AcceptDrop: []string{"contacts"}})
	if got := b.queryRows("SELECT count(*) FROM contacts_all WHERE name IS NOT NULL AND id = '" + active[len(active)-1] + "'"); got[0] != "0" {
		t.Error("whoever was erased beside the loss is still there")
	}
}
