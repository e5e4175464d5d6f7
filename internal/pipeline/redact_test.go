package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/runner"
)

// TestT59RedactedTextIsInNoFile redacts a part and a first message after they were stored and published. No byte of them stays, other texts of the
// conversation do, and restoring an older backup does not bring them back.
// Holds: F18, S37.
func TestT59RedactedTextIsInNoFile(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(173)
	c.Conversations, c.Knobs = 30, emulator.Knobs{QuietConversations: emulator.Never}
	b := newBedWith(t, c, strings.Replace(nightly, "[contacts, deleted_contacts, contact_activities]", "conversations", 1)).publishingLake()
	id, err := b.space.CreateContact("user", emulator.FieldChange{Field: "name", Value: "Rosa"})
	b.failOn(err)
	talk, err := b.space.OpenConversation(id, 2)
	b.failOn(err)
	b.failOn(b.space.ReplyConversation(talk, conversations.ByContact, canary+"my card is 4111"))
	parts := b.space.PartIDs(talk)
	b.failOn(b.space.ReplyConversation(talk, conversations.ByContact, visible+"thanks"))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	older := b.copyPublished()
	_, err = b.space.OpenConversation(id, 2) // so that there is a second file
	b.failOn(err)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if len(b.filesContaining(string(b.runner.Dir), canary)) < 2 {
		t.Fatal("the files do not hold the text: the test finds nothing")
	}
	b.failOn(b.space.RedactPart(talk, parts[len(parts)-1], true))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkRedacted(talk)
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("a quiet run after it: %s", report.LastLine())
	}
	b.putBack(older)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.checkRedacted(talk)
}

func (b *testBed) checkRedacted(talk string) {
	b.t.Helper()
	b.noCanary(string(b.runner.Dir))
	if b.inLake(canary) || b.countRowsWith("conversation_parts", canary) > 0 {
		b.t.Error("a table holds what was redacted")
	}
	if b.countRowsWith("conversation_parts", visible) != 1 || !b.inLake(visible) || len(b.filesContaining(string(b.runner.Dir), visible)) == 0 {
		b.t.Error("what was not redacted is gone too")
	}
	if got := b.queryRows("SELECT count(*) FROM _sync.erasures WHERE table_name = 'conversation_parts' AND reason IN ('redacted', 'restored')"); got[0] != "1" {
		b.t.Errorf("the certificate: %v", got)
	}
	if got := b.queryRows("SELECT count(*) FILTER (redacted), count(*) FILTER (author_name = 'Rosa') > 1 FROM conversation_parts WHERE conversation_id = '" + talk + "'"); got[0] != "1|true" {
		b.t.Errorf("the part's row: %v", got)
	}
}
