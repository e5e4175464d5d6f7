// Package readtest reads a small emulated workspace into a warehouse, for tests of what analysts find there.
package readtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/emulator"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/load/layout"
)

// Runner gives what reads a workspace by a configuration, which is written to pipelines.yaml of a directory. Its clock is the
// workspace's, and waiting moves it. Whoever asks for it ends it.
func Runner(dir, cfg string, space *emulator.Workspace) (r *runner.Runner, end func(), err error) {
	file := filepath.Join(dir, "pipelines.yaml")
	if err := os.WriteFile(file, []byte(cfg), 0o600); err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(space)
	values := map[string]string{"WORKSPACE_URL": server.URL, "WORKSPACE_TOKEN": space.Token()}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	parsed, catalogue, err := config.LoadConfig(file, lookup)
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	return &runner.Runner{
		Config: parsed, Catalogue: catalogue, Dir: layout.Dir(parsed.Warehouse.Dir), Now: space.Clock, Log: slog.New(slog.DiscardHandler),
		Wait: func(ctx context.Context, d time.Duration) error { space.Advance(d); return ctx.Err() },
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := parsed.Connect(name, lookup)
			return runner.Source{BaseURL: url, Token: token}, err
		},
	}, server.Close, nil
}

// Publish runs the first pipeline once and gives the file that readers have then. A run that does not end well, or has
// something to note, is an error.
func Publish(ctx context.Context, r *runner.Runner) (string, error) {
	report, err := pipelinesync.Sync(ctx, r, r.Config.Pipelines[0], runner.Options{})
	if err != nil {
		return "", err
	}
	if report.Exit() != problem.ExitOK || len(report.Notes) > 0 {
		return "", fmt.Errorf("the run ended %s: %v", report.LastLine(), report.Notes)
	}
	return filepath.EvalSymlinks(r.Dir.Current())
}

// Shared is a published file for all tests of a package: a small workspace, read once, when the first of them asks for it.
type Shared struct {
	Config string
	Space  func() *emulator.Workspace

	once sync.Once
	dir  string
	file string
	err  error
}

// File gives the published file, the same to everybody.
func (s *Shared) File() (string, error) {
	s.once.Do(func() { s.file, s.err = s.make() })
	return s.file, s.err
}

func (s *Shared) make() (file string, err error) {
	if s.dir, err = os.MkdirTemp("", "readtest"); err != nil {
		return "", err
	}
	r, end, err := Runner(s.dir, s.Config, s.Space())
	if err != nil {
		return "", err
	}
	defer end()
	return Publish(context.Background(), r)
}

// Remove removes it, once no test needs it any more.
func (s *Shared) Remove() error {
	if s.dir == "" {
		return nil // nobody asked
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return errors.Join(err, s.err)
	}
	return nil
}
