package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/emulator"
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
