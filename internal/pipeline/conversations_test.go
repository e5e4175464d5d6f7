package pipeline_test

import (
	"strings"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

// conversationConfig is a workspace with conversations of every kind.
func conversationConfig(k emulator.Knobs) emulator.Config {
	return emulator.Config{Seed: 9, Contacts: 60, Inactive: 20, Activities: 100, Conversations: 120, Knobs: k}
}

func newTalkBed(t testing.TB, k emulator.Knobs) *testBed {
	t.Helper()
	return newBedWith(t, conversationConfig(k), strings.Replace(nightly, "streams: [", "streams: [conversations, ", 1))
}

// Holds: T61.
func TestT54To61ConversationsEqualTheOracleHourByHour(t *testing.T) {
	t.Parallel()
	for i, temper := range []struct {
		name  string
		hours int
		k     emulator.Knobs
	}{
		{"as documented", 3, emulator.Knobs{}},
		{"under another key", 2, emulator.Knobs{ConversationsKey: "data"}},
		{"empty left out", 2, emulator.Knobs{OmitEmpty: true}},
	} {
		t.Run(temper.name, func(t *testing.T) {
			if i > 0 {
				lane.SkipHeavy(t)
			}
			t.Parallel()
			k := temper.k
			k.ChangeShare, k.QuietConversations = 0.15, emulator.Never
			b := newTalkBed(t, k)
			for range temper.hours {
				b.syncOnce(runner.Options{})
				b.equalsOracle()
				b.space.SimulateHours(1)
			}
		})
	}
}

func TestT58SilentChangeIsFoundByReadingAgain(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newTalkBed(t, emulator.Knobs{NoLag: true})
	b.syncOnce(runner.Options{})
	ids := b.space.ConversationIDs()
	id := ids[len(ids)-1]
	for _, change := range []error{
		b.space.ReplyConversation(id, conversations.ByContact, "<p>secret</p>"),
		b.space.RateConversation(id, 2, "meh", false), b.space.ReviewConversation(id, 3, "needs_fix", false),
	} {
		if change != nil {
			t.Fatal(change)
		}
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	parts := b.space.PartIDs(id)
	for _, change := range []error{
		b.space.MutatePartSilently(id, parts[0], emulator.RemoveTeam), b.space.RedactPart(id, parts[len(parts)-1], false),
		b.space.ReviewConversation(id, 3, "fix_complete", false), b.space.RateConversation(id, 5, "better", false),
	} {
		if change != nil {
			t.Fatal(change)
		}
	}
	b.space.Advance(8 * 24 * time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestRewindReadsEachConversationAgain, also where the list shows a conversation unchanged: an operator who rewinds a watermark doubts the stored
// rows.
func TestRewindReadsEachConversationAgain(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	yes := func([]admin.Move) (bool, error) { return true, nil }
	for name, back := range map[string]func(b *testBed) error{
		"reset": func(b *testBed) error { return admin.Reset(t.Context(), b.runner, "", "conversations", yes) },
		"rewind": func(b *testBed) error {
			return admin.Rewind(t.Context(), b.runner, "", "conversations", b.space.CurrentTime().AddDate(0, 0, -2), yes)
		},
	} {
		b := newTalkBed(t, emulator.Knobs{NoLag: true})
		b.syncOnce(runner.Options{})
		ids := b.space.ConversationIDs()
		id := ids[len(ids)-1]
		if err := b.space.ReplyConversation(id, conversations.ByContact, "<p>secret</p>"); err != nil {
			t.Fatal(err)
		}
		b.space.Advance(time.Hour)
		b.syncOnce(runner.Options{})
		parts := b.space.PartIDs(id)
		if err := b.space.RedactPart(id, parts[len(parts)-1], false); err != nil {
			t.Fatal(err)
		}
		b.space.Advance(time.Hour)
		if err := back(b); err != nil {
			t.Fatal(name, err)
		}
		b.syncOnce(runner.Options{})
		b.equalsOracle()
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestSilentChangesAreFoundWithinAWeek makes every change that the API's document allows without a new updated_at: ratings, reviews, redactions,
// removed tags, parts that change in place, deleted conversations. A week later, after the refresh and a reconciliation, and for contacts a full
// refresh, everything equals the oracle.
// Holds: T45.
func TestSilentChangesAreFoundWithinAWeek(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	b := newTalkBed(t, emulator.Knobs{QuietConversations: emulator.Always, SilentParts: true, DeleteConversations: true, QuietUntag: true,
		ListDeletes: emulator.ListNone, DeletedOrder: emulator.OrderOldest, PartsCap: 30, ChangeShare: 0.1})
	b.capParts(30)
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(6)
	b.syncOnce(runner.Options{})
	b.space.Advance(8 * 24 * time.Hour)
	b.syncOnce(runner.Options{})
	b.syncOnce(runner.Options{FullRefresh: true})
	b.equalsOracle()
}
