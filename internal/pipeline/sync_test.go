package pipeline_test

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/runner"
)

func TestFirstRunEqualsTheOracle(t *testing.T) {
	t.Parallel()
	b := newBed(t, smallConfig())
	report := b.syncOnce(runner.Options{})
	b.equalsOracle()
	if !report.Published || report.TotalRows() == 0 {
		t.Errorf("published %t, %d rows", report.Published, report.TotalRows())
	}
}

// A workspace of the population team: its talks go on from hour to hour, and what the source works out of them changes with each step.
func TestRunsOfATeamEqualTheOracle(t *testing.T) {
	t.Parallel()
	b := newBed(t, emulator.Config{Seed: 7, Population: emulator.Team, Contacts: 150, Conversations: 150})
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	b.space.SimulateHours(60) // over the weekend into Monday's office hours
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestAReaderOfALivingWorkspaceLosesNothing: hours pass by the clock, and each answer takes some of it. So records change, are created, merged
// and deleted between any two requests of a run.
func TestAReaderOfALivingWorkspaceLosesNothing(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	var passed atomic.Int64
	start := time.Date(2024, 6, 17, 8, 0, 0, 0, time.UTC)
	b := newBedWith(t, emulator.Config{Seed: 7, Contacts: 80, Inactive: 20, Activities: 100, Conversations: 40, Start: start, Live: true,
		Now: func() time.Time { return start.Add(time.Duration(passed.Load())) }, Knobs: emulator.Knobs{ChangeShare: 0.3, QuietConversations: emulator.Never}}, conversing)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.space.ServeHTTP(w, r)
		passed.Add(int64(2 * time.Minute))
	})
	during := 0
	for range 3 {
		before := b.space.HoursSimulated()
		b.syncOnce(runner.Options{})
		during += b.space.HoursSimulated() - before
		passed.Add(int64(2 * time.Hour))
	}
	if during < 3 {
		t.Errorf("%d hours passed during runs", during)
	}
	// The clock stands, late in an hour: nothing changes while it is read, and search knows of everything.
	passed.Store(int64(time.Duration(passed.Load()).Truncate(time.Hour) + 59*time.Minute))
	b.front = b.space
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

func TestSecondRunWithoutChangeWritesNoRow(t *testing.T) {
	t.Parallel()
	b := newBed(t, smallConfig())
	b.syncOnce(runner.Options{})
	if report := b.syncOnce(runner.Options{}); report.TotalRows() != 0 || report.Published || !report.Unchanged {
		t.Errorf("published %t, %d rows: %+v", report.Published, report.TotalRows(), report.Streams)
	}
}

// Holds: F17.
func TestDaysOfEventsEqualTheOracle(t *testing.T) {
	skipUnlessLong(t)
	t.Parallel()
	b := newBed(t, smallConfig())
	for range 12 {
		b.syncOnce(runner.Options{})
		b.space.SimulateHours(5)
	}
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}
