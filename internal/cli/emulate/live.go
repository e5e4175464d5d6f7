package emulate

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/emulator"
)

// liveness says how a workspace lives: its clock showed the machine's time once, and has been so much faster since. So it needs no note of
// what it showed last: after a pause it goes on where it would be without one.
type liveness struct {
	Since time.Time `json:"since"`
	Speed float64   `json:"speed"`
}

// fastest is the highest speed: an hour a second.
const fastest = 3600

// newLiveness lets a new workspace live from now on. Its hour 0 is that many hours before the full hour.
func newLiveness(now time.Time, speed float64, hours int) (l *liveness, start time.Time) {
	since := now.UTC().Truncate(time.Second)
	return &liveness{since, speed}, since.Truncate(time.Hour).Add(-time.Duration(hours) * time.Hour)
}

// clock returns the clock of the workspace. While the machine's clock shows an earlier time than at the beginning, it stands.
func (l *liveness) clock(machine func() time.Time) func() time.Time {
	return func() time.Time {
		return l.Since.Add(time.Duration(float64(max(0, machine().Sub(l.Since))) * l.Speed))
	}
}

// checkLiveFlags checks --live and --speed. A state file may say that its workspace lives.
func checkLiveFlags(c *cobra.Command, live bool, speed float64, state string) error {
	switch {
	case !(speed > 0 && speed <= fastest):
		return usage.Errorf(c, "--speed %v: expected a number above 0, and not above %d", speed, fastest)
	case c.Flags().Changed("speed") && !live && state == "":
		return usage.Errorf(c, "--speed needs --live: without it no hour passes")
	}
	return nil
}

// checkLife compares how the workspace of a state file lives, nil for not at all, with the flags.
func checkLife(c *cobra.Command, path string, have, asked *liveness, start time.Time) error {
	flags := c.Flags()
	switch {
	case have == nil && asked != nil:
		return usage.Errorf(c, "--state %s is a workspace whose time is fixed, from %s on: omit --live, or give another file", path, start.Format(time.DateOnly))
	case have == nil && flags.Changed("speed"):
		return usage.Errorf(c, "--state %s is a workspace whose time is fixed: omit --speed, or give another file", path)
	case have != nil && flags.Changed("live") && asked == nil:
		return usage.Errorf(c, "--state %s is a workspace that lives: omit --live=false, or give another file", path)
	}
	if speed, err := flags.GetFloat64("speed"); err == nil && flags.Changed("speed") && speed != have.Speed {
		return usage.Errorf(c, "--state %s is a workspace of --speed %v, not %v: omit --speed, or give another file", path, have.Speed, speed)
	}
	return nil
}

// catchUp lets the hours pass that would have passed since the last operation. It can be interrupted after each day.
func catchUp(ctx context.Context, w *emulator.Workspace, start time.Time, log *slog.Logger) error {
	const step = 24
	now, before := w.CurrentTime(), w.HoursSimulated()
	if behind := int(now.Sub(start)/time.Hour) - before; behind > step {
		log.Info("the workspace catches up with the clock", "hours", behind)
	}
	for at := start.Add(time.Duration(before) * time.Hour); at.Before(now); at = at.Add(step * time.Hour) {
		if ctx.Err() != nil {
			return errors.New("interrupted while the workspace caught up with the clock")
		}
		w.StandAt(at, w.RunDueNow)
	}
	w.RunDueNow()
	log.Info("the workspace lives", "clock", now.UTC(), "hours", w.HoursSimulated()-before)
	return nil
}

// keepLiving lets what is due happen each second, also when nobody asks: so no request has to wait for hours that passed before it.
func keepLiving(ctx context.Context, w *emulator.Workspace) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.RunDueNow()
		}
	}
}
