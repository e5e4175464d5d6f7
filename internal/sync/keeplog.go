package sync

import (
	"context"
	"log/slog"

	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// runFile is the log of a run in its file, for the console.
type runFile struct {
	file *runlog.LogFile
	log  *slog.Logger // writes to the file alone
}

// keepLog returns the runner of a run: its messages also go to the run's file, at every level.
// In the directory of another user, where no run takes place, it keeps neither a log nor the history of alerts.
func keepLog(r *runner.Runner, run string) (*runner.Runner, runFile) {
	if layout.IsOfOther(r.Dir) {
		apart := *r
		if r.Alerts != nil {
			apart.Alerts = r.Alerts.WithoutHistory()
		}
		return &apart, runFile{file: &runlog.LogFile{}, log: slog.New(slog.DiscardHandler)}
	}
	f := runFile{file: runlog.NewLogFile(r.Dir, run, r.Now)}
	f.log = slog.New(f.file.Handler())
	logged := *r
	logged.Log = slog.New(slog.NewMultiHandler(r.Log.Handler(), f.file.Handler()))
	return &logged, f
}

// logEnd writes what other output says at the end of a run: its notes, its schema drift and its outcome.
func (f runFile) logEnd(ctx context.Context, past *runlog.PastRun, report *runlog.Report) {
	if report != nil {
		for _, note := range report.Notes {
			f.log.Info(note)
		}
		for _, d := range report.Drift {
			words := []any{}
			for _, s := range report.Streams {
				if s.Workspace == d.Workspace && s.Stream == d.Stream {
					words = append(words, "stream", s.Name(report))
				}
			}
			f.log.Info("schema drift: "+d.String(), words...)
		}
	}
	level, words := slog.LevelInfo, []any{"exit", past.Exit, "rows", past.Rows, "requests", past.Requests}
	if past.Error != "" {
		level, words = slog.LevelError, append(words, "class", past.Class, "error", past.Error, "next", past.Next)
	}
	f.log.Log(ctx, level, "the run ended "+past.Outcome, words...)
}
