package sync

import (
	"bytes"
	"log/slog"
	"os"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/schedule"
	"aqueduck/load"
	"aqueduck/load/layout"
)

// TestPassingFailuresAreRetried is what heals by itself, soon enough, with something left to use; who has to act is told at once all the same.
func TestPassingFailuresAreRetried(t *testing.T) {
	t.Parallel()
	nightly, err := schedule.Parse("0 2 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	hourly, err := schedule.Parse("0 * * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	failed := func(classes ...string) *runlog.Report {
		r := &runlog.Report{}
		for _, class := range classes {
			r.Streams = append(r.Streams, runlog.StreamResult{Stream: "x", Status: runlog.StatusFailed, Class: class, Requests: 1})
		}
		return r
	}
	two := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		p      config.Pipeline
		try    int
		class  string         // of what kept it from being a run
		report *runlog.Report // nil: it was none
		after  time.Duration
		quiet  bool
	}{
		{"the API is away", config.Pipeline{}, 1, "transient", nil, 15 * time.Minute, true},
		{"another run holds the warehouse", config.Pipeline{}, 1, "busy", nil, 15 * time.Minute, true},
		{"the second time", config.Pipeline{}, 2, "transient", nil, 45 * time.Minute, true},
		{"the third time", config.Pipeline{}, 3, "transient", nil, 2 * time.Hour, true},
		{"the fourth time is the last", config.Pipeline{}, 4, "transient", nil, 0, false},
		{"begun by hand", config.Pipeline{}, 0, "transient", nil, 0, false},
		{"not wanted", config.Pipeline{Name: "never"}, 1, "transient", nil, 0, false},
		{"the token is refused", config.Pipeline{}, 1, "auth", nil, 0, false},
		{"the disk is full", config.Pipeline{}, 1, "disk", nil, 0, false},
		{"the configuration", config.Pipeline{}, 1, "config", nil, 0, false},
		{"a stream", config.Pipeline{}, 1, "", failed("transient"), 15 * time.Minute, true},
		{"a stream, and another that wants a person", config.Pipeline{}, 1, "", failed("data", "transient"), 15 * time.Minute, false},
		{"a stream that wants a person", config.Pipeline{}, 1, "", failed("data"), 0, false},
		{"a stream that is refused", config.Pipeline{}, 1, "", failed("transient", "auth"), 0, false},
		{"the publish is held back", config.Pipeline{}, 1, "", &runlog.Report{Held: &problem.Problem{Class: "data", Exit: problem.ExitBreached}, Streams: failed("transient").Streams}, 0, false},
		{"the next time comes before", config.Pipeline{Schedule: hourly}, 3, "transient", nil, 0, false},
		{"requests are left", config.Pipeline{MaxRequests: 111}, 1, "transient", nil, 15 * time.Minute, true},
		{"none is left", config.Pipeline{MaxRequests: 110}, 2, "transient", nil, 0, false},
		{"time is left", config.Pipeline{MaxTime: 21 * time.Minute}, 2, "transient", nil, 45 * time.Minute, true},
		{"none is left of it", config.Pipeline{MaxTime: 20 * time.Minute}, 2, "transient", nil, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &runner.Runner{Dir: layout.Dir(t.TempDir()), Now: func() time.Time { return two.Add(10 * time.Minute) }, Log: slog.New(slog.NewTextHandler(&bytes.Buffer{}, nil))}
			if err := load.Prepare(r.Dir); err != nil {
				t.Fatal(err)
			}
			c.p.Retry = c.p.Name == ""
			c.p.Name = "nightly"
			if c.p.Schedule == nil {
				c.p.Schedule = nightly
			}
			for _, e := range []runlog.PastRun{ // of the night before, of another pipeline, begun by hand, and the tries of this one before
				{Run: "0", Pipeline: "nightly", Try: 1, Requests: 1000, Started: two, Finished: two.Add(time.Hour)},
				{Run: "1", Pipeline: "nightly", Try: 1, Requests: 10, Started: two, Finished: two.Add(10 * time.Minute)},
				{Run: "2", Pipeline: "other", Try: 1, Requests: 1000, Started: two, Finished: two.Add(time.Hour)},
				{Run: "3", Pipeline: "nightly", Requests: 1000, Started: two, Finished: two.Add(time.Hour)},
			} {
				if err := e.Save(r.Dir); err != nil {
					t.Fatal(err)
				}
			}
			e := runlog.PastRun{Run: "4", Pipeline: "nightly", Started: two, Finished: two.Add(10 * time.Minute), Requests: 100}
			if c.report == nil {
				e.Stopped(t.Context(), &c.p, &problem.Problem{Class: c.class})
			} else {
				requests, started, finished := e.Requests, e.Started, e.Finished
				e.Reported(c.report)
				e.Requests, e.Started, e.Finished = requests, started, finished
			}
			planRetry(r, &e, &c.p, &runner.Options{Try: c.try}, c.report)
			var after time.Duration
			if !e.RetryAt.IsZero() {
				after = e.RetryAt.Sub(r.Now())
			}
			if after != c.after || e.Quiet != c.quiet || e.Try != c.try {
				t.Errorf("it is tried again after %s, %+v; want after %s, quiet %t", after, e, c.after, c.quiet)
			}
		})
	}
}

