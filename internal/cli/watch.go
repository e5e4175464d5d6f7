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

// watchRuns displays runs as --progress says: as a table on a terminal, as lines, as lines of JSON, or not at all. The returned function stops
// it.
func watchRuns(env *Env, runner *runner.Runner) (end func()) {
	f, isFile := env.Stderr.(*os.File)
	able := isFile && !env.quiet && env.logLevel != "debug" && isTerminal(f) && env.variableOr("TERM", "dumb") != "dumb"
	switch {
	case env.progress == "tty" || env.progress == "auto" && able:
		s := render.NewScreen(env.Stderr, func() (columns, lines int) { return env.terminalSize(env.Stderr) })
		env.watched.Store(s)
		// The table and the report show how streams ended, so the log does not repeat it.
		runner.Watch, runner.Log = s.Show, env.logTo(s, true, slog.LevelWarn)
		return func() { env.watched.Store(nil) }
	case env.progress == "json":
		runner.Log = env.logTo(env.Stderr, false, slog.LevelWarn)
		runner.Watch = render.ThrottleSnapshots(jsonEvery, func(r runlog.Running) {
			if line, err := json.Marshal(r); err == nil { // it has numbers and texts only, so this cannot fail
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

// Intervals of progress output without a table.
const (
	plainEvery = 10 * time.Second
	jsonEvery  = time.Second
)

// clearScreen removes the table of a run that has ended.
func clearScreen(env *Env) {
	if s := env.watched.Load(); s != nil {
		s.Clear()
	}
}

// afterOutput returns where commands after a run write: to stderr, or to the log if stderr has JSON lines only. The returned function writes
// their last line.
func afterOutput(env *Env, p *config.Pipeline) (out io.Writer, end func()) {
	if !env.machine.Load() {
		return env.Stderr, func() {}
	}
	w := render.NewLineLog(env.jsonLog().With("after", p.Name))
	return w, w.Flush
}
