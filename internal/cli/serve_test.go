package cli

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/cli/serving"
	"aqueduck/internal/emulator"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/layout"
)

// serveHost runs `serve` inside the test, with a clock that waiting advances.
type serveHost struct {
	t      *testing.T
	home   string
	server *httptest.Server
	space  *emulator.Workspace
	token  string
	took   time.Duration                                 // of workspace time, for each request
	before func(http.ResponseWriter, *http.Request) bool // answers in the workspace's place; nil: nothing does
	noon   func()                                        // called at noon of each day, while nothing runs; nil: nothing happens
	env    []string                                      // besides the workspace's address and token
	run    pipelineRunner                                // how a pipeline is run: in this process, which has the clock

	mu     sync.Mutex // guards what follows
	end    time.Time
	cancel context.CancelFunc
	moved  chan struct{} // closed when the clock moves
}

func newHost(t *testing.T, clock time.Time, config string) *serveHost {
	t.Helper()
	h := &serveHost{t: t, run: runServed, home: inDirectory(t, config), moved: make(chan struct{})}
	h.space = emulator.New(emulator.Config{Seed: 5, Contacts: 30, Inactive: 8, Activities: 40, Start: clock})
	h.token = h.space.AccessToken()
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.advanceClock(h.took)
		if h.before == nil || !h.before(w, r) {
			h.space.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.server.Close)
	return h
}

func (h *serveHost) clockTime() time.Time { return h.space.CurrentTime() }

// advanceClock advances the clock. At the end of the test's time it stops the program.
func (h *serveHost) advanceClock(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.space.Advance(d)
	close(h.moved)
	h.moved = make(chan struct{})
	if !h.clockTime().Before(h.end) {
		h.cancel()
	}
}

// waitOnClock advances the clock, except for the regular check of freshness, which waits for the other events.
func (h *serveHost) waitOnClock(ctx context.Context, d time.Duration) error {
	for until := h.clockTime().Add(d); d == serving.LookEvery && ctx.Err() == nil && h.clockTime().Before(until); {
		h.mu.Lock()
		moved := h.moved
		h.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil || d == serving.LookEvery {
		return err
	}
	before := h.clockTime()
	h.advanceClock(d)
	if noon := before.Truncate(24 * time.Hour).Add(12 * time.Hour); h.noon != nil && before.Before(noon) && !h.clockTime().Before(noon) {
		h.noon()
	}
	return ctx.Err()
}

// serveUntil runs the program until a time and returns its output.
func (h *serveHost) serveUntil(until time.Time) (stdout, stderr string) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h.end, h.cancel = until, cancel
	var out, log bytes.Buffer
	a := Env{Args: []string{"serve", "-q", "-f", filepath.Join(h.home, "pipelines.yaml")}, Stdout: &out, Stderr: &log,
		Lookup: lookupIn(append(h.env, "WORKSPACE_URL="+h.server.URL, "WORKSPACE_TOKEN="+h.token)), Now: h.clockTime, Wait: h.waitOnClock, runs: h.run}
	if code := runCommand(ctx, &a); code != 0 {
		h.t.Fatalf("it ended with %d:\n%s%s", code, &out, &log)
	}
	return out.String(), log.String()
}

