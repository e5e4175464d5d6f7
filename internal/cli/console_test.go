package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/fleet"
	"aqueduck/internal/runlog"
)

// consoleClient sends requests to the console of a process.
type consoleClient struct {
	t              *testing.T
	address, token string
}

// openConsole waits for the console of a process that has just made its token.
func openConsole(t *testing.T, p *testProcess) consoleClient {
	t.Helper()
	p.waitForText("its token is in ")
	told := regexp.MustCompile(`console   (http://127\.0\.0\.1:\d+)\n +its token is in (\S+)\n`).FindStringSubmatch(p.outputText())
	if told == nil {
		t.Fatalf("the console is told of in other words:\n%s", p.outputText())
	}
	text, err := os.ReadFile(told[2])
	if err != nil {
		t.Fatal(err)
	}
	token := strings.TrimSpace(string(text))
	if strings.Contains(p.outputText(), token) {
		t.Errorf("a journal has the token:\n%s", p.outputText())
	}
	return consoleClient{t, told[1], token}
}

// TestS29ATerminalAloneIsShownTheToken prints to a terminal, to a pipe, and to a terminal when the token is not new.
func TestS29ATerminalAloneIsShownTheToken(t *testing.T) {
	t.Parallel()
	ours, theirs := openPseudoTerminal(t)
	(&Env{Stderr: theirs}).printToken("the-old-token", false, "console.token")
	(&Env{Stderr: theirs}).printToken("the-new-token", true, "console.token")
	lines := bufio.NewScanner(ours)
	var shown []string
	for len(shown) < 3 && lines.Scan() {
		shown = append(shown, strings.TrimSpace(lines.Text()))
	}
	want := []string{"its token is in console.token", "its token, shown only now: the-new-token", "its token is in console.token"}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Errorf("a terminal: %s", diff)
	}
	var journal bytes.Buffer
	(&Env{Stderr: &journal}).printToken("the-new-token", true, "console.token")
	if strings.Contains(journal.String(), "the-new-token") || !strings.Contains(journal.String(), "console.token") {
		t.Errorf("a journal: %s", journal.String())
	}
}

// callAPI sends a request to the API.
func (v consoleClient) callAPI(method, path string, into any) (status int, text string) {
	v.t.Helper()
	status, text = v.sendRequest(method, "/api/v1/"+path)
	if into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			v.t.Fatalf("%s: %v\n%s", path, err, text)
		}
	}
	return status, text
}

func (v consoleClient) sendRequest(method, path string) (status int, text string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.address+path, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+v.token)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil {
		v.t.Fatalf("%s: %v", path, err)
	}
	return a.StatusCode, string(body)
}

