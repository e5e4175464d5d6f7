package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// consulting reads conversations and their consultations only.
var consulting = strings.Replace(talking, "[conversations]", "[conversations, hitl_events]", 1)

func newConsulting(t testing.TB, conversations int, k emulator.Knobs) chatBed {
	t.Helper()
	c := conversationConfig(k)
	c.Conversations = conversations
	return chatBed{contactBed{newBedWith(t, c, consulting).publishingLake()}}
}

// checkConsultations compares the stored events with the oracle, and the consultations with those events, for conversations that changed within
// the week before. Events of other conversations cannot be known before these change.
func (c chatBed) checkConsultations() {
	c.t.Helper()
	moved := map[any]int64{}
	for _, row := range c.space.Oracle("conversations") {
		moved[row["id"]] = row["updated_at"].(int64)
	}
	seen := func(row map[string]any) bool {
		return row["readable"] != false && row["created_at"].(int64) < moved[row["conversation_id"]]+7*24*3600
	}
	words := []string{"sharp_ask", "ask_rationale", "issue_summary", "customer_question", "draft", "teammate_input", "revised_draft", "final_draft", "sent_text"}
	columns := append([]string{"conversation_id", "hitl_cycle_id", "event_type", "round_index:nullif(round_index, 0)", "created_at", "conversation_part_id",
		"rule_id", "rule_name", "channel", "rule_threshold_percent", "confidence_percent", "regeneration_outcome", "reviewer_admin_id", "outcome",
		"approved_draft_type", "duration_seconds", "rounds_count", "payload_truncated"}, words...)
	c.reader.CompareTables(c.t, c.space, c.runner.Dir.Current(), nil, oracletest.Table{Name: "hitl_events", Oracle: "hitl_events", Columns: columns,
		Of: "(SELECT h.* FROM hitl_events h JOIN conversations c ON id = conversation_id AND h.created_at < c.updated_at + INTERVAL 7 DAY)", Where: seen})
	var want []string
	for _, row := range c.space.Oracle("hitl_events") {
		if row["event_type"] == "ai_consultation_finished" && seen(row) {
			want = append(want, fmt.Sprintf("%v|%v|%v|%v", row["hitl_cycle_id"], row["created_at"], row["outcome"], row["rounds_count"].(int64) > 10))
		}
	}
	oracletest.CompareRows(c.t, "consultations", c.queryRows(`SELECT hitl_cycle_id, finished_at, outcome, rounds_truncated FROM consultations
		JOIN conversations ON id = conversation_id AND finished_at < updated_at + INTERVAL 7 DAY`), want)
}

// consultationQuery is a query for one conversation's consultations.
func consultationQuery(id, columns string) string {
	return "SELECT " + columns + " FROM hitl_events WHERE conversation_id = '" + id + "'"
}

// TestT69ToT74ConsultationsEqualTheOracle reads the consultations of changing conversations: when the conversation is new or has changed, and
// again in the weeks after.
// Holds: T71, T73.
func TestT69ToT74ConsultationsEqualTheOracle(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 60, emulator.Knobs{NoLag: true, ChangeShare: 0.1, HitlRedacted: emulator.Never, DeleteConversations: true})
	c.syncOnce(runner.Options{})
	c.checkConsultations()
	asked := c.space.RequestCount()
	if report := c.syncOnce(runner.Options{}); report.TotalRows() != 0 || streamResult(t, report, "hitl_events").Requests != 0 {
		t.Errorf("without news: %s, %d requests\n%+v", report.LastLine(), c.space.RequestCount()-asked, report.Streams)
	}
	c.space.SimulateHours(3)
	c.readAfterWeek()
	c.checkConsultations()
}

// TestT69LateOutcomeIsFoundWithinAWeek: events appear when the consultation has ended, which does not change the conversation. An answer without
// events is not final.
func TestT69LateOutcomeIsFoundWithinAWeek(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{})
	id := c.openConversation(1)
	c.advanceAfter(c.space.StartConsultation(id, "approved", 0, 26*time.Hour))
	c.readAfterHour()
	c.checkQuery("before its end", consultationQuery(id, "count(*)"), "0")
	c.space.Advance(26 * time.Hour)
	if s := streamResult(t, c.syncOnce(runner.Options{}), "hitl_events"); s.Requests != 0 {
		t.Errorf("asked again before it is due: %+v", s)
	}
	c.readAfterWeek()
	c.checkQuery("within a week", consultationQuery(id, "count(*)"), "3")
	c.checkQuery("the consultation", "SELECT outcome, rounds_count, rounds_stored FROM consultations WHERE conversation_id = '"+id+"'", "approved|0|0")
}

