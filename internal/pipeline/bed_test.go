package pipeline_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	"aqueduck/internal/sync"
	"aqueduck/load/layout"
)

// nightly is the configuration that most tests run.
const nightly = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
`

// bed is an emulated workspace with a warehouse that reads it. Its clock is the workspace's, and waiting moves it.
type bed struct {
	t        testing.TB
	space    *emulator.Workspace
	front    http.Handler // what answers: the workspace, or something before it
	url      string
	runner   *runner.Runner
	file     string
	log      *bytes.Buffer
	reader   oracletest.Asked  // the published file that was asked last
	emulated bool              // the source says so of itself
	whole    bool              // publishes models and the lake as well
	env      map[string]string // besides the workspace's own address and token
}

// serial leaves a test out of the race lane: what runs side by side in it does so in other tests too.
func serial(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test runs it")
	}
}

// long skips a test that takes most of a minute: make test has smaller ones of what it holds.
func long(t testing.TB) {
	t.Helper()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("make long runs it")
	}
}

// small is a workspace that is made and read in moments, with something of everything.
func small() emulator.Config {
	return emulator.Config{Seed: 7, Contacts: 400, Inactive: 60, Activities: 600}
}

// tiny is a workspace for tests of many runs.
func tiny(seed uint64) emulator.Config {
	return emulator.Config{Seed: seed, Contacts: 120, Inactive: 40, Activities: 150}
}

func newBed(t testing.TB, c emulator.Config) *bed {
	t.Helper()
	return newBedWith(t, c, nightly)
}

func newBedWith(t testing.TB, c emulator.Config, config string) *bed {
	t.Helper()
	b := &bed{t: t, space: emulator.New(c), file: filepath.Join(t.TempDir(), "pipelines.yaml"), log: &bytes.Buffer{}}
	b.front = b.space
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.front.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { b.must(b.reader.Close()) })
	b.url = server.URL
	b.configure(config)
	return b
}

// configure replaces pipelines.yaml, as an operator between two runs.
func (b *bed) configure(cfg string) {
	b.t.Helper()
	if err := os.WriteFile(b.file, []byte(cfg), 0o600); err != nil {
		b.t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		if v, ok := b.env[name]; ok {
			return v, true
		}
		v, ok := map[string]string{"WORKSPACE_URL": b.url, "WORKSPACE_TOKEN": b.space.Token()}[name]
		return v, ok
	}
	parsed, catalogue, err := config.LoadConfig(b.file, lookup)
	if err != nil {
		b.t.Fatal(err)
	}
	program, err := sandbox.Self()
	if err != nil {
		b.t.Fatal(err)
	}
	if !b.whole {
		parsed.Models = nil
	}
	b.runner = &runner.Runner{
		Config: parsed, Catalogue: catalogue, Dir: layout.Dir(parsed.Warehouse.Dir), Now: b.space.Clock, Program: program, NoLake: !b.whole,
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Wait: func(ctx context.Context, d time.Duration) error {
			b.space.Advance(d)
			return ctx.Err()
		},
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := parsed.Connect(name, lookup)
			return runner.Source{BaseURL: url, Token: token, Emulated: b.emulated}, err
		},
	}
}

// publishingAll has the runs of a bed publish models and the lake, too. Most tests ask for neither.
func (b *bed) publishingAll() *bed {
	b.t.Helper()
	b.whole = true
	b.configure(b.config())
	return b
}

// sync runs the pipeline and fails the test when the run does not end well.
func (b *bed) sync(o runner.Options) *runlog.Report {
	b.t.Helper()
	report := b.try(o)
	if report.Exit() != problem.ExitOK {
		b.t.Fatalf("the run ended %s\n%+v", report.LastLine(), report.Streams)
	}
	return report
}

func (b *bed) try(o runner.Options) *runlog.Report {
	b.t.Helper()
	report, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], o)
	if err != nil {
		b.t.Fatal(err)
	}
	return report
}

// must fails the test where something done to the workspace was refused.
func (b *bed) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// rows asks the published file; each row is its values as text, separated by bars.
func (b *bed) rows(sql string) []string {
	b.t.Helper()
	return b.rowsOf(b.runner.Dir.Current(), sql)
}

// rowsOf asks one published file.
func (b *bed) rowsOf(file, sql string) []string {
	b.t.Helper()
	rows, err := b.reader.Rows(file, sql)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, sql)
	}
	return rows
}

// equalsOracle compares every published relation with what a perfect reader would hold.
func (b *bed) equalsOracle() {
	b.t.Helper()
	oracletest.Equal(b.t, b.space, b.runner.Dir.Current())
}

// config is pipelines.yaml as it is.
func (b *bed) config() string {
	b.t.Helper()
	text, err := os.ReadFile(b.file)
	b.must(err)
	return string(text)
}
