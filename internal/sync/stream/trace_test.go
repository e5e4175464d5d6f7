package stream

import (
	"slices"
	"testing"
	"time"

	"aqueduck/internal/runlog"
)

// TestStepsOfPublishesAreSummed: a run that publishes twice has each step once, with the time of both, and no step counts what comes between.
func TestStepsOfPublishesAreSummed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 2, 2, 0, 0, 0, time.UTC)
	p := NewProgress(&Run{Now: func() time.Time { return now }})
	for range 2 {
		now = now.Add(time.Hour) // reading
		p.Publishing(true)
		p.BeginStep("copying the database")
		now = now.Add(3 * time.Second)
		p.BeginStep("checks")
		now = now.Add(time.Second)
		p.Publishing(false)
	}
	if want := []runlog.PublishStep{{What: "copying the database", Took: 6 * time.Second}, {What: "checks", Took: 2 * time.Second}}; !slices.Equal(p.steps, want) {
		t.Errorf("%+v, want %+v", p.steps, want)
	}
}