// TestARetryOfAnEmulatedWorkspaceWaitsByThisMachine: the emulated clock stands until then, so the note has both times.
func TestARetryOfAnEmulatedWorkspaceWaitsByThisMachine(t *testing.T) {
	t.Parallel()
	nightly, err := schedule.Parse("0 2 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	machine, emulated := time.Date(2031, 5, 4, 2, 10, 0, 0, time.UTC), time.Date(2026, 11, 20, 1, 50, 0, 0, time.UTC)
	r := &runner.Runner{Dir: layout.Dir(t.TempDir()), Now: func() time.Time { return emulated }, Machine: func() time.Time { return machine }, Log: slog.New(slog.DiscardHandler)}
	if err := load.Prepare(r.Dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.Dir.EmulatorFile(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	past, p := runlog.PastRun{Run: "1", Pipeline: "nightly", Outcome: "FAILED", Try: 1, Started: emulated, Finished: emulated}, config.Pipeline{Name: "nightly", Schedule: nightly, Retry: true}
	if !scheduleRetry(r, &past, &p) || !past.RetryAt.Equal(emulated.Add(15*time.Minute)) || !past.RetryDue.Equal(machine.Add(15*time.Minute)) {
		t.Fatalf("it is tried again at %s, on this machine at %s", past.RetryAt, past.RetryDue)
	}
	if at, try := runlog.RetryOf(&p, []runlog.PastRun{past}, machine); !at.Equal(past.RetryDue) || try != 2 {
		t.Errorf("try %d begins at %s", try, at)
	}
	if err := past.Save(r.Dir); err != nil {
		t.Fatal(err)
	}
	shown, err := runlog.PastRuns(t.Context(), r.Dir, "", 1)
	if err != nil || len(shown) != 1 || !shown[0].RetryAt.Equal(past.RetryAt) || !shown[0].RetryDue.IsZero() {
		t.Errorf("runs show a time of this machine: %+v, %v", shown, err)
	}
	s, err := runlog.ReadStatus(t.Context(), r.Dir, &config.Config{Pipelines: []*config.Pipeline{&p}}, nil, machine.Add(5*time.Minute))
	if err != nil || !s.Now.Equal(emulated) || !s.Next[0].At.Equal(emulated.Add(10*time.Minute)) || !s.Next[0].Machine.Equal(past.RetryDue) || s.Next[0].Try != 2 {
		t.Errorf("five minutes later the status has %+v at %s, %v", s.Next, s.Now, err)
	}
}

// TestRetryIsCancelled where the run went well since, or its next time has come, or it is not wanted any more.
func TestRetryIsCancelled(t *testing.T) {
	t.Parallel()
	nightly, err := schedule.Parse("0 2 * * *", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	two := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC)
	wanted := runlog.PastRun{Pipeline: "nightly", Outcome: "FAILED", Try: 2, RetryAt: two.Add(time.Hour)}
	for _, c := range []struct {
		name string
		p    config.Pipeline
		ends []runlog.PastRun
		now  time.Time
		try  int
	}{
		{"noted", config.Pipeline{Retry: true}, []runlog.PastRun{wanted}, two, 3},
		{"its time is over, and nobody was there", config.Pipeline{Retry: true}, []runlog.PastRun{wanted}, two.Add(8 * time.Hour), 3},
		{"the next night has come", config.Pipeline{Retry: true}, []runlog.PastRun{wanted}, two.Add(24 * time.Hour), 0},
		{"another pipeline went well", config.Pipeline{Retry: true}, []runlog.PastRun{wanted, {Pipeline: "other", Outcome: "OK"}}, two, 3},
		{"it failed by hand", config.Pipeline{Retry: true}, []runlog.PastRun{wanted, {Pipeline: "nightly", Outcome: "FAILED"}}, two, 3},
		{"some streams went well by hand", config.Pipeline{Retry: true}, []runlog.PastRun{wanted, {Pipeline: "nightly", Outcome: "OK", Narrow: true}}, two, 3},
		{"all went well by hand", config.Pipeline{Retry: true}, []runlog.PastRun{wanted, {Pipeline: "nightly", Outcome: "OK"}}, two, 0},
		{"it was the last", config.Pipeline{Retry: true}, []runlog.PastRun{wanted, {Pipeline: "nightly", Outcome: "FAILED", Try: 3}}, two, 0},
		{"it is not wanted any more", config.Pipeline{}, []runlog.PastRun{wanted}, two, 0},
	} {
		c.p.Name, c.p.Schedule = "nightly", nightly
		at, try := runlog.RetryOf(&c.p, c.ends, c.now)
		if try != c.try || at.Equal(wanted.RetryAt) != (try > 0) {
			t.Errorf("%s: try %d at %s, want %d", c.name, try, at, c.try)
		}
	}
}
