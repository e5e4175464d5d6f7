package emulator_test

import (
	"fmt"
	"testing"

	"aqueduck/internal/emulator"
)

// A workspace of the population team is served as the oracle says, also after hours in which its talks go on.
func TestTheTeamIsServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 7, Population: emulator.Team, Contacts: 120, Conversations: 200})
	for hours := range 3 {
		c.w.SimulateHours(hours * 6)
		if c.sameConversations(t); t.Failed() {
			t.Fatalf("after %d more hours", hours*6)
		}
		c.sameLists(t)
		c.sameTickets(t)
	}
}

func TestTheSameSeedAndHoursGiveTheSameTeam(t *testing.T) {
	t.Parallel()
	rows := func(seed uint64) string {
		w := emulator.New(emulator.Config{Seed: seed, Population: emulator.Team, Contacts: 100, Conversations: 150})
		w.SimulateHours(60)
		return fmt.Sprint(comparableRows(w.Oracle("contacts")), comparableRows(w.Oracle("conversations")), comparableRows(w.Oracle("conversation_parts")),
			comparableRows(w.Oracle("tickets")), comparableRows(w.Oracle("calls")), comparableRows(w.Oracle("hitl_events")), comparableRows(w.Oracle("admin_activity_logs")))
	}
	first := rows(3)
	if rows(3) != first {
		t.Error("two workspaces of one seed differ")
	}
	if rows(4) == first {
		t.Error("another seed gives the same")
	}
}
