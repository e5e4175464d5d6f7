package cli

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
	"aqueduck/load"
	"aqueduck/schemas"
)

// Env is the program with everything it takes from outside: its arguments, its streams, its environment, its clock.
type Env struct {
	Name           string // as it was called, for commands to copy
	Args           []string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Lookup         func(string) (string, bool)
	Now            func() time.Time
	Wait           func(context.Context, time.Duration) error

	file      []string // pipelines.yaml; several are read as one, and directories hold some
	dir       string   // overrides warehouse.dir
	output    string   // table, json, csv, parquet
	logLevel  string
	logFormat string // auto, text, json
	progress  string // auto, tty, plain, json, none
	color     string // auto, always, never
	quiet     bool
	given     pipeline.Given    // -f and --dir, as far as they were given
	flags     []pipeline.Origin // that were given, and by what
	verbose   verbosity

	watched atomic.Pointer[screen] // where a run is shown, while it is
	reloads atomic.Bool            // SIGHUP is for another, and ends nothing
	machine atomic.Bool            // who reads stderr is a program: all on it is lines of JSON
	written *results               // what stdout is while a command runs

	exit int // what a command that ended without an error wants the program to end with
}

// Run executes the command line and gives the exit code. Results go to stdout, everything else to stderr.
func Run(env *Env) int {
	ctx, stop := signalContext(env)
	defer stop()
	return execute(ctx, env)
}

