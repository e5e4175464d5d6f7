package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"aqueduck/internal/cli/apart"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
)

// Env is everything that the program gets from outside: arguments, standard streams, environment and clock. It also has the state of one command.
type Env struct {
	Name    string                                     // as it was called, for command lines in messages
	Args    []string                                   // without the name
	Stdin   io.Reader                                  // answers and statements
	Stdout  io.Writer                                  // results
	Stderr  io.Writer                                  // everything else
	Lookup  func(string) (string, bool)                // variables of the environment
	Environ []string                                   // all of them, as NAME=value
	Now     func() time.Time                           // this machine's clock
	Wait    func(context.Context, time.Duration) error // by that clock, until the context ends

	file      []string // pipelines.yaml; several files or directories are read as one configuration
	dir       string   // overrides warehouse.dir
	output    string   // table, json, csv, parquet
	logLevel  string
	logFormat string // auto, text, json
	progress  string // auto, tty, plain, json, none
	color     string // auto, always, never
	quiet     bool
	given     problem.CLIFlags // -f and --dir, if they were given
	flags     []config.Origin  // that are set, with their sources
	verbose   usage.Verbosity

	clock   atomic.Pointer[runlog.WarehouseClock] // of the warehouse; nil until it is known
	watched atomic.Pointer[render.Screen]         // shows the active run; nil: no table is shown
	asked   *apart.Request                        // run requested by `serve` or `worker`; nil for a command
	runs    pipelineRunner                        // how `serve` runs a pipeline; nil: in a child process
	reloads atomic.Bool                           // SIGHUP reloads the configuration, it does not end the program
	machine atomic.Bool                           // stderr has JSON lines only
	written *resultWriter                         // writes to stdout while a command runs

	exit   int   // exit code of a command that returned no error
	misuse error // --help of a command that does not exist
}

// pipelineRunner runs a pipeline once for `serve`.
type pipelineRunner func(ctx context.Context, env *Env, r *runner.Runner, p *config.Pipeline, o runner.Options)

// printProblem prints an error other than a wrong command line: in the usual form for people, as lines of JSON for programs.
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

// printTrace prints the stack of a panic with -vv or AQUEDUCK_DEBUG.
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

// asProblem returns an error with a next step that can be copied.
func (env *Env) asProblem(err error) *problem.Problem {
	if errors.Is(err, failure.ErrNothingPublished) || errors.Is(err, failure.ErrUnreadable) {
		if dir, unknown := env.warehouseDir(); unknown == nil {
			err = runlog.ExplainUnreadable(dir, err)
		}
	}
	problem := *problem.AsProblem(err)
	problem.Next = env.given.Append(problem.Next)
	for _, o := range env.flags {
		if value, _ := env.Lookup(o.From); value != "" && slices.Contains([]string{"--dir", "--exclude", "--file", "--pipeline", "--select", "--workspace"}, o.Setting) {
			problem.NameVariable(o.From, o.Setting, value)
		}
	}
	return &problem
}

// variableOr returns a variable of the environment, or a value if it is not set or empty.
func (env *Env) variableOr(name, value string) string {
	if v, ok := env.Lookup(name); ok && v != "" {
		return v
	}
	return value
}

// printNotice prints a message that is no result, above the table of a run if one is shown.
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

// wantsColor reports whether output has colours. The flag takes precedence over NO_COLOR, and NO_COLOR over FORCE_COLOR.
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
	columns, _ := render.TerminalSize(f, "") // /dev/null has no size
	return columns > 0
}

// terminalSize returns the width and the height of the terminal that is written to, in characters: 0 and 0 if it is no terminal, and a height of 0
// if the terminal does not say it. The variable COLUMNS overrides the width.
func (env *Env) terminalSize(w io.Writer) (columns, lines int) {
	return render.TerminalSize(w, env.variableOr("COLUMNS", ""))
}

// jsonLog returns a JSON log that ignores --log-level.
func (env *Env) jsonLog() *slog.Logger {
	return render.NewLog(env.Stderr, render.LogStyle{Form: "json", Now: env.shownTime})
}

// newLogger returns the log on stderr, as the flags set it.
func (env *Env) newLogger() *slog.Logger {
	f, ok := env.Stderr.(*os.File)
	return env.logTo(env.Stderr, ok && isTerminal(f), slog.LevelDebug)
}

// logTo returns a log as the flags set it, without messages below a level. people: it is shown on a terminal.
func (env *Env) logTo(w io.Writer, people bool, least slog.Level) *slog.Logger {
	level := slog.LevelWarn
	if !env.quiet {
		level = max(levels[env.logLevel], least)
	}
	return render.NewLog(w, render.LogStyle{Level: level, Form: env.logFormat, Terminal: people, Colors: env.wantsColor(), Now: env.shownTime})
}

// shownTime is the time on the warehouse's clock, or on this machine's where no warehouse is known.
func (env *Env) shownTime() time.Time {
	if clock := env.clock.Load(); clock != nil {
		return clock.TimeNow()
	}
	return env.Now()
}

// explainClock begins a table that shows times, if they are not those of this machine.
func (env *Env) explainClock() {
	if env.output == "table" {
		env.explainClockOf(env.Stdout)
	}
}

// explainClockOf writes whose times follow, if they are not those of this machine.
func (env *Env) explainClockOf(w io.Writer) {
	if env.clock.Load().IsEmulated() {
		fmt.Fprintln(w, runlog.SaysEmulated)
	}
}

// printJSON writes a result as JSON.
func (env *Env) printJSON(v any) error { return render.WriteJSON(env.Stdout, v) }

// printRows writes all rows of a result in the format of --output.
func (env *Env) printRows(columns []string, all [][]any) error {
	return render.WriteList(env.output, env.Stdout, env.shownTime(), render.List{Columns: columns, Rows: all})
}

// printTimes is printRows for a list with times.
func (env *Env) printTimes(l render.List) error {
	env.explainClock()
	return render.WriteList(env.output, env.Stdout, env.shownTime(), l)
}

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
