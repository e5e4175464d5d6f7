package emulator_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// callRow converts a call as it is sent to the columns of the oracle.
func callRow(t testing.TB, c map[string]any) map[string]any {
	row := map[string]any{}
	for name, v := range c {
		switch text, _ := v.(string); {
		case name == "type":
		case strings.HasSuffix(name, "_at") && text != "":
			at, err := time.Parse(time.RFC3339, text)
			if err != nil {
				t.Fatal(err)
			}
			row[name] = at.Unix()
		case strings.HasSuffix(name, "_url") && text != "":
			address, query, _ := strings.Cut(text, "?")
			if !strings.Contains(query, "X-Signature=") {
				t.Errorf("%s is not signed", text)
			}
			row[name] = address
		case name == "admin_id" && v != nil:
			row[name] = fmt.Sprint(v)
		default:
			row[name] = v
		}
	}
	return row
}

func TestCallsAreServedAsTheOracleHasThem(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 3, Calls: 130})
	for range 3 {
		var rows []map[string]any
		for _, call := range c.walkPages("/calls", 150) { // more than 25 are never given
			rows = append(rows, callRow(t, call))
		}
		sameRows(t, "calls", rows, c.w.Oracle("calls"))
		c.w.SimulateHours(5)
		c.w.Advance(20 * time.Minute)
	}
	if r := c.do("GET", "/calls?per_page=150", nil); len(r.dataItems()) != 25 {
		t.Errorf("a page of %d", len(r.dataItems()))
	}
	if r := c.do("GET", "/calls/nobody", nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("a call that is not there: %d %s", r.status, r.errorCode())
	}
}

func TestCallSearchHasTranscriptsAndOmitsSomeCalls(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 4, Calls: 130, Knobs: emulator.Knobs{CallsLeftOut: 0.2}})
	c.w.SimulateHours(3)
	conversations, wanted := map[string]bool{}, c.w.Oracle("call_transcripts")
	for _, row := range c.w.Oracle("calls") {
		conversations[row["conversation_id"].(string)] = true
	}
	var rows, lines []map[string]any
	for id := range conversations {
		for _, call := range c.do("POST", "/calls/search", m{"conversation_ids": []string{id}}).dataItems() {
			list, told := call["transcript"].([]any)
			if !told {
				continue // it has not ended
			}
			rows = append(rows, m{"call_id": call["id"], "conversation_id": id, "contact_id": call["contact_id"], "transcript_status": call["transcript_status"]})
			for i, line := range list {
				if line := line.(map[string]any); len(line) > 0 {
					lines = append(lines, m{"call_id": call["id"], "position": i, "contact_id": call["contact_id"], "speaker": line["speaker"],
						"text": line["text"], "start_seconds": line["start"], "end_seconds": line["end"]})
				}
			}
		}
	}
	sameRows(t, "call_transcripts", rows, wanted)
	sameRows(t, "call_transcript_lines", lines, c.w.Oracle("call_transcript_lines"))
	if len(wanted) < 80 || len(wanted) > 125 {
		t.Errorf("%d of some 130 calls are not left out", len(wanted))
	}
	many := make([]string, 21)
	for i := range many {
		many[i] = strconv.Itoa(i)
	}
	for _, ids := range [][]string{many, {}} {
		if r := c.do("POST", "/calls/search", m{"conversation_ids": ids}); r.status != 400 {
			t.Errorf("%d ids: %d", len(ids), r.status)
		}
	}
}

