package pipeline_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/runner"
)

// wrong is a machine's clock that jumps, or stands still.
type wrong struct {
	right func() time.Time

	mu     sync.Mutex // guards what follows
	off    time.Duration
	frozen time.Time
}

func (w *wrong) Now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.frozen.IsZero() {
		return w.frozen
	}
	return w.right().Add(w.off)
}

func (w *wrong) jump(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.off, w.frozen = d, time.Time{}
}

func (w *wrong) freeze() {
	at := w.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.frozen = at
}

// TestF8ClocksThatJumpOrStandStillLoseNothing runs under a machine's clock that is wrong, jumps in the middle of a run, goes back, and
// stands still, while the workspace's goes on. Every run ends well; rows that changed later never seem to have changed before.
func TestF8ClocksThatJumpOrStandStillLoseNothing(t *testing.T) {
	serial(t)
	t.Parallel()
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	b := newBedWith(t, tiny(72), strings.Replace(nightly, "schedule:", "max_time: 20000h, schedule:", 1))
	clock := &wrong{right: b.space.Clock}
	b.runner.Now = clock.Now
	l := newLife(b, 72)
	last := ""
	for _, jumps := range [][2]time.Duration{{time.Hour, -time.Hour}, {year, day}, {-year, -day}, {0, 0}} {
		clock.jump(jumps[0])
		first := b.space.Count()
		b.space.Between(func(n int) {
			if n == first+4 {
				clock.jump(jumps[1])
				if jumps == [2]time.Duration{} {
					clock.freeze()
				}
			}
		})
		b.sync(runner.Options{})
		b.space.Between(nil)
		changed := b.rows("SELECT max(_synced_at)::VARCHAR FROM contact_activities")[0]
		if changed <= last {
			t.Errorf("after jumps of %s the newest rows are of %s, those before of %s", jumps, changed, last)
		}
		last = changed
		l.happen(12)
		_, err := b.space.CreateContact("user") // at least one event
		b.must(err)
		b.space.Advance(time.Hour)
	}
	clock.jump(0)
	b.sync(runner.Options{})
	b.equalsOracle()
}
