package pipeline_test

import (
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/runner"
)

// TestPlanExpectsTheRequestsOfAnIncrementalRun plans a run minutes after the first one and runs a day later, and compares each plan with its run.
// Streams of at most 20 requests may differ.
func TestPlanExpectsTheRequestsOfAnIncrementalRun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 471, Contacts: 800, Conversations: 300}, strings.Replace(nightly, "contact_activities]",
		"conversations, hitl_events, call_transcripts, admin_activity_logs, articles]", 1))
	b.space.SimulateHours(24)
	b.syncOnce(runner.Options{})
	for night := range 3 {
		if night > 0 {
			b.space.SimulateHours(24)
		}
		planned, err := plan.Make(t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskNone)
		b.failOn(err)
		report := b.syncOnce(runner.Options{})
		compared := 0
		for _, p := range planned.Streams {
			sent := streamResult(t, report, p.Stream).Requests
			if p.Requests < 0 || max(p.Requests, sent) <= 20 {
				continue
			}
			compared++
			if p.Requests > 2*sent || sent > 2*p.Requests {
				t.Errorf("night %d: %s: planned %d, %s; sent %d", night, p.Stream, p.Requests, p.Basis, sent)
			}
		}
		if compared == 0 {
			t.Error("no stream sent more than 20 requests: the test compares nothing")
		}
	}
}

// TestPlanKnowsTheSizeOfAFirstRun plans the first run of streams that ask by the ids of conversations or calls, of lists that are one answer, and of
// exports.
func TestPlanKnowsTheSizeOfAFirstRun(t *testing.T) {
	t.Parallel()
	b := newBedWith(t, emulator.Config{Seed: 472, Contacts: 40, Conversations: 60}, strings.Replace(nightly, "contacts, deleted_contacts, contact_activities]",
		"conversations, handling_events, hitl_events, data_attributes, tags, teams, calls, call_transcripts, \"reporting_*\"]", 1))
	planned, err := plan.Make(t.Context(), b.runner, b.runner.Config.Pipelines, runner.Options{}, plan.AskUnread)
	b.failOn(err)
	report := b.syncOnce(runner.Options{})
	for _, p := range planned.Streams {
		sent := streamResult(t, report, p.Stream).Requests
		if p.Stream != "conversations_by_id" && (p.Requests < 1 || p.Requests > sent+10 || sent > p.Requests+10) {
			t.Errorf("%s: planned %d, %s; sent %d", p.Stream, p.Requests, p.Basis, sent)
		}
	}
	if planned.Requests < 180 {
		t.Errorf("planned %d requests in all: streams with an estimate are not counted", planned.Requests)
	}
}
