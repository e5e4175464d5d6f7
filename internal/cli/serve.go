package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/serving"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/console"
	"aqueduck/internal/fleet"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

func newServe(env *Env) *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:   "serve",
		Short: "Run the pipelines on schedule, with an optional console",
		Long: `Run each pipeline that has a schedule at its times, in warehouse.timezone, until SIGTERM or Ctrl-C. On these signals the current
run stops new requests, commits complete batches and ends.

If serve itself was down at a scheduled time, or stopped or died during a run, its next start makes one catch-up run. After the
fourth death in a row it makes none and sends an alert. A time that comes while the pipeline still runs is skipped, unless
pipelines.yaml tells serve to queue it. A run that failed with a temporary error is retried after 15 minutes, 45 more minutes
and two more hours; the alert is sent after the last retry. Each run is a separate process. When only that process dies, for
example for lack of memory, serve continues, sends an alert at once and retries the run in the same way. The warehouse is locked
only while a run is active. A second serve of the same warehouse ends with exit code 5.

SIGHUP reloads pipelines.yaml. The current run continues. A file with mistakes is reported and changes nothing.

--console ADDRESS serves a web console with past, current and coming runs, their logs and the data. It asks for the token
in .aqueduck/console.token, which a first start on a terminal also prints. An address that other machines can reach, such as
0.0.0.0:8443, needs --console-cert, --console-key and --console-password-file. --read-only removes the buttons. See
docs/console.md.

--no-schedule starts no run by itself: the console of a machine where workers or cron start the runs.

--metrics ADDRESS serves /metrics for Prometheus, /healthz and /readyz, only on this machine.`,
		Example: `  aqueduck serve
  aqueduck serve -f pipelines.yaml -q
  aqueduck serve --console 127.0.0.1:8321
  aqueduck serve --console unix:/run/aqueduck/console.sock --read-only
  aqueduck serve --metrics 127.0.0.1:9321 --metrics-host metrics.example
  aqueduck serve --console 0.0.0.0:8443 --console-host reports.example --console-cert c.pem --console-key k.pem --console-password-file p`,
		Args: usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.checkFlags(c); err != nil {
				return err
			}
			if env.asked != nil {
				return runOne(c.Context(), env)
			}
			return serveAll(c.Context(), env, o)
		},
	}
	c.Flags().StringVar(&o.place.Address, "console", "", "address of the web console, 127.0.0.1:8321 or unix:PATH (default: none)")
	c.Flags().StringSliceVar(&o.place.Hosts, "console-host", nil, "another host name of the console or of a proxy in front of it, e.g. reports.example")
	c.Flags().StringVar(&o.place.Cert, "console-cert", "", "TLS certificate of the console, a PEM file")
	c.Flags().StringVar(&o.place.Key, "console-key", "", "key of the TLS certificate, a PEM file")
	c.Flags().StringVar(&o.place.Password, "console-password-file", "", "file that only its owner can read (mode 0600 or 0400), with the console's password, instead of a generated token")
	c.Flags().BoolVar(&o.readOnly, "read-only", false, "serve a console without buttons")
	c.Flags().BoolVar(&o.idle, "no-schedule", false, "serve the console, and start no run at its time: where workers or cron start the runs")
	c.Flags().StringVar(&o.metrics, "metrics", "", "address of the Prometheus metrics on this machine, e.g. 127.0.0.1:9321 (default: none)")
	c.Flags().StringSliceVar(&o.metricsHosts, "metrics-host", nil, "another host name of the metrics or of a proxy in front of them")
	return c
}

// serveOptions are the flags of `serve`.
type serveOptions struct {
	place    console.Place
	readOnly bool
	metrics  string
	idle     bool // nothing runs by itself

	metricsHosts []string
}

// checkFlags refuses flags that need the console or the metrics where these are off.
func (o serveOptions) checkFlags(c *cobra.Command) error {
	for _, name := range []string{"console-host", "console-cert", "console-key", "console-password-file", "read-only", "no-schedule"} {
		if o.place.Address == "" && c.Flags().Changed(name) {
			return usage.Errorf(c, "--%s needs --console ADDRESS", name)
		}
	}
	if o.metrics != "" && o.metrics == o.place.Address && !strings.HasSuffix(o.metrics, ":0") {
		return usage.Errorf(c, "--metrics %s is the address of --console: give the metrics another, e.g. 127.0.0.1:9321", o.metrics)
	}
	if o.metrics == "" && c.Flags().Changed("metrics-host") {
		return usage.Errorf(c, "--metrics-host needs --metrics ADDRESS")
	}
	return nil
}

// takeTurn makes this process the one that runs the pipelines at their times, if it is to do that, and records a run that crashed.
func (o serveOptions) takeTurn(ctx context.Context, setup *runner.Runner) (release func() error, err error) {
	if o.idle {
		return func() error { return nil }, setup.PrepareDir()
	}
	held, err := runner.HoldServeLock(setup)
	if err != nil {
		return nil, err
	}
	if err := sync.RecordCrashedRun(ctx, setup); err != nil {
		return nil, errors.Join(err, held.Release())
	}
	return held.Release, nil
}

