package runner

import (
	"context"
	"log/slog"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/alert"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sandbox"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Source is the address and the token of a workspace, or the emulator. Its clock is the Runner's.
type Source struct {
	BaseURL  string
	Token    api.Secret
	Refresh  func() (api.Secret, error) // reads a rotated token again; nil when there is none
	Emulated bool                       // the source is the emulator
	Keep     func() error               // notes that a run reads the source, before its first row is stored; nil when nothing is noted
	Close    func() error               // stops the server of the source; nil when there is none
}

// Runner runs pipelines of one configuration into one warehouse.
type Runner struct {
	Config     *config.Config
	Catalogue  *schemas.Catalogue
	Dir        layout.Dir
	Connect    func(ctx context.Context, workspace string) (Source, error)
	Now        func() time.Time // the clock of the warehouse, of everything that is recorded or shown
	Machine    func() time.Time // this machine's clock, for what waits; nil: it is the same
	Wait       func(context.Context, time.Duration) error
	Log        *slog.Logger
	Parallel   int                                  // streams that are read at the same time; 0: three
	Version    string                               // of the program, recorded with each run
	Alerts     *alert.Sender                        // sends alerts about runs; nil: no alerts
	Ended      func(runlog.PastRun, *runlog.Report) // called by Run at the end, with a nil report when the run did not take place; may be nil
	Watch      func(runlog.Running)                 // called now and then with the run under way, by one goroutine; may be nil
	TellBegin  bool                                 // log the begin of a stream at level info instead of debug
	By         string                               // who changes checkpoints by command, recorded with each change
	Flags      []config.Origin                      // the given flags and their origin, recorded with each run
	Given      problem.CLIFlags                     // flags of the command line that commands in next steps repeat
	NoComments bool                                 // publish the file without comments; set by tests that need none
	NoLake     bool                                 // publish no Parquet files; set by tests that need none
	Program    sandbox.Program                      // this program, for the processes that build users' models; needed where there are any

	Mirror      func(context.Context, *Runner) (notes []string, err error) // makes the tables of warehouse.mirror equal to the published file; nil: commands that have no mirror
	NoMirror    error                                                      // why this program cannot do that; nil: it can
	Emulated    func() bool                                                // reports whether Now is the clock of an emulated workspace; nil: the files tell
	Interrupted func(context.Context) int                                  // the exit code after an interruption; nil: ExitInterrupted
}

// MachineNow is the time on this machine's clock: for schedules, retries and pauses, for ids of runs, which sort by it, and for the age of files.
func (r *Runner) MachineNow() time.Time {
	if r.Machine == nil {
		return r.Now()
	}
	return r.Machine()
}

// IsEmulated reports whether the clock of the warehouse is that of an emulated workspace.
func (r *Runner) IsEmulated() bool {
	if r.Emulated == nil {
		return layout.IsEmulated(r.Dir)
	}
	return r.Emulated()
}

// ShownTime is what the clock of the warehouse shows when this machine's shows a time. An emulated clock is taken to pass until then.
func (r *Runner) ShownTime(at time.Time) time.Time {
	if !r.IsEmulated() {
		return at
	}
	return at.Add(r.Now().Sub(r.MachineNow()))
}

// FormatScheduled formats a time of a schedule, which follows this machine's clock, and says so where the warehouse has another clock.
func (r *Runner) FormatScheduled(at time.Time) string {
	if r.IsEmulated() {
		return at.Format(time.RFC3339) + " on this machine"
	}
	return at.Format(time.RFC3339)
}

// InterruptedCode returns the exit code of an interrupted run, by the cause of the interruption.
func (r *Runner) InterruptedCode(ctx context.Context) int {
	if r.Interrupted == nil {
		return problem.ExitInterrupted
	}
	return r.Interrupted(ctx)
}
