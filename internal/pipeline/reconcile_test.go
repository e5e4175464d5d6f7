package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

const week = 7 * 24 * time.Hour

// deletedConversations syncs conversations, deletes some at the source, and lets more than a week pass.
func deletedConversations(t *testing.T, n int) (b *testBed, ids []string) {
	t.Helper()
	b = newTalkBed(t, emulator.Knobs{NoLag: true})
	b.syncOnce(runner.Options{})
	ids = b.space.ConversationIDs()[:n]
	for _, id := range ids {
		if err := b.space.DeleteConversation(id); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(week + time.Hour)
	return b, ids
}

func TestT60DeletedConversationIsFoundByReconciliation(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b, ids := deletedConversations(t, 2)
	report := b.syncOnce(runner.Options{})
	if got := streamResult(t, report, "conversations").Gone; got != 2 {
		t.Errorf("%d conversations are told to be gone, want 2", got)
	}
	b.equalsOracle()
	in := "id IN ('" + strings.Join(ids, "', '") + "')"
	if got := b.queryRows("SELECT count(*), count(_gone_at) FROM conversations_all WHERE " + in); got[0] != "2|2" {
		t.Errorf("of two deleted ones, %s are stored, and marked", got)
	}
	asked := b.space.RequestCount()
	b.space.Advance(24 * time.Hour)
	b.syncOnce(runner.Options{})
	if again := b.space.RequestCount() - asked; again > 12 {
		t.Errorf("the night after cost %d requests: the whole list is for once a week", again)
	}
}

// TestT152ListThatLacksManyRowsDeletesNothing: a broken search looks like a workspace whose conversations were deleted.
func TestT152ListThatLacksManyRowsDeletesNothing(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b, _ := deletedConversations(t, 50)
	report := b.trySync(runner.Options{})
	failed := streamResult(t, report, "conversations")
	if failed.Status != runlog.StatusFailed || !strings.Contains(failed.Error, "50 of 120 rows are no longer in the list; no row was requested by id") {
		t.Fatalf("%s: %s", failed.Status, failed.Error)
	}
	if got := b.queryRows("SELECT count(*) FROM conversations_all WHERE _gone_at IS NOT NULL"); got[0] != "0" {
		t.Errorf("%s were marked gone", got)
	}
	b.syncOnce(runner.Options{AcceptDrop: []string{"conversations"}})
	b.equalsOracle()
}

// TestT6ConversationIndexedTooLateIsFoundByReconciliation: the index took longer than any lookback window.
func TestT6ConversationIndexedTooLateIsFoundByReconciliation(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	b := newTalkBed(t, emulator.Knobs{LagMax: 15 * 24 * time.Hour})
	b.space.Advance(20 * 24 * time.Hour)
	b.syncOnce(runner.Options{})
	id, err := b.space.OpenConversation(b.space.ContactIDs("active")[0], 3)
	if err != nil {
		t.Fatal(err)
	}
	for range 4 {
		b.space.Advance(4 * 24 * time.Hour)
		b.syncOnce(runner.Options{})
	}
	b.space.Advance(week)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM conversation_parts WHERE conversation_id = '" + id + "'"); got[0] != "3" {
		t.Errorf("it has %s parts here, want 3", got)
	}
	b.equalsOracle()
}

// TestT60AReconciliationThatNeverEndsFailsTheRun: each run reaches its limit within the list. After a week of that nobody knows what was deleted. A pause
// before it does not count.
func TestT60AReconciliationThatNeverEndsFailsTheRun(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBedWith(t, conversationConfig(emulator.Knobs{NoLag: true}), talking)
	b.syncOnce(runner.Options{})
	id := b.space.ConversationIDs()[0]
	b.failOn(b.space.DeleteConversation(id))
	b.space.Advance(3 * week)
	for _, s := range b.runner.Catalogue.Streams() {
		if s.Name == "conversations" {
			s.Read.Page.Size = 2
		}
	}
	for day := range 9 {
		report := b.trySync(runner.Options{MaxRequests: 50})
		overdue := len(findingsNamed(report, "reconcile_overdue")) == 1
		if s := streamResult(t, report, "conversations"); s.Status != runlog.StatusOK || s.Cut || overdue != (day >= 7) || overdue != (report.Exit() == problem.ExitFailed) {
			t.Errorf("day %d: %s %+v", day, report.LastLine(), report.Findings)
		}
		b.space.Advance(24 * time.Hour)
	}
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM conversations WHERE id = '" + id + "'"); got[0] != "0" {
		t.Error("the deleted conversation is still there")
	}
}