func execute(ctx context.Context, env *Env) int {
	env.written = &results{to: env.Stdout}
	env.Stdout = env.written
	root := newRoot(env)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	err := whole(func() error { return root.ExecuteContext(ctx) })
	if lost := env.written.failed(); err == nil && lost != nil && env.exit == pipeline.ExitOK {
		err = fmt.Errorf("write the result: %w", lost)
	}
	if err == nil {
		return env.exit
	}
	return printFailure(ctx, env, err)
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

// printFailure prints what went wrong in the one form that errors have, and gives the exit code.
func printFailure(ctx context.Context, env *Env, err error) int {
	var usage *usageError
	switch {
	case errors.As(err, &usage) && env.machine.Load():
		env.told().Error(pipeline.Shorten(err.Error()), "class", "usage", "next", usage.command+" --help")
		return pipeline.ExitUsage
	case errors.As(err, &usage):
		fmt.Fprintf(env.Stderr, "error[usage] %v\n     next: %s --help\n", err, usage.command)
		return pipeline.ExitUsage
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		env.say("interrupted; what was committed is safe, and the same command goes on from there")
		return interruptCode(ctx)
	}
	return env.tell(err).ExitCode()
}

// whole makes a panic of what a command does its error.
func whole(do func() error) (err error) {
	defer extract.Caught(&err)
	return do()
}

// tell says what went wrong, but for mistakes of the command line: to people in the one form that errors have, to programs in lines of
// JSON.
func (env *Env) tell(err error) *pipeline.Problem {
	problem := env.problem(err)
	var mistakes grammar.Mistakes
	wrong := errors.As(err, &mistakes)
	switch {
	case env.machine.Load() && wrong:
		for _, m := range mistakes {
			env.told().Error(m.Message, "class", "config", "file", m.File, "line", m.Line, "column", m.Column, "next", m.Hint)
		}
	case env.machine.Load():
		env.told().Error(problem.Error(), "class", problem.Class, "next", problem.Next)
	case wrong:
		fmt.Fprintln(env.Stderr, mistakes.Error())
	default:
		fmt.Fprintln(env.Stderr, problem.Text())
	}
	if problem.Class == "bug" {
		env.trace(err)
	}
	return problem
}

// trace shows where a fault of the program is, to whoever asked for it.
func (env *Env) trace(err error) {
	debug := env.fallback("AQUEDUCK_DEBUG", "0")
	switch {
	case env.verbose <= 1 && (debug == "0" || debug == "false"):
	case env.machine.Load():
		env.told().Error("where it is", "trace", pipeline.Whence(err))
	default:
		fmt.Fprintf(env.Stderr, "\n%s\n", pipeline.Whence(err))
	}
}

// problem is an error with a next step that can be copied.
func (env *Env) problem(err error) *pipeline.Problem {
	problem := *pipeline.AsProblem(err)
	problem.Next = env.given.To(problem.Next)
	return &problem
}

func newRoot(env *Env) *cobra.Command {
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
	flags.StringSliceVarP(&env.file, "file", "f", strings.Split(env.fallback("AQUEDUCK_FILE", "pipelines.yaml"), ","), "the configuration; several files, or the *.yaml of a directory, are read as one")
	flags.StringVar(&env.dir, "dir", env.fallback("AQUEDUCK_DIR", ""), "the warehouse's directory, instead of warehouse.dir")
	flags.StringVarP(&env.output, "output", "o", env.fallback("AQUEDUCK_OUTPUT", "table"), "how results are written: table, json or csv, as far as the command has them; those of query as parquet too")
	flags.StringVar(&env.logLevel, "log-level", env.fallback("AQUEDUCK_LOG_LEVEL", "info"), "what is logged to stderr: debug, info, warn or error")
	flags.StringVar(&env.logFormat, "log-format", env.fallback("AQUEDUCK_LOG_FORMAT", "auto"), "how is logged: text, json, or auto: for people on a terminal, text elsewhere")
	flags.StringVar(&env.progress, "progress", env.fallback("AQUEDUCK_PROGRESS", "auto"), "how a run under way is shown on stderr: tty, plain, json, none, or auto: tty on a terminal, plain elsewhere")
	flags.StringVar(&env.color, "color", env.fallback("AQUEDUCK_COLOR", "auto"), "colours of the log on a terminal: always, never, or auto, which goes by NO_COLOR, FORCE_COLOR and TERM")
	flags.BoolVarP(&env.quiet, "quiet", "q", false, "of a run or a verification print only the last line")
	flags.VarPF(&env.verbose, "verbose", "v", "log everything: --log-level debug; -vv shows besides where a fault of the program is").NoOptDefVal = "true"
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{command: c.CommandPath(), err: suggestFlag(c, err)}
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		env.given, env.flags = given(c), givenFlags(env, c)
		return checkGlobals(env, c)
	}
	root.AddCommand(newInit(env), newCheck(env), newSchema(env), newPlan(env), newSchedule(env), newSync(env), newStatus(env), newRuns(env), newRollback(env), newVerify(env), newQuery(env), newDoctor(env), newStreams(env), newState(env), newErase(env), newServe(env), newEmulate(env), newVersion(env))
	root.AddCommand(topics()...)
	root.SetHelpCommand(help())
	completeFlags(env, root)
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

func (env *Env) fallback(name, value string) string {
	if v, ok := env.Lookup(name); ok && v != "" {
		return v
	}
	return value
}

// signalContext gives a context that the first SIGINT, SIGTERM or hangup of the terminal cancels; a second one ends the program at once. Who
// had hangups ignored, as nohup does, meant it.
func signalContext(env *Env) (context.Context, func()) {
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
				case s == syscall.SIGHUP && env.reloads.Load():
					continue
				case s == syscall.SIGHUP:
					code = pipeline.ExitHungUp
				case s == syscall.SIGTERM:
					code = pipeline.ExitTerminated
				}
				if !got.CompareAndSwap(0, code) {
					os.Exit(int(code))
				}
				env.say("stopping: what is under way is being brought to an end; once more stops at once")
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
func (env *Env) say(text string) {
	if s := env.watched.Load(); s != nil {
		fmt.Fprintln(s, text)
		return
	}
	if env.machine.Load() {
		env.told().Info(text)
		return
	}
	fmt.Fprintln(env.Stderr, text)
}

// interruptCode is 129, 130 or 143, by the signal that cancelled the context.
func interruptCode(ctx context.Context) int {
	if got, ok := ctx.Value(signalKey{}).(*atomic.Int32); ok && got.Load() != 0 {
		return int(got.Load())
	}
	return pipeline.ExitInterrupted
}

// load reads the configuration and every stream file, reporting all mistakes at once.
func (env *Env) load() (*pipeline.Config, *schemas.Catalogue, error) {
	return env.loadBy(pipeline.LoadConfig)
}

func (env *Env) loadBy(read func(string, func(string) (string, bool), ...string) (*pipeline.Config, *schemas.Catalogue, error)) (*pipeline.Config, *schemas.Catalogue, error) {
	lookup, err := env.variables()
	if err != nil {
		return nil, nil, err
	}
	files, err := pipeline.ConfigFiles(env.file)
	if err != nil {
		return nil, nil, err
	}
	config, catalogue, err := read(files[0], lookup, files[1:]...)
	if err != nil {
		return nil, nil, err
	}
	if env.dir != "" {
		config.Warehouse.Dir = env.dir
		if i := slices.IndexFunc(env.flags, func(o pipeline.Origin) bool { return o.Setting == "--dir" }); i >= 0 {
			config.Came("warehouse.dir", env.flags[i].From)
		}
	}
	return config, catalogue, nil
}

// configured says that there is a configuration, or that one was asked for by name.
func (env *Env) configured() bool {
	return env.there() || env.files() != "pipelines.yaml"
}

// there says that a configuration is there, as far as its names tell.
func (env *Env) there() bool {
	return slices.ContainsFunc(env.file, func(name string) bool {
		_, err := os.Stat(name)
		return err == nil
	})
}

// files names the configuration as it was named.
func (env *Env) files() string { return strings.Join(env.file, ", ") }

// warehouse is the directory to look into: commands that only look need no configuration when --dir is given.
func (env *Env) warehouse() (load.Dir, error) {
	if env.dir != "" {
		if _, err := os.Stat(env.dir); errors.Is(err, fs.ErrNotExist) {
			return "", &pipeline.Problem{Class: "config", What: "there is no directory " + env.dir, Next: "name the warehouse's directory: --dir DIR"}
		}
		return load.Dir(env.dir), nil
	}
	config, _, err := env.load()
	if err != nil {
		return "", err
	}
	return load.Dir(config.Warehouse.Dir), nil
}

// coloured says whether a terminal's owner wants colours and it has them: the flag goes before NO_COLOR, that before FORCE_COLOR.
func (env *Env) coloured() bool {
	switch {
	case env.color != "auto":
		return env.color == "always"
	case env.fallback("NO_COLOR", "") != "":
		return false
	}
	return env.fallback("FORCE_COLOR", "") != "" || env.fallback("TERM", "") != "dumb"
}

func terminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ) // /dev/null has no size
	return err == nil
}
