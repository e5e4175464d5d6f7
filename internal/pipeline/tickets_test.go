package pipeline_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// ticketsOnly reads tickets only.
var ticketsOnly = strings.Replace(nightly, "contacts, deleted_contacts, contact_activities", "tickets", 1)

func ticketBed(t *testing.T, seed uint64, k emulator.Knobs) *testBed {
	t.Helper()
	c := tinyConfig(seed)
	c.Conversations, c.Tickets, c.Knobs = 20, 60, k
	return newBedWith(t, c, ticketsOnly)
}

func (b *testBed) equalsTickets() {
	b.t.Helper()
	oracletest.CompareTickets(b.t, b.space, b.runner.Dir.Current())
}

// TestT54T61TicketsEqualTheOracleHourByHour reads tickets that are opened, moved, changed, linked and redacted, under every reading of the API's
// document.
func TestT54T61TicketsEqualTheOracleHourByHour(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	for name, k := range map[string]emulator.Knobs{
		"as documented":                   {},
		"under another key, as few parts": {TicketsKey: "data", PartsCap: 6, OmitEmpty: true, TicketStateText: emulator.Never},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k.ChangeShare, k.QuietConversations = 0.3, emulator.Never
			b := ticketBed(t, 161, k)
			if k.PartsCap > 0 {
				b.capParts(int64(k.PartsCap))
			}
			for range 3 {
				b.syncOnce(runner.Options{})
				b.equalsTickets()
				b.space.SimulateHours(1)
			}
			b.space.Advance(time.Hour)
			b.syncOnce(runner.Options{})
			if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
				t.Errorf("a quiet run: %s\n%+v", report.LastLine(), report.Streams)
			}
			b.equalsTickets()
			if got := b.queryRows(`SELECT (SELECT count(DISTINCT column_name) > 4 FROM information_schema.columns WHERE table_name = 'tickets_attributes'),
				(SELECT count(*) > 0 FROM ticket_attributes)`); got[0] != "true|true" {
				t.Errorf("attributes of tickets: %v", got)
			}
		})
	}
}

// TestNewVersionReReadsTickets: up to 2.16 searches are by day, a state is text, and parts have no assignee.
func TestNewVersionReReadsTickets(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	for _, text := range []emulator.Occurrence{emulator.ByTurns, emulator.Always} {
		b := ticketBed(t, 162, emulator.Knobs{ChangeShare: 0.3, QuietConversations: emulator.Never, TicketStateText: text})
		b.writeConfig(strings.Replace(ticketsOnly, "2.17", "2.16", 1))
		for range 3 {
			b.syncOnce(runner.Options{})
			b.space.SimulateHours(1)
		}
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		want := func() (states []string) {
			for _, row := range b.space.Oracle("tickets") {
				states = append(states, fmt.Sprint(row["id"], row["updated_at"], row["ticket_state_category"]))
			}
			return states
		}
		stored := func() []string {
			return b.queryRows("SELECT id || epoch(updated_at)::BIGINT || CASE json_type(ticket_state) WHEN 'VARCHAR' THEN ticket_state->>'$' ELSE ticket_state_category END FROM tickets")
		}
		oracletest.CompareRows(t, "states under 2.16", stored(), want())
		if got := b.queryRows("SELECT count(ticket_state_id), count(*) FILTER (json_type(ticket_state) = 'VARCHAR') = count(*) FROM tickets"); got[0] != "0|true" {
			t.Errorf("states are no texts: %v", got)
		}
		b.writeConfig(ticketsOnly)
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		oracletest.CompareRows(t, "states under 2.17", stored(), want())
		if text == emulator.ByTurns {
			b.equalsTickets()
		}
	}
}

// TestT57PartsOfTicketsBeyondTheNewestStay, and their number shows those that cannot be read any more.
func TestT57PartsOfTicketsBeyondTheNewestStay(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := ticketBed(t, 163, emulator.Knobs{PartsCap: 4})
	b.capParts(4)
	id := b.newTicket()
	for n := range 4 {
		b.failOn(b.space.ReplyTicket(id, conversations.ByNote, fmt.Sprint("note ", n)))
	}
	b.syncAfterHour()
	for n := range 3 {
		b.failOn(b.space.ReplyTicket(id, conversations.ByNote, fmt.Sprint("later ", n)))
	}
	b.syncAfterHour()
	if got := b.queryRows("SELECT part_count, (SELECT count(*) FROM ticket_parts WHERE ticket_id = tickets.id) FROM tickets WHERE id = '" + id + "'"); got[0] != "7|7" {
		t.Errorf("parts: %v", got)
	}
	b.equalsTickets()
}

// newTicket opens a ticket about a contact.
func (b *testBed) newTicket() string {
	b.t.Helper()
	id, err := b.space.CreateTicket(b.space.ContactIDs("active")[0], "1200")
	b.failOn(err)
	return id
}

