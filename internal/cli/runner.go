package cli

import (
	"cmp"
	"context"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/cli/emulate"
	"aqueduck/internal/config"
	"aqueduck/internal/mirror"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/load/layout"
)

// checkConnections finds mistakes that would stop a run: names of streams, addresses and tokens, and a mirror that this program has not. It changes nothing.
func checkConnections(runner *runner.Runner, pipelines []*config.Pipeline) error {
	for _, p := range pipelines {
		for _, name := range p.Workspaces(runner.Config) {
			if _, _, err := runner.Config.Connect(name, runner.Config.Lookup); err != nil {
				return err
			}
		}
	}
	return runner.CheckMirror()
}

// newRunner returns a Runner for the configuration, the clock and the environment.
func newRunner(env *Env) (*runner.Runner, error) { return runnerWith(env, false) }

// newReadOnlyRunner returns a Runner that writes nothing: no hour passes in the embedded workspace.
func newReadOnlyRunner(env *Env) (*runner.Runner, error) { return runnerWith(env, true) }

// runnerWith returns a Runner, and sets the clock of the warehouse. still: the workspaces are only looked at.
func runnerWith(env *Env, still bool) (*runner.Runner, error) {
	cfg, catalogue, err := env.loadConfig()
	if err != nil {
		return nil, err
	}
	program, err := sandbox.CurrentProgram()
	if err = cmp.Or(err, env.refuseFile(cfg.Warehouse.Dir)); err != nil {
		return nil, err
	}
	dir := layout.Dir(cfg.Warehouse.Dir)
	clock := runlog.NewClock(dir, env.Now)
	env.clock.Store(clock)
	embedded := &emulate.Embedded{Lookup: env.Lookup, Dir: dir, Clock: clock, Still: still, Log: env.newLogger()}
	return &runner.Runner{
		Config: cfg, Catalogue: catalogue, Dir: dir, Program: program, Now: clock.TimeNow, Machine: env.Now, Emulated: clock.IsEmulated, Wait: env.Wait, Log: env.newLogger(), Version: buildVersion(), Given: env.given, Flags: env.flags, Interrupted: interruptCode, Mirror: mirrorRun, NoMirror: mirror.Missing(cfg.Warehouse.Mirror.Location),
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := cfg.Connect(name, cfg.Lookup)
			if err == nil && url == config.Emulator {
				return embedded.Connect()
			}
			if err == nil && (still || layout.TakesKind(dir, false)) {
				clock.FollowMachine()
			}
			return runner.Source{BaseURL: url, Token: token, Refresh: func() (api.Secret, error) { return currentToken(env, cfg, name) }}, err
		},
	}, nil
}

// currentToken looks up a token again: its file or .env may have a newer one.
func currentToken(env *Env, config *config.Config, workspace string) (api.Secret, error) {
	lookup, err := env.loadVariables()
	if err != nil {
		return "", err
	}
	_, token, err := config.Connect(workspace, lookup)
	return token, err
}

// Wait waits by the machine's clock, at most until the context ends.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