// TestT70RoundsBeyondTheNewestTenAreReported, and stored rounds stay.
// Holds: T73.
func TestT70RoundsBeyondTheNewestTenAreReported(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{})
	for _, rounds := range []int{10, 12, 25} {
		id := c.openConversation(1)
		c.advanceAfter(c.space.StartConsultation(id, "approved", rounds, time.Minute))
		c.readAfterHour()
		c.checkQuery(fmt.Sprint(rounds, " rounds"), "SELECT rounds_count, rounds_stored, rounds_truncated, payload_truncated FROM consultations WHERE conversation_id = '"+id+"'",
			fmt.Sprintf("%d|10|%t|%t", rounds, rounds > 10, rounds > 20))
	}
	c.checkQuery("the audit, which says so once", "SELECT kind, name, found, expected FROM _sync.audit WHERE stream = 'hitl_events'", "known|rounds_capped|10|12")
	id := c.openConversation(1)
	c.advanceAfter(c.space.StartConsultation(id, "approved", 10, time.Minute))
	c.readAfterHour()
	c.mutateRoute("conversations.hitl", func(body []byte) []byte { // more rounds are counted than sent: the first ones are missing
		text := strings.ReplaceAll(string(body), `"rounds_count":10`, `"rounds_count":14`)
		for n := 1; n <= 4; n++ {
			text = strings.ReplaceAll(text, fmt.Sprintf(`"round_index":%d,`, n), fmt.Sprintf(`"round_index":%d,`, n+10))
		}
		return []byte(text)
	})
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "again"))
	c.readAfterHour()
	c.checkQuery("with those that are no longer sent", "SELECT rounds_count, rounds_stored, rounds_truncated FROM consultations WHERE conversation_id = '"+id+"' AND rounds_count > 9", "14|14|false")
}

// TestT71EventsOfOneSecondAreSeparateRows: feedback of two rounds in one second, without ids.
func TestT71EventsOfOneSecondAreSeparateRows(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{})
	id := c.openConversation(1)
	c.advanceAfter(c.space.StartConsultation(id, "approved", 5, 0))
	c.readAfterHour()
	c.checkQuery("rounds, times", consultationQuery(id, "count(DISTINCT round_index) FILTER (event_type = 'ai_teammate_input_received'), count(DISTINCT created_at)"), "5|1")
	c.checkConsultations()
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "again"))
	if s := streamResult(t, c.readAfterHour(), "hitl_events"); s.Requests != 1 || s.Rows != 0 {
		t.Errorf("read again: %+v", s)
	}
}

// TestT72RedactedConversationKeepsNoConsultationText, whether the source sends events without text or no events. The rows stay, and no file has
// the text. A deleted conversation is another case.
func TestT72RedactedConversationKeepsNoConsultationText(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	for name, hide := range map[string]emulator.Occurrence{"none": emulator.Always, "without words": emulator.Never} {
		c := newConsulting(t, 8, emulator.Knobs{HitlRedacted: hide})
		id, gone := c.openConversation(1), c.openConversation(1)
		c.advanceAfter(c.space.ReplyConversation(gone, conversations.ByContact, visible+"stays"), c.space.StartConsultation(id, "approved", 1, time.Minute))
		canaryPlanter{id: canary}.plantConsultations(c.testBed)
		c.readAfterHour()
		c.checkQuery(name+": before", consultationQuery(id, "count(*) > 3, count(issue_summary), count(sent_text)"), "true|1|1")
		kept := c.queryRows(consultationQuery(id, "hitl_cycle_id, event_type, round_index, outcome") + " ORDER BY ALL")
		c.advanceAfter(c.space.RedactPart(id, "", true))
		c.front = c.space
		c.readAfterHour()
		c.checkQuery(name+": the words", consultationQuery(id, "count(COLUMNS('ask|summary|question|draft$|input|text|_extra'))"), "0|0|0|0|0|0|0|0|0|0")
		c.checkQuery(name+": the rows", consultationQuery(id, "hitl_cycle_id, event_type, round_index, outcome")+" ORDER BY ALL", kept...)
		c.checkQuery(name+": the consultation", "SELECT outcome, sent_text, issue_summary FROM consultations WHERE conversation_id = '"+id+"'", "approved|∅|∅")
		c.checkQuery(name+": the certificate", "SELECT count(*) > 0 FROM _sync.erasures WHERE reason = 'redacted'", "true")
		c.noCanary(string(c.runner.Dir))
		c.noCanaryInTables()
		if c.inLake(canary) || !c.inLake(visible) {
			t.Errorf("%s: a Parquet file holds the words, or not even others", name)
		}
		if report := c.syncOnce(runner.Options{}); report.TotalRows() != 0 {
			t.Errorf("%s: a quiet run after it: %s", name, report.LastLine())
		}
		c.advanceAfter(c.space.StartConsultation(gone, "approved", 1, time.Minute), c.space.ReplyConversation(gone, conversations.ByContact, "bye"))
		c.readAfterHour()
		c.advanceAfter(c.space.DeleteConversation(gone))
		c.readAfterWeek()
		c.checkQuery(name+": of one that is gone", consultationQuery(gone, "count(sent_text)"), "1")
	}
}

