package serving

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/runner"
	"aqueduck/internal/schedule"
	"aqueduck/load/layout"
)

// TestServeRetriesARunAfterAReloadDuringIt: the jobs that the reload built during the run did not include its retry yet.
func TestServeRetriesARunAfterAReloadDuringIt(t *testing.T) {
	t.Parallel()
	before, since := &runner.Runner{}, &runner.Runner{}
	s := &PipelineServer{runner: since, reloaded: make(chan struct{}, 1)}
	s.handOver(since)
	if len(s.reloaded) != 0 {
		t.Error("the jobs are made anew though nothing was reloaded")
	}
	s.handOver(before)
	s.handOver(before) // two at once are one
	if len(s.reloaded) != 1 {
		t.Error("the jobs are as they were")
	}
}

// TestAReloadDuringTheJitterLosesNoRun: the time of the schedule has passed, and the run has not begun. A time that was handled is not handled again.
func TestAReloadDuringTheJitterLosesNoRun(t *testing.T) {
	dir := layout.Dir(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		daily, err := schedule.Parse("0 2 * * *", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		later, err := schedule.Parse("0 1 * * *", time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		wait := func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		newRunner := func(s *schedule.Schedule) *runner.Runner {
			p := &config.Pipeline{Name: "nightly", Schedule: s, CatchUp: true, Jitter: 2 * time.Hour}
			return &runner.Runner{Dir: dir, Config: &config.Config{Pipelines: []*config.Pipeline{p}}, Now: time.Now, Wait: wait, Log: slog.New(slog.DiscardHandler)}
		}
		var ran []string
		s := NewServer(Setup{Run: func(context.Context, *runner.Runner, *config.Pipeline, runner.Options) {
			ran = append(ran, time.Now().UTC().Format("02 15h"))
		}}, newRunner(daily))
		ctx, cancel := context.WithCancel(t.Context())
		reload := func(at time.Duration, to *schedule.Schedule) {
			time.Sleep(time.Until(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(at)))
			s.mu.Lock()
			s.runner = newRunner(to)
			s.mu.Unlock()
			s.requestReschedule()
			synctest.Wait()
		}
		var served sync.WaitGroup
		served.Go(func() { s.RunSchedules(ctx, nil) })
		reload(2*time.Hour+time.Minute, daily) // the run begins before 04:00, at a time that follows from the name
		reload(12*time.Hour, daily)
		reload(26*time.Hour-time.Minute, later) // another schedule begins at its next time
		time.Sleep(30 * time.Hour)
		cancel()
		served.Wait()
		if want := []string{"01 02h", "03 02h"}; !slices.Equal(ran, want) {
			t.Errorf("runs began at %v, want %v", ran, want)
		}
	})
}
