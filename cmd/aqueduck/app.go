package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"aqueduck/extract"
	"aqueduck/internal/grammar"
	"aqueduck/internal/pipeline"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// app is the program with everything it takes from outside: its arguments, its streams, its environment, its clock.
type app struct {
	name           string // as it was called, for commands to copy
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)
	now            func() time.Time
	wait           func(context.Context, time.Duration) error

	file     []string // pipelines.yaml; several are read as one, and directories hold some
	dir      string   // overrides warehouse.dir
	output   string   // table, json, csv, parquet
	logLevel string
	logForm  string // auto, text, json
	progress string // auto, tty, plain, json, none
	colour   string // auto, always, never
	quiet    bool
	given    pipeline.Given    // -f and --dir, as far as they were given
	flags    []pipeline.Origin // that were given, and by what
	verbose  verbosity

	watched atomic.Pointer[screen] // where a run is shown, while it is
	reloads atomic.Bool            // SIGHUP is for another, and ends nothing
	machine atomic.Bool            // who reads stderr is a program: all on it is lines of JSON
	written *results               // what stdout is while a command runs

	exit int // what a command that ended without an error wants the program to end with
}

// run executes the command line and gives the exit code. Results go to stdout, everything else to stderr.
func (a *app) run() int {
	ctx, stop := a.signals()
	defer stop()
	return a.execute(ctx)
}

