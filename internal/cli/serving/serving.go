package serving

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/console"
	"aqueduck/internal/fleet"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/schedule"
	"aqueduck/internal/serve"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// PipelineServer is the state of `serve`: the current configuration, which a reload replaces, and the active runs.
type PipelineServer struct {
	setup    Setup
	runs     sync.WaitGroup
	reloaded chan struct{} // holds one value while the jobs have to be built again

	mu          sync.Mutex // guards what follows
	runner      *runner.Runner
	reloadError string // why the present configuration files are not in use; "": they are
	activeRuns  map[string]*activeRun
	handled     map[string]handledTime // by pipeline
}

// handledTime is the newest time of a schedule that is run, skipped or running.
type handledTime struct{ at, next time.Time } // next is the one after it

// Setup is what the command gives a server.
type Setup struct {
	Files  string                                                                            // the names of the configuration files
	Shows  bool                                                                              // no run starts at its time, so pipelines need no schedule
	ByHand bool                                                                              // the console can start runs, so pipelines need no schedule
	Load   func() (*runner.Runner, error)                                                    // reads the configuration
	Check  func(*runner.Runner) error                                                        // refuses one whose workspaces cannot be connected to
	Run    func(ctx context.Context, r *runner.Runner, p *config.Pipeline, o runner.Options) // runs a pipeline once, and reports a failure itself
	Now    func() time.Time                                                                  // the machine's clock

	Workspaces func(context.Context) ([]fleet.Row, error) // as the console shows them
}

// NewServer returns a server that uses a configuration until it is reloaded.
func NewServer(setup Setup, first *runner.Runner) *PipelineServer {
	return &PipelineServer{setup: setup, runner: first, activeRuns: map[string]*activeRun{}, handled: map[string]handledTime{}, reloaded: make(chan struct{}, 1)}
}

// activeRun is a run of a pipeline that has not ended.
type activeRun struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// CurrentRunner is the configuration in use.
func (s *PipelineServer) CurrentRunner() *runner.Runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runner
}

// CheckServable returns an error if `serve` cannot use a configuration.
func (s *PipelineServer) CheckServable(runner *runner.Runner) error {
	if err := s.setup.Check(runner); err != nil {
		return err
	}
	for _, p := range runner.Config.Pipelines {
		if p.Schedule != nil || s.setup.ByHand || s.setup.Shows {
			return nil
		}
	}
	return &problem.Problem{Class: "config", What: "no pipeline of " + s.setup.Files + " has a schedule", Next: `give a pipeline one, e.g. schedule: "0 2 * * *"`}
}

// RunSchedules runs the pipelines at their times until the context ends. It applies a reloaded configuration at once; active runs continue
// unchanged. A server that only shows waits for that end.
func (s *PipelineServer) RunSchedules(ctx context.Context, last map[string]time.Time) {
	if s.setup.Shows {
		<-ctx.Done()
		return
	}
	var schedules sync.WaitGroup
	defer schedules.Wait()
	starts := true
	for ctx.Err() == nil {
		// Each configuration has its own schedule, which ends at the next reload.
		timed, stop := context.WithCancel(ctx)
		jobs := s.scheduledJobs(ctx, last, starts)
		runner := s.CurrentRunner()
		schedules.Go(func() { s.lookAtAge(timed, runner) })
		schedules.Go(func() { schedule.Run(timed, jobs, runner.MachineNow, runner.Wait) })
		select {
		case <-ctx.Done():
		case <-s.reloaded:
		}
		stop()
		last, starts = nil, false // the new jobs go on from the times that the old ones have handled
	}
}

// LookEvery is how often serve checks the freshness of the data while nothing runs.
const LookEvery = 10 * time.Minute

// lookAtAge sends alerts about late data until the context ends. It does so only while no run is active: a run sends its own alerts when it
// ends, and two processes must not record them at the same time.
func (s *PipelineServer) lookAtAge(ctx context.Context, runner *runner.Runner) {
	for runner.Alerts != nil && runner.Wait(ctx, LookEvery) == nil {
		if !s.isRunning() {
			pipelinesync.NotifyFreshness(ctx, runner)
		}
	}
}

func (s *PipelineServer) isRunning() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.activeRuns) > 0
}

