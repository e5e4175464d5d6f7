package emulator_test

import (
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
	}
}