// TestT77SummarizedCallsAreInTheListOfCalls: the call of a summary part is in GET /calls, has the same conversation, and has ended.
func TestT77SummarizedCallsAreInTheListOfCalls(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Contacts: 100, Conversations: 120, Calls: 80, Knobs: emulator.Knobs{ChangeShare: 0.2}})
	check := func(least int) {
		t.Helper()
		calls, told := map[string]map[string]any{}, map[string]bool{}
		for _, call := range c.walkPages("/calls", 25) {
			calls[call["id"].(string)] = call
		}
		for _, talk := range c.allConversations() {
			for _, part := range partsOf(talk) {
				if part["part_type"] != "call_summary" {
					continue
				}
				id := part["event_details"].(map[string]any)["call_id"].(string)
				if call := calls[id]; call == nil || call["conversation_id"] != talk["id"] || call["state"] != "ended" || told[id] {
					t.Errorf("conversation %v sums up call %s, again: %t; the list has %v", talk["id"], id, told[id], call)
				}
				told[id] = true
			}
		}
		if len(told) < least {
			t.Errorf("%d calls are summed up, want at least %d", len(told), least)
		}
	}
	check(40)
	before := len(c.w.Oracle("calls"))
	_, call, err := c.w.SummariseCall(c.w.ConversationIDs()[3])
	failOn(t, err)
	if rows := c.w.Oracle("calls"); len(rows) != before+1 || rows[before]["id"] != call {
		t.Errorf("summing up call %s adds %v", call, rows[before:])
	}
	c.w.SimulateHours(20)
	check(45)
}

// activityRow converts an entry of the activity log to the columns of the oracle.
func activityRow(t testing.TB, e map[string]any) map[string]any {
	who, ok := e["performed_by"].(map[string]any)
	if !ok {
		t.Fatalf("nobody did %v", e)
	}
	return m{"id": e["id"], "activity_type": e["activity_type"], "activity_description": e["activity_description"], "created_at": e["created_at"],
		"performed_by_type": who["type"], "performed_by_id": who["id"], "performed_by_email": who["email"], "performed_by_ip": who["ip"]}
}

func TestActivityLogsLieBetweenTwoTimesAndHaveNoSecondPage(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 5, Logs: 120, Knobs: emulator.Knobs{LogPage: 1000}})
	c.w.SimulateHours(10)
	entries := func(query string) []any {
		list, _ := c.do("GET", "/admins/activity_logs?"+query, nil).json["activity_logs"].([]any)
		return list
	}
	var rows, wanted []map[string]any
	for _, e := range entries("created_at_after=0") {
		rows = append(rows, activityRow(t, e.(map[string]any)))
	}
	for _, row := range c.w.Oracle("admin_activity_logs") {
		delete(row, "metadata")
		wanted = append(wanted, row)
	}
	sameRows(t, "admin_activity_logs", rows, wanted)
	at := rows[40]["created_at"]
	one := fmt.Sprintf("created_at_after=%v&created_at_before=%v", at, at)
	if len(entries(one)) == 0 {
		t.Error("the bounds are not inside")
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.LogBoundsOut = true })
	if n := len(entries(one)); n != 0 {
		t.Errorf("%d entries where the bounds are outside", n)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.LogPage = 0 })
	first, second := c.do("GET", "/admins/activity_logs?created_at_after=1", nil), c.do("GET", "/admins/activity_logs?created_at_after=1&page=2", nil)
	if first.nextPage() == nil || string(first.raw) != string(second.raw) || len(entries("created_at_after=1&per_page=250")) <= 20 {
		t.Errorf("20 entries, and no page of others: %s", first.raw)
	}
	if r := c.do("GET", "/admins/activity_logs", nil); r.status != 404 || r.errorCode() != "parameter_not_found" {
		t.Errorf("without created_at_after: %d %s", r.status, r.errorCode())
	}
	c.w.AddRandomActions(50, time.Second)
	c.w.SetKnobs(func(k *emulator.Knobs) { k.LogBoundsOut = false })
	now := c.w.CurrentTime().Unix()
	if n := len(entries(fmt.Sprintf("created_at_after=%d&created_at_before=%d&per_page=250", now, now))); n < 50 {
		t.Errorf("%d entries in this second", n)
	}
}

func TestCallsAndLogsAreAFunctionOfSeedAndHours(t *testing.T) {
	t.Parallel()
	a, b := startWorkspace(t, emulator.Config{Seed: 6}), startWorkspace(t, emulator.Config{Seed: 6})
	a.w.SimulateHours(4)
	a.w.SimulateHours(5)
	b.w.SimulateHours(9)
	for _, stream := range []string{"calls", "call_transcripts", "call_transcript_lines", "admin_activity_logs"} {
		sameRows(t, stream, a.w.Oracle(stream), b.w.Oracle(stream))
	}
}
