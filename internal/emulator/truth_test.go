package emulator_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/state/conversations"
)

// oracleSnapshot has the oracle's rows of every stream at a time.
type oracleSnapshot struct {
	at   time.Time
	rows map[string][]string
}

func snapshotOracle(w *emulator.Workspace) oracleSnapshot {
	r := oracleSnapshot{at: w.CurrentTime(), rows: map[string][]string{}}
	for _, stream := range emulator.OracleStreams() {
		r.rows[stream] = comparableRows(w.Oracle(stream))
	}
	return r
}

// applyLateChanges makes changes that no simulated hour makes: records that are logged late, and other knobs.
func applyLateChanges(t *testing.T, w *emulator.Workspace, hour int) {
	t.Helper()
	contact, err := w.CreateContact("lead")
	failOn(t, err)
	user, err := w.CreateContact("user")
	failOn(t, err)
	talk, err := w.OpenConversation(user, 3)
	failOn(t, err)
	_, _, err = w.SummariseCall(talk) // the call began two hours ago
	failOn(t, err)
	failOn(t, w.StartConsultation(talk, "approved", 2, 20*time.Minute))
	w.AddRandomActions(5, 3*time.Hour)
	failOn(t, w.ReportRow("conversation", fmt.Sprint("by hand ", hour), w.CurrentTime().Unix()-86400, map[string]any{"state": "open"}))
	w.Advance(25 * time.Minute)
	failOn(t, w.MergeContacts(contact, user))
	failOn(t, w.EraseContact(w.ContactIDs("active")[hour]))
	failOn(t, w.RedactPart(talk, w.PartIDs(talk)[0], true))
	file := w.Oracle("conversation_attachments")[0]
	failOn(t, w.RedactPart(file["conversation_id"].(string), file["part_id"].(string), false))
	failOn(t, w.DeleteConversation(w.ConversationIDs()[hour]))
	failOn(t, w.ReportChange("conversation", fmt.Sprint("by hand ", hour), "state", "closed"))
	ticket, err := w.CreateTicket(user, "1200")
	failOn(t, err)
	failOn(t, w.ReplyTicket(ticket, conversations.ByContact, "<p>secret</p>"))
	failOn(t, w.RedactTicketPart(ticket, w.TicketPartIDs(ticket)[0], false))
	failOn(t, w.CloseTicket(w.TicketIDs()[hour]))
	w.SetWorkspaceID(fmt.Sprint("ws", hour))
	w.SetKnobs(func(k *emulator.Knobs) {
		k.PartsCap, k.TranscriptLate, k.CallsLeftOut = 100+hour, time.Duration(hour)*time.Hour, 0.1*float64(hour)
		k.HitlRedacted = []emulator.Occurrence{emulator.ByTurns, emulator.Always, emulator.Never}[hour%3]
	})
}

func TestTruthAtATimeIsWhatTheOracleSaidThen(t *testing.T) {
	t.Parallel()
	w := emulator.New(emulator.Config{Seed: 14, Contacts: 150, Conversations: 120,
		Knobs: emulator.Knobs{ChangeShare: 0.15, DeleteConversations: true, SilentParts: true}})
	past := []oracleSnapshot{snapshotOracle(w)}
	for hour := range 7 {
		w.SimulateHours(1)
		past = append(past, snapshotOracle(w))
		if hour%2 == 0 {
			w.Advance(time.Second) // a change within the same second would belong to it
			applyLateChanges(t, w, hour)
			past = append(past, snapshotOracle(w))
		}
	}
	moved := map[string]bool{}
	for i, then := range past {
		for _, stream := range emulator.OracleStreams() {
			rows, err := w.TruthAt(stream, then.at)
			if err != nil {
				t.Fatal(err)
			}
			got := comparableRows(slices.Collect(rows))
			if !slices.Equal(got, then.rows[stream]) {
				t.Errorf("%s at %s, the %dth time: %d rows, %d then%s", stream, then.at, i, len(got), len(then.rows[stream]), firstDifference(got, then.rows[stream]))
			}
			moved[stream] = moved[stream] || i > 0 && !slices.Equal(got, past[i-1].rows[stream])
		}
	}
	// The comparison proves nothing for a stream that never changes.
	for _, stream := range emulator.OracleStreams() {
		still := slices.Contains([]string{"tags", "admins", "ticket_states"}, stream)
		if moved[stream] == still {
			t.Errorf("%s changed: %t", stream, moved[stream])
		}
	}
}

// firstDifference returns the first rows that are on one side only.
func firstDifference(got, want []string) string {
	for _, row := range got {
		if !slices.Contains(want, row) {
			return "\ntold  " + row
		}
	}
	for _, row := range want {
		if !slices.Contains(got, row) {
			return "\nthen  " + row
		}
	}
	return ""
}

func TestTruthAtATimeIsAskedForOverHTTP(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	then := c.w.CurrentTime()
	c.w.Advance(time.Hour)
	c.createContact("user")
	count := func(at string) (rows []map[string]any) {
		t.Helper()
		r := c.do("GET", "/_oracle/contacts"+at, nil)
		if err := json.Unmarshal(r.raw, &rows); err != nil || r.status != 200 {
			t.Fatalf("%s: %d %s", at, r.status, r.raw)
		}
		return rows
	}
	now, before := len(count("")), len(count("?at="+fmt.Sprint(then.Unix())))
	if now != before+1 || len(count("?at="+then.Format(time.RFC3339))) != before || len(count("?at="+c.w.CurrentTime().Format(time.RFC3339))) != now {
		t.Errorf("%d contacts now, %d an hour ago", now, before)
	}
	for at, wanted := range map[string]string{fmt.Sprint(then.Unix() - 1): "before hour 0", fmt.Sprint(then.Unix() + 7200): "yet to come",
		"yesterday": `"yesterday" is no time`} {
		if r := c.do("GET", "/_oracle/contacts?at="+at, nil); r.status != 400 || !strings.Contains(string(r.raw), wanted) {
			t.Errorf("at=%s: %d %s", at, r.status, r.raw)
		}
	}
	if r := c.do("GET", "/_oracle/contcts?at="+fmt.Sprint(then.Unix()), nil); r.status != 404 || !strings.Contains(string(r.raw), "contact_lifecycle") {
		t.Errorf("no such stream: %d %s", r.status, r.raw)
	}
	if _, err := c.w.TruthAt("contacts", then.Add(-time.Second)); !errors.Is(err, emulator.ErrTime) {
		t.Errorf("before hour 0: %v", err)
	}
	if _, err := c.w.TruthAt("contcts", then); !errors.Is(err, control.ErrNoStream) {
		t.Errorf("no such stream: %v", err)
	}
}