func (a *app) execute(ctx context.Context) int {
	a.written = &results{to: a.stdout}
	a.stdout = a.written
	root := a.root()
	root.SetArgs(a.args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := whole(func() error { return root.ExecuteContext(ctx) })
	if lost := a.written.failed(); err == nil && lost != nil && a.exit == pipeline.ExitOK {
		err = fmt.Errorf("write the result: %w", lost)
	}
	if err == nil {
		return a.exit
	}
	return a.fail(ctx, err)
}

// results passes on what commands say, and knows of the first that could not be written: what is there is then not the whole.
type results struct {
	to io.Writer

	mu  sync.Mutex // guards err: runs of a schedule write side by side
	err error
}

func (w *results) Write(text []byte) (int, error) {
	n, err := w.to.Write(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	return n, err
}

func (w *results) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// fail prints what went wrong in the one form that errors have, and gives the exit code.
func (a *app) fail(ctx context.Context, err error) int {
	var usage *usageError
	switch {
	case errors.As(err, &usage) && a.machine.Load():
		a.told().Error(pipeline.Shorten(err.Error()), "class", "usage", "next", usage.command+" --help")
		return pipeline.ExitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "error[usage] %v\n     next: %s --help\n", err, usage.command)
		return pipeline.ExitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		a.say("interrupted; what was committed is safe, and the same command goes on from there")
		return interruptCode(ctx)
	}
	return a.tell(err).ExitCode()
}

// whole makes a panic of what a command does its error.
func whole(do func() error) (err error) {
	defer extract.Caught(&err)
	return do()
}

// tell says what went wrong, but for mistakes of the command line: to people in the one form that errors have, to programs in lines of
// JSON.
func (a *app) tell(err error) *pipeline.Problem {
	problem := a.problem(err)
	var mistakes grammar.Mistakes
	wrong := errors.As(err, &mistakes)
	switch {
	case a.machine.Load() && wrong:
		for _, m := range mistakes {
			a.told().Error(m.Message, "class", "config", "file", m.File, "line", m.Line, "column", m.Column, "next", m.Hint)
		}
	case a.machine.Load():
		a.told().Error(problem.Error(), "class", problem.Class, "next", problem.Next)
	case wrong:
		fmt.Fprintln(a.stderr, mistakes.Error())
	default:
		fmt.Fprintln(a.stderr, problem.Text())
	}
	if problem.Class == "bug" {
		a.trace(err)
	}
	return problem
}

// trace shows where a fault of the program is, to whoever asked for it.
func (a *app) trace(err error) {
	debug := a.fallback("AQUEDUCK_DEBUG", "0")
	switch {
	case a.verbose <= 1 && (debug == "0" || debug == "false"):
	case a.machine.Load():
		a.told().Error("where it is", "trace", pipeline.Whence(err))
	default:
		fmt.Fprintf(a.stderr, "\n%s\n", pipeline.Whence(err))
	}
}

// problem is an error with a next step that can be copied.
func (a *app) problem(err error) *pipeline.Problem {
	problem := *pipeline.AsProblem(err)
	problem.Next = a.given.To(problem.Next)
	return &problem
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "aqueduck",
		Short: "Bring a customer-messaging workspace into a DuckDB file and Parquet files",
		Long: `aqueduck reads a customer-messaging workspace through its HTTP API and keeps it in a warehouse:
a DuckDB file for analysts and Parquet files beside it, incrementally, losing nothing and doubling nothing.

Results go to stdout, everything else to stderr.`,
		Example: `  WORKSPACE_URL=emulator aqueduck sync nightly --dir demo
  aqueduck query --dir demo "SELECT role, count(*) FROM contacts GROUP BY ALL"`,
		SilenceErrors: true, SilenceUsage: true,
		Args: subcommand, RunE: showHelp,
	}
	flags := root.PersistentFlags()
	flags.StringSliceVarP(&a.file, "file", "f", strings.Split(a.fallback("AQUEDUCK_FILE", "pipelines.yaml"), ","), "the configuration; several files, or the *.yaml of a directory, are read as one")
	flags.StringVar(&a.dir, "dir", a.fallback("AQUEDUCK_DIR", ""), "the warehouse's directory, instead of warehouse.dir")
	flags.StringVarP(&a.output, "output", "o", a.fallback("AQUEDUCK_OUTPUT", "table"), "how results are written: table, json or csv, as far as the command has them; those of query as parquet too")
	flags.StringVar(&a.logLevel, "log-level", a.fallback("AQUEDUCK_LOG_LEVEL", "info"), "what is logged to stderr: debug, info, warn or error")
	flags.StringVar(&a.logForm, "log-format", a.fallback("AQUEDUCK_LOG_FORMAT", "auto"), "how is logged: text, json, or auto: for people on a terminal, text elsewhere")
	flags.StringVar(&a.progress, "progress", a.fallback("AQUEDUCK_PROGRESS", "auto"), "how a run under way is shown on stderr: tty, plain, json, none, or auto: tty on a terminal, plain elsewhere")
	flags.StringVar(&a.colour, "color", a.fallback("AQUEDUCK_COLOR", "auto"), "colours of the log on a terminal: always, never, or auto, which goes by NO_COLOR, FORCE_COLOR and TERM")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "of a run or a verification print only the last line")
	flags.VarPF(&a.verbose, "verbose", "v", "log everything: --log-level debug; -vv shows besides where a fault of the program is").NoOptDefVal = "true"
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{command: c.CommandPath(), err: suggestFlag(c, err)}
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		a.given, a.flags = given(c), a.flagsOf(c)
		return a.globals(c)
	}
	root.AddCommand(a.start(), a.check(), a.editorSchema(), a.plan(), a.schedule(), a.sync(), a.status(), a.runs(), a.rollback(), a.verify(), a.query(), a.doctor(), a.streams(), a.state(), a.erase(), a.serve(), a.emulate(), a.version())
	root.AddCommand(topics()...)
	root.SetHelpCommand(help())
	a.completeFlags(root)
	return root
}

// given are the flags that name the configuration and the warehouse.
func given(c *cobra.Command) pipeline.Given {
	var words []string
	for _, f := range []struct{ name, flag string }{{"file", "-f"}, {"dir", "--dir"}} {
		if !c.Flags().Changed(f.name) {
			continue
		}
		for _, value := range values(c.Flag(f.name)) {
			words = append(words, f.flag, value)
		}
	}
	return pipeline.GivenBy(words...)
}

func (a *app) fallback(name, value string) string {
	if v, ok := a.env(name); ok && v != "" {
		return v
	}
	return value
}

