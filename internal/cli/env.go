package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

// Env is the program with everything it takes from outside: its arguments, its streams, its environment, its clock.
type Env struct {
	Name   string                                     // as it was called, for commands to copy
	Args   []string                                   // without the name
	Stdin  io.Reader                                  // answers and statements
	Stdout io.Writer                                  // results
	Stderr io.Writer                                  // everything else
	Lookup func(string) (string, bool)                // variables of the environment
	Now    func() time.Time                           // the clock
	Wait   func(context.Context, time.Duration) error // by that clock, no longer than the context lives

	file      []string // pipelines.yaml; several are read as one, and directories hold some
	dir       string   // overrides warehouse.dir
	output    string   // table, json, csv, parquet
	logLevel  string
	logFormat string // auto, text, json
	progress  string // auto, tty, plain, json, none
	color     string // auto, always, never
	quiet     bool
	given     problem.CLIFlags // -f and --dir, as far as they were given
	flags     []config.Origin  // that were given, and by what
	verbose   usage.Verbosity

	watched atomic.Pointer[render.Screen] // where a run is shown, while it is
	asked   *oneRun                       // the one run that this process is for; nil: it is for a command
	runs    pipelineRunner                // how `serve` has a pipeline run; nil: by a process of its own
	reloads atomic.Bool                   // SIGHUP is for another, and ends nothing
	machine atomic.Bool                   // who reads stderr is a program: all on it is lines of JSON
	written *resultWriter                 // what stdout is while a command runs

	exit int // what a command that ended without an error wants the program to end with
}

// pipelineRunner is how `serve` has a pipeline run.
type pipelineRunner func(ctx context.Context, env *Env, r *runner.Runner, p *config.Pipeline, o runner.Options)

// printProblem says what went wrong, but for mistakes of the command line: to people in the one form that errors have, to programs in lines of
// JSON.
func (env *Env) printProblem(err error) *problem.Problem {
	problem := env.asProblem(err)
	var mistakes grammar.Mistakes
	wrong := errors.As(err, &mistakes)
	switch {
	case env.machine.Load() && wrong:
		for _, m := range mistakes {
			env.jsonLog().Error(m.Message, "class", "config", "file", m.File, "line", m.Line, "column", m.Column, "next", m.Hint)
		}
	case env.machine.Load():
		env.jsonLog().Error(problem.Error(), "class", problem.Class, "next", problem.Next)
	case wrong:
		fmt.Fprintln(env.Stderr, mistakes.Error())
	default:
		fmt.Fprintln(env.Stderr, problem.Text())
	}
	if problem.Class == "bug" {
		env.printTrace(err)
	}
	return problem
}

// printTrace shows where a fault of the program is, to whoever asked for it.
func (env *Env) printTrace(err error) {
	debug := env.variableOr("AQUEDUCK_DEBUG", "0")
	switch {
	case env.verbose <= 1 && (debug == "0" || debug == "false"):
	case env.machine.Load():
		env.jsonLog().Error("where it is", "trace", problem.Trace(err))
	default:
		fmt.Fprintf(env.Stderr, "\n%s\n", problem.Trace(err))
	}
}

// asProblem is an error with a next step that can be copied.
func (env *Env) asProblem(err error) *problem.Problem {
	problem := *problem.AsProblem(err)
	problem.Next = env.given.Append(problem.Next)
	return &problem
}

// variableOr is a variable of the environment, or a value where it is not set or empty.
func (env *Env) variableOr(name, value string) string {
	if v, ok := env.Lookup(name); ok && v != "" {
		return v
	}
	return value
}

// printNotice tells a person something that is no result, above the table of a run if there is one.
func (env *Env) printNotice(text string) {
	if s := env.watched.Load(); s != nil {
		fmt.Fprintln(s, text)
		return
	}
	if env.machine.Load() {
		env.jsonLog().Info(text)
		return
	}
	fmt.Fprintln(env.Stderr, text)
}

// wantsColor says whether a terminal's owner wants colours and it has them: the flag goes before NO_COLOR, that before FORCE_COLOR.
func (env *Env) wantsColor() bool {
	switch {
	case env.color != "auto":
		return env.color == "always"
	case env.variableOr("NO_COLOR", "") != "":
		return false
	}
	return env.variableOr("FORCE_COLOR", "") != "" || env.variableOr("TERM", "") != "dumb"
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ) // /dev/null has no size
	return err == nil
}

// jsonLog is the log of what programs are told whatever level they asked for.
func (env *Env) jsonLog() *slog.Logger {
	return render.NewLog(env.Stderr, render.LogStyle{Form: "json"})
}

// newLogger is the log that was asked for, on stderr.
func (env *Env) newLogger() *slog.Logger {
	f, ok := env.Stderr.(*os.File)
	return env.logTo(env.Stderr, ok && isTerminal(f), slog.LevelDebug)
}

// logTo logs what was asked for, and no less important than a level, for people where they look at a terminal.
func (env *Env) logTo(w io.Writer, people bool, least slog.Level) *slog.Logger {
	level := slog.LevelWarn
	if !env.quiet {
		level = max(levels[env.logLevel], least)
	}
	return render.NewLog(w, render.LogStyle{Level: level, Form: env.logFormat, Terminal: people, Colors: env.wantsColor()})
}

// printJSON writes a result as JSON.
func (env *Env) printJSON(v any) error { return render.WriteJSON(env.Stdout, v) }

// printRows writes rows that are known as a whole, in the form that was asked for.
func (env *Env) printRows(columns []string, all [][]any) error {
	return render.WriteList(env.output, env.Stdout, columns, all)
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