// runStarts returns the minutes at which runs began.
func (h *serveHost) runStarts() (began []string) {
	h.t.Helper()
	dir := layout.Dir(filepath.Join(h.home, "data"))
	err := runlog.QueryPublished(h.t.Context(), dir, "SELECT started_at FROM _sync.runs ORDER BY ALL", func(row []any) error {
		began = append(began, row[0].(time.Time).UTC().Format("01-02 15:04"))
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return began
}

// listsWhatWasLeftOut checks the number of skipped times that `runs` lists, and that none of them counts as a run.
func (h *serveHost) listsWhatWasLeftOut(times int) {
	h.t.Helper()
	ask := func(args ...string) string {
		h.t.Helper()
		var out, log bytes.Buffer
		a := Env{Args: append(args, "-f", filepath.Join(h.home, "pipelines.yaml")), Stdout: &out, Stderr: &log,
			Lookup: lookupIn([]string{"WORKSPACE_URL=" + h.server.URL, "WORKSPACE_TOKEN=" + h.token}), Now: h.clockTime, Wait: h.waitOnClock}
		if code := runCommand(context.Background(), &a); code != 0 {
			h.t.Fatalf("%v ended with %d:\n%s%s", args, code, &out, &log)
		}
		return out.String()
	}
	const line = ",LEFT OUT,0,0,0,,\"the previous run was still active, the machine was suspended, or serve was not running\"\n"
	if got := ask("runs", "-n", "100", "-o", "csv"); strings.Count(got, line) != times || strings.Count(got, "\n,nightly,2026-03-02T1") != times {
		h.t.Errorf("%d times were left out, and listed are\n%s", times, got)
	}
	if got := ask("runs", "--pipeline", "nightly", "-o", "json"); strings.Count(got, `"outcome": "LEFT OUT"`) != times {
		h.t.Errorf("%d times of nightly were left out, and listed are\n%s", times, got)
	}
	if got := ask("runs", "show"); !strings.HasPrefix(got, "run       ") {
		h.t.Errorf("the last run is\n%s", got)
	}
	if got := ask("status"); strings.Contains(got, "LEFT OUT") {
		h.t.Errorf("status takes it for a run:\n%s", got)
	}
}

const served = `version: 1
warehouse: {timezone: Europe/Berlin}
workspaces:
  main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}
pipelines:
  nightly: {schedule: "30 2 * * *", streams: [contacts, deleted_contacts]}
`

func date2026(month time.Month, day, hour, minute int) time.Time {
	return time.Date(2026, month, day, hour, minute, 0, 0, time.UTC)
}

// TestSecondServeOfAWarehouseIsRefused: both would read everything and send each alert twice. A run of `sync` is allowed.
func TestSecondServeOfAWarehouseIsRefused(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 1, 0), served)
	second := func() (code int, said string) {
		var out, log bytes.Buffer
		a := Env{Args: []string{"serve", "-f", filepath.Join(h.home, "pipelines.yaml")}, Stdout: &out, Stderr: &log,
			Lookup: lookupIn([]string{"WORKSPACE_URL=" + h.server.URL, "WORKSPACE_TOKEN=" + h.token}), Now: h.clockTime, Wait: h.waitOnClock}
		return runCommand(t.Context(), &a), log.String()
	}
	asked := false
	h.before = func(http.ResponseWriter, *http.Request) bool {
		if !asked {
			asked = true
			if code, said := second(); code != 5 || !strings.Contains(said, "error[busy] another serve runs the pipelines of this warehouse: process ") {
				t.Errorf("the second ended with %d: %s", code, said)
			}
		}
		return false
	}
	for day := range 2 { // what the first had is given back
		if stdout, _ := h.serveUntil(date2026(time.March, 2+day, 12, 0)); !asked || strings.Count(stdout, "OK nightly ok=3 ") != 1 {
			t.Errorf("on day %d, asked %v:\n%s", day, asked, stdout)
		}
	}
}

// TestServeRunsAtItsTimes in the night without 02:30, and after a downtime of two nights.
func TestServeRunsAtItsTimes(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 27, 12, 0), served)
	stdout, _ := h.serveUntil(date2026(time.March, 30, 12, 0))
	if got := strings.Count(stdout, "OK nightly ok=3 "); got != 3 {
		t.Errorf("%d runs went well:\n%s", got, stdout)
	}
	h.space.Advance(date2026(time.April, 1, 12, 0).Sub(h.clockTime()))
	h.serveUntil(date2026(time.April, 2, 12, 0))
	want := []string{"03-28 01:30", "03-29 01:00", "03-30 00:30", "04-01 12:00", "04-02 00:30"}
	if diff := cmp.Diff(want, h.runStarts()); diff != "" {
		t.Errorf("runs began (-want +got):\n%s", diff)
	}
}

