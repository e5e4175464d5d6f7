package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/grammar"
	"aqueduck/internal/pipeline"
	"aqueduck/load"
	"aqueduck/schemas"
)

// app is the program with everything it takes from outside: its arguments, its streams, its environment.
type app struct {
	args           []string
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) (string, bool)

	file     string // pipelines.yaml
	dir      string // overrides warehouse.dir
	output   string // table, json, csv
	logLevel string
	quiet    bool

	exit int // what a command that ended without an error wants the program to end with
}

// run executes the command line and gives the exit code. Results go to stdout, everything else to stderr.
func (a *app) run() int {
	ctx, stop := a.signals()
	defer stop()
	root := a.root()
	root.SetArgs(a.args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return a.exit
	}
	return a.fail(ctx, err)
}

// fail prints what went wrong in the one form that errors have, and gives the exit code.
func (a *app) fail(ctx context.Context, err error) int {
	var usage *usageError
	var mistakes grammar.Mistakes
	switch {
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "error[usage] %v\n     next: %s --help\n", err, usage.command)
		return pipeline.ExitUsage
	case errors.As(err, &mistakes):
		fmt.Fprintln(a.stderr, mistakes.Error())
		return pipeline.ExitConfig
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "interrupted; what was committed is safe, and the same command goes on from there")
		return interruptCode(ctx)
	}
	problem := pipeline.AsProblem(err)
	fmt.Fprintln(a.stderr, problem.Text())
	return problem.ExitCode()
}

// usageError is a command line that cannot be understood.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "aqueduck",
		Short: "Bring a customer-messaging workspace into a DuckDB file and Parquet files",
		Long: `aqueduck reads a customer-messaging workspace through its HTTP API and keeps it in a warehouse:
a DuckDB file for analysts and Parquet files beside it, incrementally, losing nothing and doubling nothing.

Exit codes: 0 done, 1 a stream failed (the rest is loaded and safe), 2 usage, 3 configuration, 4 refused by the API,
5 busy, 70 internal, 130 and 143 interrupted (the same command goes on). Results go to stdout, the rest to stderr.`,
		Example: `  WORKSPACE_URL=emulator aqueduck sync nightly --dir demo
  aqueduck query --dir demo "SELECT role, count(*) FROM contacts GROUP BY ALL"`,
		SilenceErrors: true, SilenceUsage: true,
	}
	flags := root.PersistentFlags()
	flags.StringVarP(&a.file, "file", "f", a.fallback("AQUEDUCK_FILE", "pipelines.yaml"), "the configuration")
	flags.StringVar(&a.dir, "dir", a.fallback("AQUEDUCK_DIR", ""), "the warehouse's directory, instead of warehouse.dir")
	flags.StringVarP(&a.output, "output", "o", a.fallback("AQUEDUCK_OUTPUT", "table"), "how results are written: table, json or csv")
	flags.StringVar(&a.logLevel, "log-level", a.fallback("AQUEDUCK_LOG_LEVEL", "info"), "what is logged to stderr: debug, info, warn or error")
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print only the last line")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{command: c.CommandPath(), err: suggestFlag(c, err)}
	})
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if a.output != "table" && a.output != "json" && a.output != "csv" {
			return &usageError{command: c.CommandPath(), err: fmt.Errorf("--output %s: it is table, json or csv", a.output)}
		}
		return nil
	}
	root.AddCommand(a.check(), a.plan(), a.sync(), a.status(), a.query(), a.state(), a.serve(), a.emulate(), a.version())
	return root
}

func (a *app) fallback(name, value string) string {
	if v, ok := a.env(name); ok && v != "" {
		return v
	}
	return value
}

// args makes a wrong number of arguments a usage error.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return &usageError{command: c.CommandPath(), err: err}
		}
		return nil
	}
}

// suggestFlag names the flag that was meant, when one is close.
func suggestFlag(c *cobra.Command, err error) error {
	_, name, found := strings.Cut(err.Error(), "unknown flag: --")
	if !found {
		return err
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	c.InheritedFlags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := grammar.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// signals gives a context that the first SIGINT or SIGTERM cancels; a second one ends the program at once.
func (a *app) signals() (context.Context, func()) {
	got := &atomic.Int32{}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), signalKey{}, got))
	notify := make(chan os.Signal, 2)
	signal.Notify(notify, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for {
			select {
			case s := <-notify:
				code := int32(pipeline.ExitInterrupted)
				if s == syscall.SIGTERM {
					code = pipeline.ExitTerminated
				}
				if !got.CompareAndSwap(0, code) {
					os.Exit(int(code))
				}
				fmt.Fprintln(a.stderr, "stopping: what is whole is being committed; once more stops at once")
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() { signal.Stop(notify); close(done); cancel() }
}

type signalKey struct{}

// interruptCode is 130 or 143, by the signal that cancelled the context.
func interruptCode(ctx context.Context) int {
	if got, ok := ctx.Value(signalKey{}).(*atomic.Int32); ok && got.Load() != 0 {
		return int(got.Load())
	}
	return pipeline.ExitInterrupted
}

// load reads the configuration and every stream file, reporting all mistakes at once.
func (a *app) load() (*pipeline.Config, *schemas.Catalogue, error) {
	config, catalogue, err := pipeline.LoadConfig(a.file, a.env)
	if err != nil {
		return nil, nil, err
	}
	if a.dir != "" {
		config.Warehouse.Dir = a.dir
	}
	return config, catalogue, nil
}

// warehouse is the directory to look into: commands that only look need no configuration when --dir is given.
func (a *app) warehouse() (load.Dir, error) {
	if a.dir != "" {
		return load.Dir(a.dir), nil
	}
	config, _, err := a.load()
	if err != nil {
		return "", err
	}
	return load.Dir(config.Warehouse.Dir), nil
}

func (a *app) log() *slog.Logger {
	level := slog.LevelInfo
	if err := level.UnmarshalText([]byte(a.logLevel)); err != nil || a.quiet {
		level = slog.LevelWarn
	}
	if f, ok := a.stderr.(*os.File); ok && terminal(f) {
		_, plain := a.env("NO_COLOR")
		return slog.New(tint.NewHandler(a.stderr, &tint.Options{Level: level, TimeFormat: time.TimeOnly, NoColor: plain}))
	}
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: level}))
}

func terminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
