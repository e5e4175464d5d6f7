package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

var withDeleted = strings.Replace(talking, "[conversations]", "[conversations, deleted_conversations]", 1)

func newDeletedBed(t *testing.T, k emulator.Knobs) chatBed {
	t.Helper()
	c := conversationConfig(k)
	c.Conversations = 20
	return chatBed{contactBed{newBedWith(t, c, withDeleted)}}
}

func (c chatBed) checkDeleted() {
	c.t.Helper()
	c.reader.CompareTables(c.t, c.space, c.runner.Dir.Current(), nil, oracletest.Table{Name: "deleted_conversations", Oracle: "deleted_conversations",
		Columns: []string{"id", "metrics_retained", "deleted_at"}})
}

// TestT60ListedDeletionIsMarkedInTheSameRun: the list has the conversation's id, the request by id answers 404, and no reconciliation is needed. A
// listed conversation that still exists stays.
func TestT60ListedDeletionIsMarkedInTheSameRun(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	for name, k := range map[string]emulator.Knobs{
		"latest first":            {NoLag: true},
		"in any order, as a data": {NoLag: true, DeletedConversationsOrder: emulator.OrderRandom, ConversationsKey: "data"},
	} {
		c := newDeletedBed(t, k)
		c.readAfterHour()
		c.checkDeleted()
		ids := c.space.ConversationIDs()
		c.advanceAfter(c.space.DeleteConversation(ids[2]), c.space.DeleteConversation(ids[5]))
		before := c.space.RequestCount()
		report := c.readAfterHour()
		if s := streamResult(t, report, "conversations_by_id"); s.Gone != 2 || s.Requests != 2 || c.countSingleReads(before) != 3 { // one is the list itself
			t.Errorf("%s: %+v, %d asked for", name, s, c.countSingleReads(before))
		}
		c.checkDeleted()
		c.equalsOracle()
		c.checkQuery(name+": gone", "SELECT count(*), count(_gone_at) FROM conversations_all WHERE id IN ('"+ids[2]+"', '"+ids[5]+"')", "2|2")
		if report := c.syncOnce(runner.Options{}); report.TotalRows() != 0 || streamResult(t, report, "conversations_by_id").Requests != 0 {
			t.Errorf("%s: a quiet run: %s\n%+v", name, report.LastLine(), report.Streams)
		}
	}
}

// TestT60WrongListOfDeletedConversationsDeletesNothing: the listed conversations are read by id, and exist.
func TestT60WrongListOfDeletedConversationsDeletesNothing(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newDeletedBed(t, emulator.Knobs{NoLag: true})
	id := c.space.ConversationIDs()[4]
	c.readAfterHour()
	c.mutateRoute("conversations.deleted", func(body []byte) []byte {
		return []byte(strings.Replace(string(body), `"conversations":[`, `"conversations":[{"type":"conversation","id":"`+id+`","deleted_at":1718000000},`, 1))
	})
	c.readAfterHour()
	c.checkQuery("it is there", "SELECT count(*), count(_gone_at) FROM conversations_all WHERE id = '"+id+"'", "1|0")
	c.equalsOracle()
}

// TestDeletedConversationsNeedALaterVersion: under an API version without the list the stream is unavailable, and the others go on.
func TestDeletedConversationsNeedALaterVersion(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newDeletedBed(t, emulator.Knobs{NoLag: true, LaterOnly: true})
	c.writeConfig(strings.Replace(withDeleted, "2.17", "2.16", 1))
	c.space.Advance(time.Hour)
	report := c.trySync(runner.Options{})
	if s := streamResult(t, report, "deleted_conversations"); s.Status != runlog.StatusUnavailable || !strings.Contains(s.Error, "404") || report.Exit() != problem.ExitOK {
		t.Errorf("%s %+v", report.LastLine(), s)
	}
	c.checkQuery("conversations", "SELECT count(*) FROM conversations", "20")
	c.writeConfig(withDeleted)
	c.readAfterHour()
	c.checkDeleted()
}