// scheduledJobs returns a job for each pipeline with a schedule. At start-up, some pipelines need a catch-up run. A run uses the context of the
// program, because a reload ends that of the schedule.
func (s *PipelineServer) scheduledJobs(ctx context.Context, last map[string]time.Time, starts bool) (jobs []schedule.Job) {
	setup := s.CurrentRunner()
	s.forgetRemoved(setup.Config)
	for _, p := range setup.Config.Pipelines {
		if p.Schedule == nil {
			continue
		}
		waiting := func() {
			if ctx.Err() == nil {
				setup.Log.Info("waiting", "pipeline", p.Name, "next", setup.FormatScheduled(p.Schedule.Next(setup.MachineNow())))
			}
		}
		skipped := func(at time.Time) { serve.RecordSkip(setup, p, at) }
		waiting()
		owed := 0
		if starts {
			owed = serve.CatchUpTry(setup, p)
		}
		try := max(1, owed) // of the next run
		jobs = append(jobs, schedule.Job{
			Name: p.Name, Schedule: p.Schedule, CatchUp: p.CatchUp, Overlap: p.Overlap, Jitter: p.Jitter, Last: last[p.Name], From: s.handledTo(p), PendingCatchUp: owed > 0, Skipped: skipped,
			Run: func(_ context.Context, caughtUp bool) {
				if !s.runPipeline(ctx, setup, p, runner.Options{Wait: time.Hour, Try: try, CaughtUp: caughtUp}, p.Overlap == schedule.Queue) {
					skipped(setup.MachineNow())
				}
				try = 1 // later runs of this job are first tries
				s.handOver(setup)
				waiting()
			},
			Handled:   func(at time.Time) { s.noteHandled(p, at) },
			NextRetry: func() time.Time { at, _ := serve.NextRetry(setup, p); return at },
			Retry: func(context.Context) {
				_, o := serve.NextRetry(setup, p)
				o.Wait = time.Hour
				s.runPipeline(ctx, setup, p, o, false) // already running: another caller started it
				s.handOver(setup)
				waiting()
			},
		})
	}
	return jobs
}

// handledTo is the newest time that a job of the pipeline has handled. It is zero where the next time after it is another one now: the schedule was changed,
// and a time that has passed was never one to run at.
func (s *PipelineServer) handledTo(p *config.Pipeline) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.handled[p.Name]; ok && p.Schedule.Next(known.at).Equal(known.next) {
		return known.at
	}
	return time.Time{}
}

// forgetRemoved forgets what jobs of pipelines have handled that have no schedule any more: one that comes back begins anew.
func (s *PipelineServer) forgetRemoved(c *config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.handled, func(name string, _ handledTime) bool {
		p, ok := c.Pipeline(name)
		return !ok || p.Schedule == nil
	})
}

// noteHandled records what a job has handled.
func (s *PipelineServer) noteHandled(p *config.Pipeline, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.handled[p.Name] = handledTime{at, p.Schedule.Next(at)}
}

// runPipeline runs a pipeline. It returns false if the pipeline already runs, started by hand or by an earlier configuration, unless it should
// wait for that run.
func (s *PipelineServer) runPipeline(ctx context.Context, runner *runner.Runner, p *config.Pipeline, o runner.Options, wait bool) bool {
	// When the other run has ended, a third one may have begun: it is awaited too.
	ctx, end, other := s.registerRun(ctx, p.Name)
	for ; other != nil; ctx, end, other = s.registerRun(ctx, p.Name) {
		if !wait {
			return false
		}
		select {
		case <-other:
		case <-ctx.Done():
			return true
		}
	}
	defer end()
	s.setup.Run(ctx, runner, p, o)
	return true
}

// registerRun records an active run of a pipeline and returns a context that the console can cancel. If the pipeline already runs, it returns
// a channel that is closed when that run ends.
func (s *PipelineServer) registerRun(ctx context.Context, name string) (_ context.Context, end func(), other <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u := s.activeRuns[name]; u != nil {
		return ctx, nil, u.ended
	}
	run, cancel := context.WithCancelCause(ctx)
	u := &activeRun{cancel, make(chan struct{})}
	s.activeRuns[name] = u
	return run, func() {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.activeRuns, name)
		close(u.ended)
	}, nil
}