// syncAfterHour runs the pipeline an hour later, when the search index is up to date.
func (b *testBed) syncAfterHour() *runlog.Report {
	b.t.Helper()
	b.space.Advance(time.Hour)
	return b.syncOnce(runner.Options{})
}

// TestT58T59T60SilentTicketChangesAreFoundWithinAWeek: a part gets another assignee, the text of one is redacted, a ticket is deleted, another one
// is indexed too late. Reconciliation finds all of it, reads only the missing ones by id, and no file keeps the text.
func TestT58T59T60SilentTicketChangesAreFoundWithinAWeek(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := ticketBed(t, 164, emulator.Knobs{NoLag: true})
	id := b.newTicket()
	b.failOn(b.space.ReplyTicket(id, conversations.ByContact, canary+"my card is 4111"))
	b.failOn(b.space.ReplyTicket(id, conversations.ByContact, visible+"thanks"))
	b.failOn(b.space.AssignTicket(id, emulator.AssignTeam))
	b.syncAfterHour()
	b.space.Advance(3 * 24 * time.Hour) // beyond the lookback window, because there is a newer ticket
	b.newTicket()
	b.syncAfterHour()
	if b.countRowsWith("ticket_parts", canary) == 0 {
		t.Fatal("the text is not stored: the test finds nothing")
	}
	parts, gone := b.space.TicketPartIDs(id), b.space.TicketIDs()[0]
	b.failOn(b.space.RedactTicketPart(id, parts[0], false))
	b.failOn(b.space.MutateTicketPart(id, parts[2], emulator.RemoveTeam))
	b.failOn(b.space.DeleteTicket(gone))
	b.space.Advance(2 * 24 * time.Hour)
	if s := streamResult(t, b.syncOnce(runner.Options{}), "tickets"); s.Requests > 2 || s.Gone != 0 || s.Rows != 0 {
		t.Errorf("before it is due: %+v", s)
	}
	b.space.Advance(3 * 24 * time.Hour)
	s := streamResult(t, b.syncOnce(runner.Options{}), "tickets")
	if asked := b.countRequests(0, "/tickets/", "/tickets/search")["/tickets/"]; s.Gone != 1 || asked != 1 {
		t.Errorf("%d gone, %d asked for by id, and one has vanished", s.Gone, asked)
	}
	b.equalsTickets()
	b.noCanary(string(b.runner.Dir))
	if b.inLake(canary) || b.countRowsWith("ticket_parts", visible) != 1 {
		t.Error("what was redacted is there, or what was not is gone")
	}
	if got := b.queryRows("SELECT count(_gone_at), count(*) FILTER (_gone_at IS NULL) = (SELECT count(*) FROM tickets) FROM tickets_all"); got[0] != "1|true" {
		t.Errorf("gone: %v", got)
	}
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 {
		t.Errorf("a quiet run after it: %s", report.LastLine())
	}
}

// TestUndocumentedTicketAnswersAreHandled: a plan without tickets, an unknown field, a value of the wrong type, answers without a list. Rows stay,
// and the tables are right once the answers are.
func TestUndocumentedTicketAnswersAreHandled(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := ticketBed(t, 165, emulator.Knobs{NoLag: true})
	id := b.newTicket()
	b.syncAfterHour()
	edit := func(old, new string) {
		b.failOn(b.space.ReplyTicket(id, conversations.ByNote, "again"))
		b.space.SetKnobs(func(k *emulator.Knobs) {
			k.Mutate = func(route string, body []byte) []byte {
				at := bytes.Index(body, []byte(`"id":"`+id+`"`))
				if route != "tickets.search" || at < 0 {
					return body
				}
				return append(body[:at:at], bytes.Replace(body[at:], []byte(old), []byte(new), 1)...)
			}
		})
	}
	row := func(columns string) string {
		return b.queryRows("SELECT " + columns + " FROM tickets WHERE id = '" + id + "'")[0]
	}
	edit(`"category":`, `"brand_new":{"deep":"field"},"category":`)
	if s := streamResult(t, b.syncAfterHour(), "tickets"); s.Rejected != 0 || row("_extra->>'$.brand_new.deep'") != "field" {
		t.Errorf("an unknown field: %s, %+v", row("_extra"), s)
	}
	edit(`"open":true`, `"open":{"odd":"value"}`)
	if s := streamResult(t, b.syncAfterHour(), "tickets"); s.Rejected != 1 || row("open, _extra->>'$.open.odd'") != "∅|value" {
		t.Errorf("a wrong type: %s, %+v", row("open, _extra"), s)
	}
	all := b.queryRows("SELECT count(*) FROM tickets")[0]
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate, k.Unavailable = nil, []string{"tickets.search"} })
	if s := streamResult(t, b.trySync(runner.Options{}), "tickets"); s.Status != runlog.StatusUnavailable || b.queryRows("SELECT count(*) FROM tickets")[0] != all {
		t.Errorf("without the plan: %+v", s)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = nil })
	b.failOn(b.space.ReplyTicket(id, conversations.ByNote, "at last"))
	b.syncAfterHour()
	b.equalsTickets()
}
