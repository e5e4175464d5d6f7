package runner

import (
	"testing"
	"time"
)

// TestScheduledTimesAreThoseOfThisMachine: an emulated clock stands until the next run, so it has no time at which that begins.
func TestScheduledTimesAreThoseOfThisMachine(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 4, 2, 0, 0, 0, time.UTC)
	for emulated, want := range map[bool]string{false: "2031-05-04T02:00:00Z", true: "2031-05-04T02:00:00Z on this machine"} {
		r := &Runner{Emulated: func() bool { return emulated }, Now: func() time.Time { return time.Date(2026, 11, 20, 2, 0, 0, 0, time.UTC) }}
		if got := r.FormatScheduled(at); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
