package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// watchRuns shows the runs of a runner as they were asked to be shown: in a table, where there is a terminal that can, one that moves its
// cursor; in a line now and then; as lines of JSON; or not at all. What it gives ends that.
func watchRuns(env *Env, runner *runner.Runner) (end func()) {
	f, isFile := env.Stderr.(*os.File)
	able := isFile && !env.quiet && env.logLevel != "debug" && isTerminal(f) && env.variableOr("TERM", "dumb") != "dumb"
	switch {
	case env.progress == "tty" || env.progress == "auto" && able:
		s := render.NewScreen(env.Stderr)
		env.watched.Store(s)
		// What streams say when they end is in the table, and then in the report.
		runner.Watch, runner.Log = s.Show, env.logTo(s, true, slog.LevelWarn)
		return func() { env.watched.Store(nil) }
	case env.progress == "json":
		runner.Log = env.logTo(env.Stderr, false, slog.LevelWarn)
		runner.Watch = render.ThrottleSnapshots(jsonEvery, func(r runlog.Running) {
			if line, err := json.Marshal(r); err == nil { // it is made of numbers and texts
				fmt.Fprintf(env.Stderr, "%s\n", line)
			}
		})
	case env.progress == "none":
		runner.Log = env.logTo(env.Stderr, isFile && isTerminal(f), slog.LevelWarn)
	case !env.quiet:
		runner.TellBegin = true
		runner.Watch = render.ThrottleSnapshots(plainEvery, func(r runlog.Running) { runner.Log.Info(render.RunningLine(&r)) })
	}
	return func() {}
}

// How often a run is told of that nobody draws.
const (
	plainEvery = 10 * time.Second
	jsonEvery  = time.Second
)

// clearScreen takes the table of a run that has ended away.
func clearScreen(env *Env) {
	if s := env.watched.Load(); s != nil {
		s.Clear()
	}
}

// afterOutput is where the commands after a run write: to stderr as they do, or, for programs, in lines of the log. What it gives ends
// their last line.
func afterOutput(env *Env, p *config.Pipeline) (out io.Writer, end func()) {
	if !env.machine.Load() {
		return env.Stderr, func() {}
	}
	w := render.NewLineLog(env.jsonLog().With("after", p.Name))
	return w, w.Flush
}