func TestServeSkipsTimesDuringARun(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 11, 50), strings.Replace(served, "30 2 * * *", "0 * * * *", 1))
	h.took = 20 * time.Minute
	_, stderr := h.serveUntil(date2026(time.March, 2, 15, 30))
	if !strings.Contains(stderr, `msg="a run was skipped: the previous run was still active, the machine was suspended, or serve was not running" pipeline=nightly at=2026-03-02T1`) {
		t.Errorf("no word of what was left out:\n%s", stderr)
	}
	h.listsWhatWasLeftOut(strings.Count(stderr, "a run was skipped"))
	for _, began := range h.runStarts() {
		if !strings.HasSuffix(began, ":00") {
			t.Errorf("a run began at %s", began)
		}
	}
}

func TestServeQueuesATimeDuringARun(t *testing.T) {
	t.Parallel()
	config := strings.Replace(served, `"30 2 * * *"`, `"0 * * * *", overlap: queue`, 1)
	h := newHost(t, date2026(time.March, 2, 11, 50), config)
	h.took = 17 * time.Minute
	h.serveUntil(date2026(time.March, 2, 15, 30))
	runs := h.runStarts()
	if len(runs) < 2 || strings.HasSuffix(runs[1], ":00") {
		t.Errorf("runs began at %v; the second should follow the first at once", runs)
	}
}

// Holds: S28.
func TestServeEndsCleanlyWhenAsked(t *testing.T) {
	t.Parallel()
	home := inDirectory(t, scripted)
	p := startProcess(t, "aqueduck", []string{"WORKSPACE_URL=emulator"}, "serve", "-f", filepath.Join(home, "pipelines.yaml"))
	p.waitForText("msg=waiting pipeline=nightly next=")
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 0 || !strings.Contains(p.outputText(), "msg=stopped") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}

// TestServedRunThatIsStoppedAtOnceHasItsLastLine, although it has no report.
func TestServedRunThatIsStoppedAtOnceHasItsLastLine(t *testing.T) {
	t.Parallel()
	a, stdout, stderr := inProcess()
	a.file, a.Lookup = []string{filepath.Join(inDirectory(t, scripted), "pipelines.yaml")}, lookupIn([]string{"WORKSPACE_URL=emulator"})
	a.logLevel, a.Now, a.Wait = "info", time.Now, Wait
	setup, err := newRunner(a)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ := setup.Config.Pipeline("nightly")
	runServed(ctx, a, setup, p, runner.Options{})
	if !strings.HasPrefix(stdout.String(), "INTERRUPTED nightly ") || strings.Contains(stderr.String(), "error[") {
		t.Errorf("it printed %q and %q", stdout, stderr)
	}
}

// TestServeCommitsCompleteBatchesWhenStopped stops serve while a catch-up run waits for an answer. The next run
// continues.
func TestServeCommitsCompleteBatchesWhenStopped(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	a, _, stderr := inProcess("sync", "-q", "-f", h.file)
	a.Lookup = lookupIn(h.environment())
	a.Now, a.Wait = func() time.Time { return time.Now().Add(-48 * time.Hour) }, Wait
	if code := runCommand(t.Context(), a); code != 0 {
		t.Fatalf("the first run ended with %d: %s", code, stderr)
	}
	h.searches.Store(2)
	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file)
	h.awaitSearch(p)
	p.sendSignal(syscall.SIGTERM)
	p.waitForText("press Ctrl-C again to stop immediately")
	h.open()
	if code := p.exitCode(); code != 0 || !strings.Contains(p.outputText(), "\nINTERRUPTED nightly ") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
	startProcess(t, "aqueduck", h.environment(), "sync", "-f", h.file).requireSuccess()
}

// lookupIn finds variables in a list of NAME=value.
func lookupIn(list []string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for _, pair := range list {
			if found, value, _ := strings.Cut(pair, "="); found == name {
				return value, true
			}
		}
		return "", false
	}
}
