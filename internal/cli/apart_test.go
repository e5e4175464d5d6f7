package cli

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/lane"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/load/layout"
)

// TestS50ServeSurvivesACrashOfDuckDBInARun: SQL of a stream file overflows DuckDB's stack on rows that this run has just
// read, the first ones of the warehouse. Its trial before the run had no rows. The console shows the crash, and a run with corrected SQL succeeds.
func TestS50ServeSurvivesACrashOfDuckDBInARun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	h := newHeld(t)
	home := filepath.Dir(h.file)
	rewrite := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	rewrite("pipelines.yaml", strings.Replace(string(text), "streams: [", "streams: [lethal, ", 1)+"stream_files: [lethal.yaml]\n")
	rewrite("lethal.yaml", `stream: lethal
doc: One row per note.
read: {endpoint: "GET /contacts/{id}/notes", records: data, page: {by: none}, since: {by: full}, over: {view: lethal.sql, after: [contacts]}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
`)
	rewrite("lethal.sql", "SELECT id FROM {schema}.contacts_raw WHERE json_structure(repeat('[', 1000000 + length(id)) || repeat(']', 1000000 + length(id))) IS NOT NULL")

	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file, "--console", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	v := openConsole(t, p)
	p.waitForText("msg=waiting")
	v.triggerRun("nightly")
	p.waitForText(`msg="the process of a run crashed`)
	metrics := consoleClient{t, "http://" + regexp.MustCompile(`metrics   (127\.0\.0\.1:\d+)`).FindStringSubmatch(p.outputText())[1], ""}
	if status, text := metrics.sendRequest(http.MethodGet, "/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d %s", status, text)
	}
	var o runlog.Overview
	v.callAPI(http.MethodGet, "overview", &o)
	if len(o.Pipelines) != 1 || len(o.Pipelines[0].Runs) != 1 || o.Pipelines[0].Runs[0].Outcome != runlog.Killed {
		t.Fatalf("the overview is %+v", o.Pipelines)
	}
	if told := o.Pipelines[0].Runs[0].Error; !strings.Contains(told, "its process ended: ") {
		t.Errorf("the run is told as %q", told)
	}
	rewrite("lethal.sql", "SELECT id FROM {schema}.contacts_raw LIMIT 1")
	if status, text := v.callAPI(http.MethodPost, "reload", nil); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	v.triggerRun("nightly")
	p.waitForText(" published=")
	p.sendSignal(syscall.SIGTERM)
	if p.requireSuccess(); !strings.Contains(p.outputText(), "\nOK nightly ") {
		t.Errorf("it ended otherwise:\n%s", p.outputText())
	}
}

// triggerRun starts a run by the console. It retries, because the run before reports its end a little before it is over.
func (v consoleClient) triggerRun(pipeline string) {
	v.t.Helper()
	status, text := http.StatusConflict, ""
	for status == http.StatusConflict {
		status, text = v.callAPI(http.MethodPost, "pipelines/"+pipeline+"/run", nil)
	}
	if status != http.StatusAccepted {
		v.t.Fatalf("%d %s", status, text)
	}
}

// startOverdueRun makes the last run two days old, so that `serve` starts one at once. That run waits for its second page.
func startOverdueRun(t *testing.T) (*pausedSearch, layout.Dir) {
	t.Helper()
	h := newHeld(t)
	a, _, stderr := inProcess("sync", "-q", "-f", h.file)
	a.Lookup = lookupIn(h.environment())
	a.Now, a.Wait = func() time.Time { return time.Now().Add(-48 * time.Hour) }, Wait
	if code := runCommand(t.Context(), a); code != 0 {
		t.Fatalf("the first run ended with %d: %s", code, stderr)
	}
	h.searches.Store(2)
	return h, layout.Dir(filepath.Join(filepath.Dir(h.file), "data"))
}

// lastRun returns how the last run of a warehouse ended.
func lastRun(t *testing.T, dir layout.Dir) runlog.PastRun {
	t.Helper()
	ends, err := runlog.ReadRunNotes(dir)
	if err != nil || len(ends) == 0 {
		t.Fatalf("no run is noted: %v", err)
	}
	return ends[len(ends)-1]
}

