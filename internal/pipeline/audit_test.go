package pipeline_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
)

// TestTruncatedListsAndWrongTotalsAreReported: a conversation with more parts than the API sends is a known limit, and reported once. A list that
// states more records than it returns fails its stream in every run.
// Holds: T165.
func TestTruncatedListsAndWrongTotalsAreReported(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(63)
	c.Conversations = 3
	b := newBedWith(t, c, strings.ReplaceAll(nightly, "contacts, deleted_contacts, contact_activities", "conversations, collections"))
	_, err := b.space.OpenConversation(b.space.ContactIDs("active")[0], 510)
	b.failOn(err)
	b.space.Advance(time.Hour)
	number := regexp.MustCompile(`"total_count":\d+`)
	b.space.SetKnobs(func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if strings.Contains(route, "collections") {
				return number.ReplaceAll(body, []byte(`"total_count":99`))
			}
			return body
		}
	})
	want := []string{"known|conversations|conversation_parts|parts_capped"}
	for n := range 2 {
		report := b.trySync(runner.Options{FullRefresh: true})
		// A list that states more than it returns has no certain end: a failure in every run.
		if s := streamResult(t, report, "collections"); report.Exit() != problem.ExitFailed || s.Class != "source" || !strings.Contains(s.Error, "states") {
			t.Errorf("run %d: %s\n%+v", n, report.LastLine(), s)
		}
		var told []string
		for _, f := range report.Findings {
			told = append(told, strings.Join([]string{f.Kind, f.Stream, f.Table, f.Name}, "|"))
		}
		slices.Sort(told)
		if n == 0 && !slices.Equal(told, want) || n > 0 && len(told) > 0 {
			t.Errorf("run %d tells of %q", n, told)
		}
	}
	if got := b.queryRows("SELECT kind, stream, table_name, name FROM _sync.audit ORDER BY ALL"); !slices.Equal(got, want) {
		t.Errorf("the audit has %q", got)
	}
}

// TestExactFindingFailsTheRun: an exact finding is in the table of the run and fails it; a soft one does not.
func TestExactFindingFailsTheRun(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]int{"exact": problem.ExitFailed, "soft": problem.ExitOK, "known": problem.ExitOK} {
		report := &runlog.Report{Pipeline: "nightly", Published: true, Findings: []load.Finding{
			{Schema: "main", Table: "contact_tags_raw", Kind: kind, Name: "orphans", Expected: "0", Found: "2", Message: "rows of nobody"}}}
		var text strings.Builder
		render.PrintReport(report, &text)
		if report.Exit() != want || !strings.Contains(text.String(), "audit "+kind+": orphans of main.contact_tags_raw: 2, expected 0: rows of nobody\n") {
			t.Errorf("%s: exit %d\n%s", kind, report.Exit(), text.String())
		}
	}
}
