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

// NewRunner gives what reads a workspace by a configuration, which is written to pipelines.yaml of a directory. Its clock is the
// workspace's, and waiting moves it. Whoever asks for it ends it.
func NewRunner(dir, cfg string, space *emulator.Workspace) (r *runner.Runner, end func(), err error) {
	file := filepath.Join(dir, "pipelines.yaml")
	if err := os.WriteFile(file, []byte(cfg), 0o600); err != nil {
		return nil, nil, err
	}
	server := httptest.NewServer(space)
	values := map[string]string{"WORKSPACE_URL": server.URL, "WORKSPACE_TOKEN": space.AccessToken()}
	lookup := func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	parsed, catalogue, err := config.LoadConfig(file, lookup)
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	return &runner.Runner{
		Config: parsed, Catalogue: catalogue, Dir: layout.Dir(parsed.Warehouse.Dir), Now: space.CurrentTime, Log: slog.New(slog.DiscardHandler),
		Wait: func(ctx context.Context, d time.Duration) error { space.Advance(d); return ctx.Err() },
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := parsed.Connect(name, lookup)
			return runner.Source{BaseURL: url, Token: token}, err
		},
	}, server.Close, nil
}

// PublishOnce runs the first pipeline once and gives the file that readers have then. A run that does not end well, or has
// something to note, is an error.
func PublishOnce(ctx context.Context, r *runner.Runner) (string, error) {
	report, err := pipelinesync.Sync(ctx, r, r.Config.Pipelines[0], runner.Options{})
	if err != nil {
		return "", err
	}
	if report.Exit() != problem.ExitOK || len(report.Notes) > 0 {
		return "", fmt.Errorf("the run ended %s: %v", report.LastLine(), report.Notes)
	}
	return filepath.EvalSymlinks(r.Dir.Current())
}

// SharedFile is a published file for all tests of a package: a small workspace, read once, when the first of them asks for it.
type SharedFile struct {
	Config string
	Space  func() *emulator.Workspace

	once sync.Once
	dir  string
	file string
	err  error
}

// PublishedPath gives the published file, the same to everybody.
func (s *SharedFile) PublishedPath() (string, error) {
	s.once.Do(func() { s.file, s.err = s.publishShared() })
	return s.file, s.err
}

func (s *SharedFile) publishShared() (file string, err error) {
	if s.dir, err = os.MkdirTemp("", "readtest"); err != nil {
		return "", err
	}
	r, end, err := NewRunner(s.dir, s.Config, s.Space())
	if err != nil {
		return "", err
	}
	defer end()
	return PublishOnce(context.Background(), r)
}

// Remove removes it, once no test needs it any more.
func (s *SharedFile) Remove() error {
	if s.dir == "" {
		return nil // nobody asked
	}
	if err := os.RemoveAll(s.dir); err != nil {
		return errors.Join(err, s.err)
	}
	return nil
}