// startInGroup starts the program as a terminal does: its child processes get the signals of the terminal too.
func startInGroup(t *testing.T, env []string, args ...string) (p *testProcess, all func(syscall.Signal)) {
	t.Helper()
	p = startProcess(t, "setsid", env, append([]string{"aqueduck"}, args...)...)
	return p, func(s syscall.Signal) {
		t.Helper()
		if err := syscall.Kill(-p.cmd.Process.Pid, s); err != nil {
			t.Fatal(err)
		}
	}
}

// TestServedRunGetsTerminalSignalsOnce: a terminal sends Ctrl-C and a hangup to all of its processes. A reload does not stop the run. An
// interrupted run commits its complete batches and records the code of the signal.
func TestServedRunGetsTerminalSignalsOnce(t *testing.T) {
	t.Parallel()
	h, dir := startOverdueRun(t)
	p, all := startInGroup(t, h.environment(), "serve", "-f", h.file)
	h.awaitSearch(p)
	all(syscall.SIGHUP)
	p.waitForText("the configuration was reloaded")
	all(syscall.SIGINT)
	p.waitForText("press Ctrl-C again to stop immediately")
	h.open()
	if code := p.exitCode(); code != 0 || strings.Count(p.outputText(), "press Ctrl-C again to stop immediately") != 1 || !strings.Contains(p.outputText(), "\nINTERRUPTED nightly ") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
	if e := lastRun(t, dir); e.Outcome != "INTERRUPTED" || e.Exit != 130 || e.Cancelled || !e.CaughtUp || e.Try != 1 {
		t.Errorf("it is noted as %+v", e)
	}
}

// TestSecondSignalEndsServeAndItsRunAtOnce: serve and its run, which waits for an answer, end together.
func TestSecondSignalEndsServeAndItsRunAtOnce(t *testing.T) {
	t.Parallel()
	h, _ := startOverdueRun(t)
	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file)
	h.awaitSearch(p)
	p.sendSignal(syscall.SIGTERM)
	p.waitForText("press Ctrl-C again to stop immediately")
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 143 {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}

// TestRunEndsWithItsServe when that is killed. The next serve records the crash and starts a catch-up run.
func TestRunEndsWithItsServe(t *testing.T) {
	t.Parallel()
	h, dir := startOverdueRun(t)
	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file)
	h.awaitSearch(p)
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	next := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file)
	next.waitForText("a run crashed or was killed")
	<-p.ended // whoever has its stderr has ended too, and the workspace has not answered yet
	h.open()
	next.waitForText("\nOK nightly ")
	next.sendSignal(syscall.SIGTERM)
	next.requireSuccess()
	if e := lastRun(t, dir); e.Outcome != "OK" || e.Try != 2 || !e.CaughtUp {
		t.Errorf("the next is noted as %+v", e)
	}
}

// TestS50KilledServedRunIsReportedInOneLine of the log, for programs too, with cause and next step. The retry comes after a quarter of an
// hour, not at once.
func TestS50KilledServedRunIsReportedInOneLine(t *testing.T) {
	t.Parallel()
	h, dir := startOverdueRun(t)
	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file, "--log-format", "json")
	h.awaitSearch(p)
	running, err := runlog.ReadRunning(dir)
	if err != nil || running == nil || running.PID == p.cmd.Process.Pid {
		t.Fatalf("the run is %+v, %v, and serve is %d", running, err, p.cmd.Process.Pid)
	}
	if err := syscall.Kill(running.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.waitForText("the process of a run crashed")
	p.waitForText(`"msg":"waiting"`)
	p.sendSignal(syscall.SIGTERM)
	p.requireSuccess()
	told := 0
	for _, line := range linesOfJSON(t, p.outputText()) {
		if line["level"] == "ERROR" {
			told++
			if line["error"] != "its process ended: signal: killed" || !strings.Contains(fmt.Sprint(line["next"]), "more memory") || line["run"] != running.Run {
				t.Errorf("it is told as %v", line)
			}
		}
	}
	e := lastRun(t, dir)
	if wait := time.Until(e.RetryAt); told != 1 || e.Run != running.Run || e.Outcome != runlog.Killed || e.Try != 1 || wait < 10*time.Minute || wait > 15*time.Minute {
		t.Errorf("%d lines tell of it; it is noted as %+v", told, e)
	}
	if _, err := os.Stat(dir.RunFile()); err == nil {
		t.Error("it still counts as under way")
	}
}