// ConsoleServing is what the console may read and do.
func (s *PipelineServer) ConsoleServing(ctx context.Context) console.Serving {
	return console.Serving{
		Dir: s.CurrentRunner().Dir,
		Log: s.CurrentRunner().Log,
		Config: func() (*config.Config, *schemas.Catalogue) {
			runner := s.CurrentRunner()
			return runner.Config, runner.Catalogue
		},
		Trouble: func() string { s.mu.Lock(); defer s.mu.Unlock(); return s.reloadError },
		Run:     func(name string, failed bool) error { return s.startRun(ctx, name, failed) },
		Cancel:  s.cancelRun,
		Reload:  s.reloadConfig,

		Workspaces: s.setup.Workspaces,

		Isolation: read.Isolation{Program: s.CurrentRunner().Program, Now: runlog.NewClock(s.CurrentRunner().Dir, s.setup.Now).OfSQL},
	}
}

// startRun starts a run that a person requested, and does not wait for it.
func (s *PipelineServer) startRun(ctx context.Context, name string, failed bool) error {
	setup := s.CurrentRunner()
	p, ok := setup.Config.Pipeline(name)
	if !ok {
		return &problem.Problem{Class: "usage", What: fmt.Sprintf("there is no pipeline %q", name), Next: console.OverviewNext}
	}
	// run.json shows a run of any process, and registerRun one of this process that has not written it yet.
	running, err := runlog.ReadRunning(setup.Dir)
	if err != nil {
		return err
	}
	if running != nil {
		return &problem.Problem{Class: "busy", What: running.Pipeline + " is already running", Next: "wait until it ends, or cancel it"}
	}
	run, end, other := s.registerRun(ctx, name)
	if other != nil {
		return &problem.Problem{Class: "busy", What: name + " is already running", Next: "wait until it ends, or cancel it"}
	}
	s.runs.Go(func() {
		defer end()
		s.setup.Run(run, setup, p, runner.Options{Wait: time.Minute, Failed: failed})
	})
	return nil
}

// cancelRun makes a run stop after it has committed its complete batches.
func (s *PipelineServer) cancelRun(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.activeRuns[name]
	if u == nil {
		return &problem.Problem{Class: "usage", What: "this process does not run " + name + " now", Next: "stop it where it was started: Ctrl-C, systemctl stop, or kill with running.pid of aqueduck status -o json"}
	}
	u.cancel(pipelinesync.ErrCancelled)
	return nil
}

// reloadConfig reads the configuration again. A configuration with mistakes is reported and not used.
func (s *PipelineServer) reloadConfig() error {
	fresh, err := s.setup.Load()
	if err == nil {
		err = s.CheckServable(fresh)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The lock of `serve` and the console belong to the present directory, so it cannot change.
	if err == nil && fresh.Dir != s.runner.Dir {
		err = &problem.Problem{Class: "config", What: fmt.Sprintf("warehouse.dir is now %s, but aqueduck serve still uses %s", fresh.Dir, s.runner.Dir), Next: "restart `aqueduck serve` to use the new directory"}
	}
	if err != nil {
		s.reloadError = problem.AsProblem(err).Error()
		s.runner.Log.Error("the new configuration has mistakes: the previous one stays in effect", "file", s.setup.Files, "error", s.reloadError)
		return err
	}
	fresh.Alerts = pipelinesync.NewSender(fresh, fresh.Config.Lookup)
	s.runner, s.reloadError = fresh, ""
	s.runner.Log.Info("the configuration was reloaded", "file", s.setup.Files)
	s.requestReschedule()
	return nil
}

// requestReschedule makes RunSchedules build the jobs again from the current configuration.
func (s *PipelineServer) requestReschedule() {
	select {
	case s.reloaded <- struct{}{}:
	default: // a request is already pending, and will use the configuration that is current then
	}
}

// handOver makes the jobs include the retry of a run during which the configuration was reloaded: they were built before it ended.
func (s *PipelineServer) handOver(runner *runner.Runner) {
	if s.CurrentRunner() != runner {
		s.requestReschedule()
	}
}

// WaitForRuns waits for the runs that the console started.
func (s *PipelineServer) WaitForRuns() { s.runs.Wait() }

// ReloadOnHangup reloads on SIGHUP until the returned function is called.
func (s *PipelineServer) ReloadOnHangup() (end func()) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	done := make(chan struct{})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		for {
			select {
			case <-hangup:
				_ = s.reloadConfig() // it reports its error itself
			case <-done:
				return
			}
		}
	})
	return func() { signal.Stop(hangup); close(done); waiting.Wait() }
}
