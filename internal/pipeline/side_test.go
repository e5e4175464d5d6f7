package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runner"
)

// sideTables are the tables of what is read for each conversation. The id of an answer's record comes first, where it has one.
func sideTables() []oracletest.Table {
	of := func(table string) string {
		return "(SELECT t.* FROM " + table + " t JOIN conversations c ON c.id = t.conversation_id)"
	}
	file := []string{"side_conversation_id", "conversation_id", "part_id", "position:_position", "name", "url", "content_type", "filesize", "width", "height"}
	return []oracletest.Table{
		{Name: "handling_events", Oracle: "handling_events", Of: of("handling_events"), Columns: []string{"conversation_id", "happened_at", "event_type", "teammate_id",
			"teammate_type", "teammate_name", "teammate_email", "reason"}},
		{Name: "side_conversations", Oracle: "side_conversations", Of: of("side_conversations"), Columns: []string{"id", "conversation_id", "part_count"}},
		{Name: "side_conversation_parts", Oracle: "side_conversation_parts", Of: of("side_conversation_parts"), Columns: []string{"side_conversation_id", "conversation_id", "id",
			"part_type", "body", "created_at", "updated_at", "author_type", "author_id", "author_name", "author_email", "redacted"}},
		{Name: "side_conversation_attachments", Oracle: "side_conversation_attachments", Of: of("side_conversation_attachments"), Columns: file},
	}
}

func (b *testBed) equalsSides() {
	b.t.Helper()
	b.reader.CompareTables(b.t, b.space, b.runner.Dir.Current(), nil, sideTables()...)
}

// TestHandlingAndSideConversationsEqualTheOracle reads them through hours in which conversations are opened, changed and deleted.
func TestHandlingAndSideConversationsEqualTheOracle(t *testing.T) {
	t.Parallel()
	c := conversationConfig(emulator.Knobs{DeleteConversations: true})
	c.Seed, c.Contacts, c.Conversations = 74, 60, 40
	b := newBedWith(t, c, strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", "conversations, deleted_conversations, handling_events, side_conversations", 1))
	before := len(b.space.Oracle("handling_events"))
	for range 3 {
		b.syncOnce(runner.Options{})
		b.equalsSides()
		b.space.SimulateHours(6)
		b.space.Advance(time.Hour)
	}
	if now := len(b.space.Oracle("handling_events")); now == before || len(b.space.Oracle("side_conversation_attachments")) == 0 {
		t.Errorf("%d events as before, or no file: the test shows too little", now)
	}
}