// signals gives a context that the first SIGINT, SIGTERM or hangup of the terminal cancels; a second one ends the program at once. Who
// had hangups ignored, as nohup does, meant it.
func (a *app) signals() (context.Context, func()) {
	got := &atomic.Int32{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), signalKey{}, got))
	notify := make(chan os.Signal, 2)
	signal.Notify(notify, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(notify, syscall.SIGHUP)
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-notify:
				code := int32(pipeline.ExitInterrupted)
				switch {
				case s == syscall.SIGHUP && a.reloads.Load():
					continue
				case s == syscall.SIGHUP:
					code = pipeline.ExitHungUp
				case s == syscall.SIGTERM:
					code = pipeline.ExitTerminated
				}
				if !got.CompareAndSwap(0, code) {
					os.Exit(int(code))
				}
				a.say("stopping: what is under way is being brought to an end; once more stops at once")
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(notify); close(done); cancel() }
}

type signalKey struct{}

// say tells a person something that is no result, above the table of a run if there is one.
func (a *app) say(text string) {
	if s := a.watched.Load(); s != nil {
		fmt.Fprintln(s, text)
		return
	}
	if a.machine.Load() {
		a.told().Info(text)
		return
	}
	fmt.Fprintln(a.stderr, text)
}

// interruptCode is 129, 130 or 143, by the signal that cancelled the context.
func interruptCode(ctx context.Context) int {
	if got, ok := ctx.Value(signalKey{}).(*atomic.Int32); ok && got.Load() != 0 {
		return int(got.Load())
	}
	return pipeline.ExitInterrupted
}

// load reads the configuration and every stream file, reporting all mistakes at once.
func (a *app) load() (*pipeline.Config, *schemas.Catalogue, error) {
	return a.loadBy(pipeline.LoadConfig)
}

func (a *app) loadBy(read func(string, func(string) (string, bool), ...string) (*pipeline.Config, *schemas.Catalogue, error)) (*pipeline.Config, *schemas.Catalogue, error) {
	lookup, err := a.variables()
	if err != nil {
		return nil, nil, err
	}
	files, err := pipeline.ConfigFiles(a.file)
	if err != nil {
		return nil, nil, err
	}
	config, catalogue, err := read(files[0], lookup, files[1:]...)
	if err != nil {
		return nil, nil, err
	}
	if a.dir != "" {
		config.Warehouse.Dir = a.dir
		if i := slices.IndexFunc(a.flags, func(o pipeline.Origin) bool { return o.Setting == "--dir" }); i >= 0 {
			config.Came("warehouse.dir", a.flags[i].From)
		}
	}
	return config, catalogue, nil
}

// configured says that there is a configuration, or that one was asked for by name.
func (a *app) configured() bool {
	return a.there() || a.files() != "pipelines.yaml"
}

// there says that a configuration is there, as far as its names tell.
func (a *app) there() bool {
	return slices.ContainsFunc(a.file, func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// files names the configuration as it was named.
func (a *app) files() string { return strings.Join(a.file, ", ") }

// warehouse is the directory to look into: commands that only look need no configuration when --dir is given.
func (a *app) warehouse() (layout.Dir, error) {
	if a.dir != "" {
		if _, err := os.Stat(a.dir); errors.Is(err, fs.ErrNotExist) {
			return "", &pipeline.Problem{Class: "config", What: "there is no directory " + a.dir, Next: "name the warehouse's directory: --dir DIR"}
		}
		return layout.Dir(a.dir), nil
	}
	config, _, err := a.load()
	if err != nil {
		return "", err
	}
	return layout.Dir(config.Warehouse.Dir), nil
}

// coloured says whether a terminal's owner wants colours and it has them: the flag goes before NO_COLOR, that before FORCE_COLOR.
func (a *app) coloured() bool {
	switch {
	case a.colour != "auto":
		return a.colour == "always"
	case a.fallback("NO_COLOR", "") != "":
		return false
	}
	return a.fallback("FORCE_COLOR", "") != "" || a.fallback("TERM", "") != "dumb"
}

func terminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ) // /dev/null has no size
	return err == nil
}