// TestConsoleStartsAndCancelsRuns of the real program: a button starts a run, another cancels it while it waits for an answer, and
// failed streams are retried. The program stops on request while the console is open.
// Holds: S29.
func TestConsoleStartsAndCancelsRuns(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	h.searches.Store(2)
	p := startProcess(t, "aqueduck", h.environment(), "serve", "-f", h.file, "--console", "127.0.0.1:0", "--metrics", "127.0.0.1:0")
	v := openConsole(t, p)
	p.waitForText("msg=waiting")
	metrics := consoleClient{t, "http://" + regexp.MustCompile(`metrics   (127\.0\.0\.1:\d+)`).FindStringSubmatch(p.outputText())[1], ""}
	if status, text := metrics.sendRequest(http.MethodGet, "/metrics"); status != http.StatusOK || !strings.Contains(text, `aqueduck_running{pipeline="nightly"} 0`) {
		t.Errorf("metrics: %d %s", status, text)
	}
	if status, text := v.callAPI(http.MethodPost, "pipelines/nightly/cancel", nil); status != http.StatusConflict || !strings.Contains(text, "does not run nightly now") {
		t.Errorf("ending what does not run: %d %s", status, text)
	}
	if status, text := v.callAPI(http.MethodPost, "pipelines/nightly/run", nil); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	<-h.reached
	if status, text := v.callAPI(http.MethodPost, "pipelines/nightly/run", nil); status != http.StatusConflict || !strings.Contains(text, "is already running") {
		t.Errorf("a second run: %d %s", status, text)
	}
	if status, text := v.callAPI(http.MethodPost, "pipelines/nightly/cancel", nil); status != http.StatusAccepted {
		t.Errorf("%d %s", status, text)
	}
	h.open()
	p.waitForText("\nINTERRUPTED nightly ")
	for status := http.StatusConflict; status == http.StatusConflict; { // its last words come before its end
		status, _ = v.callAPI(http.MethodPost, "pipelines/nightly/retry", nil)
	}
	p.waitForText("\nOK nightly ")
	var o runlog.Overview
	v.callAPI(http.MethodGet, "overview", &o)
	if len(o.Pipelines) != 1 || o.Pipelines[0].Health != runlog.HealthOK || len(o.Pipelines[0].Runs) != 2 || !o.Pipelines[0].Runs[1].Cancelled {
		t.Errorf("the overview is %+v", o.Pipelines)
	}
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 0 || !strings.Contains(p.outputText(), "msg=stopped") {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}

// TestServeReloadsItsConfiguration by the signal and by the console. A configuration with mistakes is reported and changes nothing. It is a
// directory that gets another file.
func TestServeReloadsItsConfiguration(t *testing.T) {
	t.Parallel()
	file := filepath.Join(inDirectory(t, scripted), "pipelines.yaml")
	if err := os.Chmod(file, 0o644); err != nil { // errors about a private file name nothing of it
		t.Fatal(err)
	}
	rewrite := func(old, new string) {
		t.Helper()
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(strings.Replace(string(text), old, new, 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	p := startProcess(t, "aqueduck", []string{"WORKSPACE_URL=emulator"}, "serve", "-f", filepath.Dir(file), "--console", "127.0.0.1:0")
	v := openConsole(t, p)
	p.waitForText("msg=waiting pipeline=nightly")
	rewrite("  nightly:", "  nihgtly: {schedule: \"0 5 * * *\", streams: [contcts]}\n  nightly:")
	p.sendSignal(syscall.SIGHUP)
	p.waitForText("the previous one stays in effect")
	if status, text := v.callAPI(http.MethodPost, "reload", nil); status != http.StatusUnprocessableEntity || !strings.Contains(text, `did you mean \"contacts\"?`) {
		t.Errorf("a bad file: %d %s", status, text)
	}
	var o runlog.Overview
	v.callAPI(http.MethodGet, "overview", &o)
	if len(o.Pipelines) != 1 {
		t.Errorf("after it: %+v", o.Pipelines)
	}
	rewrite("contcts", "contacts")
	if status, text := v.callAPI(http.MethodPost, "reload", nil); status != http.StatusAccepted {
		t.Errorf("a good file: %d %s", status, text)
	}
	p.waitForText("msg=waiting pipeline=nihgtly")
	v.callAPI(http.MethodGet, "overview", &o)
	if len(o.Pipelines) != 2 || o.Pipelines[0].Name != "nihgtly" {
		t.Errorf("after it: %+v", o.Pipelines)
	}
	more := "pipelines:\n  hourly: {schedule: \"0 * * * *\", streams: contacts}\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(file), "more.yaml"), []byte(more), 0o600); err != nil {
		t.Fatal(err)
	}
	p.sendSignal(syscall.SIGHUP)
	p.waitForText("msg=waiting pipeline=hourly")
	rewrite("version: 1", "version: 1\nwarehouse: {dir: elsewhere}")
	if status, text := v.callAPI(http.MethodPost, "reload", nil); status != http.StatusUnprocessableEntity || !strings.Contains(text, "restart `aqueduck serve` to use the new directory") {
		t.Errorf("another directory: %d %s", status, text)
	}
	p.sendSignal(syscall.SIGTERM)
	if code := p.exitCode(); code != 0 {
		t.Errorf("it ended with %d:\n%s", code, p.outputText())
	}
}

// TestAConsoleBesideWorkersRunsNothing: it needs no schedule, takes no turn of serve, and shows all workspaces.
func TestAConsoleBesideWorkersRunsNothing(t *testing.T) {
	t.Parallel()
	home := inDirectory(t, `version: 1
warehouse: {dir: "data/${AQUEDUCK_WORKSPACE}"}
workspaces:
  eu: {base_url: "http://127.0.0.1:1", token: "${TOKEN}"}
  us: {base_url: "http://127.0.0.1:1", token: "${TOKEN}"}
pipelines: {nightly: {streams: [tags]}}
`)
	for range 2 {
		p := startProcess(t, "aqueduck", []string{"TOKEN=word", "AQUEDUCK_WORKSPACE=us"}, "serve", "-f", filepath.Join(home, "pipelines.yaml"), "--console", "127.0.0.1:0", "--read-only", "--no-schedule")
		var rows []fleet.Row
		if status, text := openConsole(t, p).callAPI(http.MethodGet, "workspaces", &rows); status != http.StatusOK || len(rows) != 2 || rows[0].Workspace != "eu" || rows[1].Workspace != "us" || rows[0].Dir == rows[1].Dir {
			t.Errorf("%d %s", status, text)
		}
	}
}

func TestConsoleFlagsNeedAConsole(t *testing.T) {
	t.Parallel()
	for _, flag := range []string{"--read-only", "--no-schedule", "--console-host=x", "--console-cert=x", "--console-password-file=x"} {
		a, _, stderr := inProcess("serve", flag)
		if code := runCommand(t.Context(), a); code != 2 || !strings.Contains(stderr.String(), "needs --console ADDRESS") {
			t.Errorf("%s: %d %s", flag, code, stderr)
		}
	}
	a, _, stderr := inProcess("serve", "--metrics-host=x")
	if code := runCommand(t.Context(), a); code != 2 || !strings.Contains(stderr.String(), "needs --metrics ADDRESS") {
		t.Errorf("%d %s", code, stderr)
	}
}
