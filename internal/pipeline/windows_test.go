package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/runner"
)

// TestT60FullRefreshesDoNotPutOffTheReconciliation: a full refresh every six days reads what the source has, and not what it no longer has.
func TestT60FullRefreshesDoNotPutOffTheReconciliation(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newTalkBed(t, emulator.Knobs{NoLag: true})
	b.syncOnce(runner.Options{})
	id := b.space.ConversationIDs()[0]
	b.failOn(b.space.DeleteConversation(id))
	for range 3 {
		b.space.Advance(6 * 24 * time.Hour)
		b.syncOnce(runner.Options{FullRefresh: true})
	}
	if got := b.queryRows("SELECT count(*) FROM conversations WHERE id = '" + id + "'"); got[0] != "0" {
		t.Error("the deleted conversation is still there after 18 days")
	}
}
