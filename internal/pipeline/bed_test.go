package pipeline_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// nightly is the configuration of most tests.
const nightly = `version: 1
warehouse: {dir: data}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", api_version: "2.17"}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities]}
`

// testBed is an emulated workspace with a warehouse that reads it. Its clock is the workspace's; a wait moves it.
type testBed struct {
	t        testing.TB
	space    *emulator.Workspace
	front    http.Handler // the workspace, or a proxy in front of it
	url      string
	runner   *runner.Runner
	file     string
	log      *bytes.Buffer
	reader   oracletest.OpenFile // the published file that was queried last
	emulated bool                // the source reports itself as emulated
	publish  published           // what the runs publish besides the tables
	env      map[string]string   // besides the workspace's address and token
}

// skipInRaceRun skips a test in the race lane. Other tests of that lane run the same goroutines.
func skipInRaceRun(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test runs it")
	}
}

// skipUnlessLong skips a test that takes most of a minute. make test has smaller tests of the same behaviour.
func skipUnlessLong(t testing.TB) {
	t.Helper()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("make long runs it")
	}
}

// smallConfig is a workspace that is made and read quickly, with some records of everything.
func smallConfig() emulator.Config {
	return emulator.Config{Seed: 7, Contacts: 400, Inactive: 60, Activities: 600}
}

// tinyConfig is a workspace for tests of many runs.
func tinyConfig(seed uint64) emulator.Config {
	return emulator.Config{Seed: seed, Contacts: 120, Inactive: 40, Activities: 150}
}

func newBed(t testing.TB, c emulator.Config) *testBed {
	t.Helper()
	return newBedWith(t, c, nightly)
}

func newBedWith(t testing.TB, c emulator.Config, config string) *testBed {
	t.Helper()
	b := &testBed{t: t, space: emulator.New(c), file: filepath.Join(t.TempDir(), "pipelines.yaml"), log: &bytes.Buffer{}}
	b.front = b.space
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.front.ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	t.Cleanup(func() { b.failOn(b.reader.Close()) })
	b.url = server.URL
	b.writeConfig(config)
	return b
}

// writeConfig replaces pipelines.yaml, as an operator does between two runs.
func (b *testBed) writeConfig(cfg string) {
	b.t.Helper()
	if err := os.WriteFile(b.file, []byte(cfg), 0o600); err != nil {
		b.t.Fatal(err)
	}
	lookup := func(name string) (string, bool) {
		if v, ok := b.env[name]; ok {
			return v, true
		}
		v, ok := map[string]string{"WORKSPACE_URL": b.url, "WORKSPACE_TOKEN": b.space.AccessToken()}[name]
		return v, ok
	}
	parsed, catalogue, err := config.LoadConfig(b.file, lookup)
	if err != nil {
		b.t.Fatal(err)
	}
	program, err := sandbox.CurrentProgram()
	if err != nil {
		b.t.Fatal(err)
	}
	if b.publish < withModels {
		parsed.Models = nil
		if !strings.Contains(cfg, "keep:") {
			parsed.Warehouse.Publish.Keep = 0 // an erasure writes each older file again
		}
	}
	b.runner = &runner.Runner{
		Config: parsed, Catalogue: catalogue, Dir: layout.Dir(parsed.Warehouse.Dir), Now: b.space.CurrentTime, Program: program, NoComments: b.publish < withModels, NoLake: b.publish < withLake,
		Log: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Wait: func(ctx context.Context, d time.Duration) error {
			b.space.Advance(d)
			return ctx.Err()
		},
		Connect: func(_ context.Context, name string) (runner.Source, error) {
			url, token, err := parsed.Connect(name, lookup)
			source := runner.Source{BaseURL: url, Token: token, Emulated: b.emulated}
			if b.emulated {
				source.Keep = func() error { return os.WriteFile(b.runner.Dir.EmulatorFile(), []byte("{}"), 0o600) }
			}
			return source, err
		},
	}
}

// published is what the runs of a bed publish. Most tests need the tables of the file alone, and models and comments cost more than they do.
type published int

const (
	tablesAlone published = iota
	withLake              // Parquet files too
	withModels            // models and comments too, and two older files are kept
)

func (b *testBed) publishingLake() *testBed { return b.publishing(withLake) }
func (b *testBed) publishingAll() *testBed  { return b.publishing(withModels) }

func (b *testBed) publishing(what published) *testBed {
	b.t.Helper()
	b.publish = what
	b.writeConfig(b.readConfig())
	return b
}

// keepingOlder makes the runs of a bed keep two older published files, as by default. Most tests keep none.
func (b *testBed) keepingOlder() *testBed {
	b.t.Helper()
	b.writeConfig(strings.Replace(b.readConfig(), "{dir: data", "{dir: data, publish: {keep: 2}", 1))
	return b
}

// capParts makes the stream files name another number of parts that the source sends at most.
func (b *testBed) capParts(most int64) {
	for _, s := range b.runner.Catalogue.Streams() {
		if s.Capped.Of == "parts" {
			s.Capped.Most = most
		}
	}
}

// syncOnce runs the pipeline, and fails the test when the run fails.
func (b *testBed) syncOnce(o runner.Options) *runlog.Report {
	b.t.Helper()
	report := b.trySync(o)
	if report.Exit() != problem.ExitOK {
		b.t.Fatalf("the run ended %s %+v\n%+v", report.LastLine(), report.Held, report.Streams)
	}
	if i := slices.IndexFunc(report.Notes, func(note string) bool { return strings.Contains(note, "without what was erased") }); i >= 0 {
		b.t.Error(report.Notes[i]) // no test makes a file that cannot be rewritten
	}
	return report
}

func (b *testBed) trySync(o runner.Options) *runlog.Report {
	b.t.Helper()
	report, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], o)
	if err != nil {
		b.t.Fatal(err)
	}
	return report
}

// failOn fails the test when the workspace refused a change.
func (b *testBed) failOn(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// queryRows queries the published file. Each row is its values as text, separated by bars.
func (b *testBed) queryRows(sql string) []string {
	b.t.Helper()
	if strings.Contains(sql, "_sync.") { // runs that published nothing have records too
		rows, err := oracletest.QueryRecords(b.runner.Dir.Readable(), b.runner.Dir.Bookkeeping, sql)
		b.failOn(err)
		return rows
	}
	return b.rowsOf(b.runner.Dir.Current(), sql)
}

// rowsOf queries one published file.
func (b *testBed) rowsOf(file, sql string) []string {
	b.t.Helper()
	rows, err := b.reader.Rows(file, sql)
	if err != nil {
		b.t.Fatalf("%v\n%s", err, sql)
	}
	return rows
}

// equalsOracle compares every published relation with the oracle.
func (b *testBed) equalsOracle() {
	b.t.Helper()
	b.reader.CompareAll(b.t, b.space, b.runner.Dir.Current())
}

// readConfig returns pipelines.yaml.
func (b *testBed) readConfig() string {
	b.t.Helper()
	text, err := os.ReadFile(b.file)
	b.failOn(err)
	return string(text)
}
