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

// Source is where a workspace is asked, and whether it is the emulator.
type Source struct {
	BaseURL  string
	Token    api.Secret
	Refresh  func() (api.Secret, error) // reads a rotated token; nil when there is none
	Emulated bool                       // it is the emulator
	Now      func() time.Time           // the clock that the workspace lives by; nil: the runner's
	Close    func() error               // ends what serves it; nil when nothing does
}

// Runner runs pipelines of one configuration into one warehouse.
type Runner struct {
	Config    *config.Config
	Catalogue *schemas.Catalogue
	Dir       layout.Dir
	Connect   func(ctx context.Context, workspace string) (Source, error)
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
	Log       *slog.Logger
	Parallel  int                                  // streams that are read side by side; 0: three
	Version   string                               // of the program, noted with each run
	Alerts    *alert.Sender                        // told how runs go; nil: nobody is
	Ended     func(runlog.PastRun, *runlog.Report) // told by Run how a run ended, without a report when there was none; may be nil
	Watch     func(runlog.Running)                 // shown a run under way now and then, by one goroutine; may be nil
	TellBegin bool                                 // the log says at info when a stream begins, not at debug
	By        string                               // who moves checkpoints by hand, noted with each move
	Flags     []config.Origin                      // that were given, and by what: noted with each run
	Given     problem.CLIFlags                     // flags of the command line that next steps repeat
	NoLake    bool                                 // publishes the file alone: tests that do not ask for the lake set it
	Program   sandbox.Program                      // this program, which makes the models of users in processes of its own; needed where there are any

	Interrupted func(context.Context) int // what the program ends with when a run was interrupted; nil: ExitInterrupted
}

// InterruptedCode is the exit code of a run that was interrupted, by what did it.
func (r *Runner) InterruptedCode(ctx context.Context) int {
	if r.Interrupted == nil {
		return problem.ExitInterrupted
	}
	return r.Interrupted(ctx)
}