// serveAll runs the schedules, the console and the metrics until the context ends.
func serveAll(ctx context.Context, env *Env, o serveOptions) (err error) {
	setup, err := newRunner(env)
	if err != nil {
		return err
	}
	setup.Alerts = sync.NewSender(setup, setup.Config.Lookup)
	run := pipelineRunner(runApart)
	if env.runs != nil {
		run = env.runs
	}
	s := serving.NewServer(serving.Setup{
		Files: env.fileNames(), ByHand: o.place.Address != "" && !o.readOnly, Now: env.Now,
		Load:  func() (*runner.Runner, error) { return newRunner(env) },
		Check: func(r *runner.Runner) error { return checkConnections(r, r.Config.Pipelines) },
		Run: func(ctx context.Context, r *runner.Runner, p *config.Pipeline, o runner.Options) {
			run(ctx, env, r, p, o)
		},
		Workspaces: fleet.NewReader(env.listPlaces, env.Now), Shows: o.idle,
	}, setup)
	if err := s.CheckServable(setup); err != nil {
		return err
	}
	if setup.IsEmulated() {
		setup.Log.Info(runlog.SaysEmulated)
	}
	release, err := o.takeTurn(ctx, setup)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	last, err := runlog.LastRuns(ctx, setup.Dir)
	if err != nil {
		return err
	}
	env.reloads.Store(true) // from here on signalContext leaves SIGHUP alone
	defer s.ReloadOnHangup()()
	// An error of the console ends the program: otherwise nobody would notice that the console is gone.
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	shown, err := serveConsole(ctx, env, s, o, stop)
	if err != nil {
		return err
	}
	measured, err := serveMetrics(ctx, env, s, o, stop)
	if err != nil {
		return err
	}
	s.RunSchedules(ctx, last)
	stop(nil)
	shown()
	measured()
	s.WaitForRuns()
	setup.Log.Info("stopped")
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		return cause
	}
	return nil // stopped on request
}

// serveConsole starts the console if --console is set. The returned function waits for its end.
func serveConsole(ctx context.Context, env *Env, s *serving.PipelineServer, o serveOptions, stop func(error)) (ended func(), err error) {
	if o.place.Address == "" {
		return func() {}, nil
	}
	secret, made, err := o.place.Secret(s.CurrentRunner().Dir)
	if err != nil {
		return nil, err
	}
	listener, err := o.place.Listen()
	if err != nil {
		return nil, err
	}
	address := listener.Addr().String()
	c, err := console.New(console.Options{
		Serving: s.ConsoleServing(ctx), Address: address, Hosts: o.place.Names(listener), Secret: secret, IsPassword: o.place.Password != "", TLS: o.place.Cert != "", ReadOnly: o.readOnly,
		Version: buildVersion(), Given: env.given, Now: time.Now,
	})
	if err != nil {
		return nil, err
	}
	scheme := "http://"
	if o.place.Cert != "" {
		scheme = "https://"
	}
	env.printNotice("console   " + scheme + address)
	if o.place.Password == "" {
		env.printToken(secret, made, console.TokenFile(s.CurrentRunner().Dir))
	}
	return runInBackground(stop, func() error { return c.Serve(ctx, listener, o.place.Cert, o.place.Key) }), nil
}

// printToken says where the token of the console is. A new one is shown too, but only to a terminal: a journal is read by others.
func (env *Env) printToken(token string, made bool, file string) {
	if f, ok := env.Stderr.(*os.File); made && ok && isTerminal(f) {
		env.printNotice("          its token, shown only now: " + token)
	}
	env.printNotice("          its token is in " + file)
}

// serveMetrics starts the metrics if --metrics is set. The returned function waits for their end.
func serveMetrics(ctx context.Context, env *Env, s *serving.PipelineServer, o serveOptions, stop func(error)) (ended func(), err error) {
	if o.metrics == "" {
		return func() {}, nil
	}
	listener, hosts, err := console.ListenMetrics(o.metrics, o.metricsHosts)
	if err != nil {
		return nil, err
	}
	handler, err := console.Metrics(s.ConsoleServing(ctx), hosts, time.Now)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	env.printNotice("metrics   " + listener.Addr().String())
	return runInBackground(stop, func() error { return console.ServeMetrics(ctx, listener, handler, s.CurrentRunner().Log) }), nil
}

// runInBackground starts a function whose error ends the program. The returned function waits for its end.
func runInBackground(stop func(error), do func() error) (ended func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := do(); err != nil {
			stop(err)
		}
	}()
	return func() { <-done }
}

// runServed runs a pipeline once in this process. It reports a failure and does not return it: the schedule continues.
func runServed(ctx context.Context, env *Env, runner *runner.Runner, p *config.Pipeline, o runner.Options) {
	out, end := afterOutput(env, p)
	report, err := sync.Run(ctx, runner, p, o, out)
	end()
	switch {
	case err != nil && ctx.Err() != nil: // stopped on request, which is no error
		printLastLine(env, err)
	case err != nil:
		printLastLine(env, err)
		env.printProblem(err)
	default:
		printReport(env, report)
	}
}