// TestServedRunUsesTheConfigurationOfServe: its files, and .env, may have changed since serve read them.
func TestServedRunUsesTheConfigurationOfServe(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	home := filepath.Dir(h.file)
	write := func(files map[string]string) {
		t.Helper()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(h.file)
	if err != nil {
		t.Fatal(err)
	}
	write(map[string]string{"pipelines.yaml": string(text) + "models: [models/*.sql]\n", ".env": "WORKSPACE_TOKEN=" + h.token + "\n"})
	if err := os.Mkdir(filepath.Join(home, "models"), 0o700); err != nil {
		t.Fatal(err)
	}
	const model = "-- relation: seen (table)\n-- doc: One row.\n-- column n: A number.\nSELECT 1 AS n\n"
	write(map[string]string{"models/seen.sql": model})
	p := startProcess(t, "aqueduck", h.environment()[:1], "serve", "-f", h.file, "--console", "127.0.0.1:0")
	v := openConsole(t, p)
	p.waitForText("msg=waiting")
	write(map[string]string{"pipelines.yaml": "pipelines: nonsense", ".env": "WORKSPACE_TOKEN=of-another\n", "models/seen.sql": "nonsense", "models/more.sql": "nonsense"})
	if status, text := v.callAPI(http.MethodPost, "reload", nil); status != http.StatusUnprocessableEntity {
		t.Fatalf("%d %s", status, text)
	}
	v.triggerRun("nightly")
	p.waitForText(" run=01")
	p.sendSignal(syscall.SIGTERM)
	if p.requireSuccess(); !strings.Contains(p.outputText(), "\nOK nightly ") {
		t.Errorf("it ended otherwise:\n%s", p.outputText())
	}
	query := startProcess(t, "aqueduck", nil, "query", "--dir", filepath.Join(home, "data"), "-o", "csv", "SELECT n FROM models.seen")
	query.requireSuccess()
	if got := query.outputText(); got != "n\n1\n" {
		t.Errorf("the model has %q", got)
	}
}

// TestServeRetriesACrashingRunAFewTimesOnly: after the pauses of transient failures, and at once when serve starts again. Only the first
// crash causes an alert. The run crashed before it had recorded anything.
func TestServeRetriesACrashingRunAFewTimesOnly(t *testing.T) {
	t.Parallel()
	h := newHost(t, date2026(time.March, 2, 0, 0), alerted)
	came := h.collectAlerts()
	var died []string
	h.run = func(ctx context.Context, env *Env, r *runner.Runner, p *config.Pipeline, o runner.Options) {
		if !h.clockTime().Before(date2026(time.March, 3, 0, 0)) {
			runServed(ctx, env, r, p, o)
			return
		}
		died = append(died, fmt.Sprintf("%s %d", h.clockTime().Format("15:04"), o.Try))
		id, err := r.NameRun()
		if err != nil {
			t.Error(err)
		}
		reason := &sandbox.ProcessDied{State: "signal: segmentation fault"}
		if err := pipelinesync.RecordDiedRun(ctx, r, p, runlog.Running{Run: id, Pipeline: p.Name, Started: r.Now(), At: r.Now(), Try: o.Try}, reason); err != nil {
			t.Error(err)
		}
	}
	_, log := h.serveUntil(date2026(time.March, 2, 1, 50))
	status, stdout, stderr := inProcess("status", "-f", filepath.Join(h.home, "pipelines.yaml"))
	status.Now = h.clockTime
	if code := runCommand(t.Context(), status); code != 0 || !strings.Contains(stdout.String(), "try 3 of 4, by aqueduck serve\n") {
		t.Errorf("%d %s%s", code, stdout, stderr)
	}
	if got := strings.Count(log, "next=\"see how far the run came: "); got != 2 {
		t.Errorf("it was told %d times:\n%s", got, log)
	}
	h.serveUntil(date2026(time.March, 3, 12, 0))
	h.requireEqual("runs that died", died, "01:30 1", "01:45 2", "01:50 3", "03:50 4")
	h.requireEqual("alerts", *came, "02 01:30 /ping/fail", "02 01:30 /hook failure interrupted", "02 01:45 /ping/fail", "02 01:50 /ping/fail", "02 03:50 /ping/fail",
		"03 01:30 /ping/start", "03 01:30 /ping", "03 01:30 /hook recovery")
	h.requireEqual("runs that were published", h.runStarts(), "03-03 01:30")
}
