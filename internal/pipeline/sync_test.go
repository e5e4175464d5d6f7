package pipeline_test

import (
	"testing"
	"time"

	"aqueduck/internal/runner"
)

func TestFirstRunEqualsTheOracle(t *testing.T) {
	t.Parallel()
	b := newBed(t, small())
	report := b.sync(runner.Options{})
	b.equalsOracle()
	if !report.Published || report.Rows() == 0 {
		t.Errorf("published %t, %d rows", report.Published, report.Rows())
	}
}

func TestSecondRunWithoutChangeWritesNoRow(t *testing.T) {
	t.Parallel()
	b := newBed(t, small())
	b.sync(runner.Options{})
	if report := b.sync(runner.Options{}); report.Rows() != 0 || !report.Published {
		t.Errorf("published %t, %d rows: %+v", report.Published, report.Rows(), report.Streams)
	}
}

// Holds: F17.
func TestDaysOfLifeEqualTheOracle(t *testing.T) {
	long(t)
	t.Parallel()
	b := newBed(t, small())
	for range 12 {
		b.sync(runner.Options{})
		b.space.Live(5)
	}
	b.space.Advance(time.Hour)
	b.sync(runner.Options{})
	b.equalsOracle()
}
