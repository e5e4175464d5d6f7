package emulator_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/lane"
)

// machineClock is the clock of a machine, which a test moves.
type machineClock struct{ atomic.Int64 }

func newMachineClock(at time.Time) *machineClock {
	c := &machineClock{}
	c.Store(at.UnixNano())
	return c
}

func (c *machineClock) now() time.Time { return time.Unix(0, c.Load()).UTC() }

func (c *machineClock) pass(d time.Duration) { c.Add(int64(d)) }

// monday is hour 0 of workspaces that live: people work then.
var monday = time.Date(2024, 6, 17, 8, 0, 0, 0, time.UTC)

func livingConfig(population string, clock *machineClock) emulator.Config {
	return emulator.Config{Seed: 7, Population: population, Contacts: 250, Conversations: 300, Start: monday, Now: clock.now, Live: true, Knobs: emulator.Knobs{ChangeShare: 0.12}}
}

// truthOf returns the rows of every stream at a time, by the oracle.
func truthOf(t *testing.T, w *emulator.Workspace, at time.Time) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, stream := range emulator.OracleStreams() {
		rows, err := w.TruthAt(stream, at)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for row := range rows {
			line, err := json.Marshal(row)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, string(line))
		}
		slices.Sort(lines)
		all[stream] = strings.Join(lines, "\n")
	}
	return all
}

// TestAWorkspaceLivesByItsClock: what happens is the same whether somebody reads every few minutes or nobody for a day, and what has not happened
// yet shows nowhere.
func TestAWorkspaceLivesByItsClock(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	for _, population := range []string{emulator.Team, emulator.Odd} {
		t.Run(population, func(t *testing.T) {
			t.Parallel()
			clock := newMachineClock(monday)
			watched := startWorkspace(t, livingConfig(population, clock))
			then := map[time.Time]map[string]string{}
			changes, before := 0, control.WorkspaceState{}
			for n := range 130 {
				clock.pass(11*time.Minute + 13*time.Second)
				if asked := watched.do("GET", "/contacts?per_page=1", nil); asked.status != 200 { // of which the workspace learns the time
					t.Fatalf("%d: %s", asked.status, asked.raw)
				}
				state := watched.w.CurrentState()
				if state.Clock, state.Requests, state.Hours = before.Clock, before.Requests, before.Hours; state != before {
					changes++
				}
				before = state
				if n%20 != 19 {
					continue
				}
				then[clock.now()] = truthOf(t, watched.w, clock.now())
				for _, row := range watched.w.Oracle("conversations") {
					if at, _ := row["updated_at"].(int64); at > clock.now().Unix() {
						t.Fatalf("at %s a conversation is of %s", clock.now(), time.Unix(at, 0).UTC())
					}
				}
			}
			if changes < 60 {
				t.Errorf("something happened between %d of 130 requests", changes)
			}
			leapt := emulator.New(livingConfig(population, clock))
			for at, want := range then {
				for _, w := range []*emulator.Workspace{watched.w, leapt} {
					if now := truthOf(t, w, at); !maps.Equal(now, want) {
						for stream := range want {
							if now[stream] != want[stream] {
								t.Errorf("at %s, asked a day later, %s is\n%.600s\nwas\n%.600s", at, stream, now[stream], want[stream])
							}
						}
					}
				}
			}
			if hours, want := leapt.CurrentState().Hours, int(clock.now().Sub(monday)/time.Hour); hours != want {
				t.Errorf("%d hours have passed, want %d", hours, want)
			}
		})
	}
}

// TestALivingWorkspaceIsServedAsTheOracleSays at any minute.
func TestALivingWorkspaceIsServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	clock := newMachineClock(monday)
	config := livingConfig(emulator.Odd, clock)
	config.NoLag = true
	c := startWorkspace(t, config)
	for range 9 {
		clock.pass(37 * time.Minute)
		var rows []map[string]any
		for _, contact := range c.searchAll(updatedSince(0)) {
			rows = append(rows, flatContact(contact))
		}
		sameRows(t, "contacts", rows, c.w.Oracle("contacts"))
		c.sameLists(t)
		if t.Failed() {
			t.Fatalf("at %s", clock.now())
		}
	}
}

// TestALivingWorkspaceGoesOnAfterItsJournal: operations, and hours in between, have the same effects when the journal is replayed later.
func TestALivingWorkspaceGoesOnAfterItsJournal(t *testing.T) {
	t.Parallel()
	clock := newMachineClock(monday)
	w := emulator.New(livingConfig(emulator.Team, clock))
	var journal []emulator.JournalEntry
	w.SetJournal(func(d emulator.JournalEntry) error { journal = append(journal, d); return nil })
	do := func(name, with string) {
		t.Helper()
		if _, err := w.RunOperation(name, json.RawMessage(with)); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct{ name, with string }{{"contacts.create", `{"role": "user"}`}, {"live", `{"hours": 3}`}, {"contacts.create", `{"role": "lead"}`},
		{"advance", `{"by": "5h"}`}, {"set", `{"ChangeShare": 0.5}`}, {"contacts.create", `{"role": "user"}`}} {
		clock.pass(23 * time.Minute)
		do(step.name, step.with)
	}
	clock.pass(7 * time.Hour)
	at := w.CurrentTime()
	want := truthOf(t, w, at)
	if hours := w.CurrentState().Hours; hours != 17 { // 23 minutes six times, 3, 5 and 7 hours
		t.Errorf("%d hours have passed", hours)
	}
	clock.pass(40 * time.Hour)
	again := emulator.New(livingConfig(emulator.Team, clock))
	for _, d := range journal {
		if err := again.ReplayOperation(d); err != nil {
			t.Fatal(err)
		}
	}
	if now := truthOf(t, again, at); !maps.Equal(now, want) {
		t.Error("after a replay another thing has happened")
	}
	if hours := again.CurrentState().Hours; hours != 57 {
		t.Errorf("after a replay %d hours have passed", hours)
	}
}