// TestT72RestoredConsultationTextIsStoredAgain: an answer without events may have been a mistake of the source.
func TestT72RestoredConsultationTextIsStoredAgain(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{})
	id := c.openConversation(1)
	c.advanceAfter(c.space.StartConsultation(id, "approved", 1, time.Minute))
	c.readAfterHour()
	stored := c.queryRows(consultationQuery(id, "*  EXCLUDE (_synced_at, _run_id)") + " ORDER BY ALL")
	c.mutateRoute("conversations.hitl", func([]byte) []byte { return []byte(`{"type":"list","data":[]}`) })
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "again"))
	c.readAfterHour()
	c.checkQuery("none", consultationQuery(id, "count(*), count(sent_text)"), fmt.Sprint(len(stored), "|0"))
	c.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = nil })
	c.advanceAfter(c.space.ReplyConversation(id, conversations.ByContact, "and again"))
	c.readAfterHour()
	c.checkQuery("again", consultationQuery(id, "*  EXCLUDE (_synced_at, _run_id)")+" ORDER BY ALL", stored...)
}

// TestT74SupersededConsultationIsSeparate: events of two overlapping consultations are assigned by their cycle.
func TestT74SupersededConsultationIsSeparate(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{})
	id := c.openConversation(1)
	c.advanceAfter(c.space.StartConsultation(id, "approved", 3, time.Hour))
	c.space.Advance(10 * time.Minute)
	c.advanceAfter(c.space.StartConsultation(id, "timed_out_escalated", 0, time.Minute))
	c.readAfterHour()
	c.checkQuery("in order of their end", "SELECT outcome, rounds_count, sent_part_id IS NULL FROM consultations WHERE conversation_id = '"+id+"' ORDER BY finished_at",
		"superseded|3|true", "timed_out_escalated|0|true")
	c.checkConsultations()
}

// TestConsultationsOutsideTheScopeAreUnavailable, and conversations go on.
func TestConsultationsOutsideTheScopeAreUnavailable(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 8, emulator.Knobs{Forbidden: []string{"conversations.hitl"}})
	c.space.Advance(time.Hour)
	report := c.trySync(runner.Options{})
	if s := streamResult(t, report, "hitl_events"); s.Status != runlog.StatusUnavailable || s.Class != "scope" || report.Exit() != problem.ExitOK {
		t.Errorf("%s %+v", report.LastLine(), s)
	}
	c.space.SetKnobs(func(k *emulator.Knobs) { k.Forbidden = nil })
	c.readAfterHour()
	c.checkConsultations()
}

// TestConsultationsNeedALaterVersion: a version without them answers 404 for each conversation. That is not an empty answer, and the queue keeps
// its ids until a version has them.
func TestConsultationsNeedALaterVersion(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := newConsulting(t, 60, emulator.Knobs{LaterOnly: true})
	c.writeConfig(strings.Replace(consulting, "2.17", "2.16", 1))
	for range 2 {
		c.space.Advance(time.Hour)
		report := c.trySync(runner.Options{})
		if s := streamResult(t, report, "hitl_events"); s.Status != runlog.StatusUnavailable || s.Requests > 50 || !strings.Contains(s.Error, "404") || report.Exit() != problem.ExitOK {
			t.Errorf("%s %+v", report.LastLine(), s)
		}
	}
	c.writeConfig(consulting)
	c.readAfterHour()
	c.checkConsultations()
}
