package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// pausedSearch is a workspace that holds back the answer to one search until the test releases it.
type pausedSearch struct {
	server   *httptest.Server
	token    string
	file     string        // pipelines.yaml
	reached  chan struct{} // closed when the search has come
	opened   chan struct{} // closed by open
	open     func()
	searches atomic.Int64 // left until the one that is held back
}

func newHeld(t *testing.T) *pausedSearch {
	t.Helper()
	space := emulator.New(emulator.Config{Seed: 5, Contacts: 400, Inactive: 20, Activities: 90, Start: workspaceStart, Now: time.Now})
	// The scheduled time is half a day away, so that it does not come during the test.
	schedule := fmt.Sprintf(`"0 %d * * *"`, (time.Now().UTC().Hour()+12)%24)
	config := strings.Replace(scripted, `"0 2 * * *"`, schedule, 1) + "warehouse: {publish: {first: 0s}}\n"
	h := &pausedSearch{token: space.AccessToken(), file: filepath.Join(inDirectory(t, config), "pipelines.yaml"),
		reached: make(chan struct{}), opened: make(chan struct{})}
	h.open = sync.OnceFunc(func() { close(h.opened) })
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/contacts/search" {
			if h.searches.Add(-1) == 0 {
				close(h.reached)
			}
			select {
			case <-h.reached: // by this one, or by the same before: a run asks again after half a minute without an answer
				<-h.opened
			default:
			}
		}
		space.ServeHTTP(w, r)
	}))
	t.Cleanup(h.server.Close)
	t.Cleanup(h.open) // first: an answer that is held back holds back the end of its server
	return h
}

// awaitSearch waits for the search that is held back. It fails the test if the process ends without it, or takes longer than longestWait.
func (h *pausedSearch) awaitSearch(p *testProcess) {
	p.t.Helper()
	select {
	case <-h.reached:
	case <-p.ended:
		p.t.Fatalf("the process ended (%v) before the search that is held back:\n%s", p.err, p.outputText())
	case <-time.After(longestWait):
		p.t.Fatalf("no search was held back in %s:\n%s", longestWait, p.outputText())
	}
}

func (h *pausedSearch) environment() []string {
	return []string{"WORKSPACE_URL=" + h.server.URL, "WORKSPACE_TOKEN=" + h.token}
}

func TestStatusShowsTheActiveRun(t *testing.T) {
	t.Parallel()
	h := newHeld(t)
	h.searches.Store(6)
	run := startProcess(t, "aqueduck", h.environment(), "sync", "-f", h.file)
	h.awaitSearch(run)
	ask := func(args ...string) string {
		p := startProcess(t, "aqueduck", nil, append(args, "-f", h.file)...)
		p.requireSuccess()
		return p.outputText()
	}
	// The run writes run.json every two seconds.
	told := regexp.MustCompile(`(?m)^running   nightly, reading since \d\d:\d\d: percent and time left unknown, [\d,]+ rows, \d+ requests$`)
	status := ""
	under := regexp.MustCompile(`(?m)^          contacts +backfill `)
	for ; !told.MatchString(status) || !under.MatchString(status); status = ask("status") {
		select {
		case <-run.ended:
			t.Fatalf("the run ended, and status never told of it:\n%s", status)
		default:
		}
	}
	for _, want := range []string{`(?m)^          contacts +backfill +\d+ read, \d+ rows$`, `(?m)^          deleted_contacts +done +20 read, 20 rows$`,
		`(?m)^  contacts +\S+ +\S+ +(\d+ \w+ )?\d\d:\d\d +back to \d{4}-\S+$`, `(?m)^next      nightly at `} {
		if !regexp.MustCompile(want).MatchString(status) {
			t.Errorf("status does not match %s:\n%s", want, status)
		}
	}
	if got := ask("status", "-o", "json"); !strings.Contains(got, `"pid": `+strconv.Itoa(run.cmd.Process.Pid)) || strings.Contains(got, "0001-01-01") {
		t.Errorf("status as JSON:\n%s", got)
	}
	if got := ask("query", "SELECT count(*) FROM deleted_contacts"); !strings.Contains(got, "20") {
		t.Errorf("the file of the run's first publish:\n%s", got)
	}

	other := startProcess(t, "aqueduck", h.environment(), "sync", "-f", h.file, "--wait", "0s")
	code := other.exitCode()
	said := regexp.MustCompile(`(?m)^error\[busy\] another process writes this warehouse: process ` + strconv.Itoa(run.cmd.Process.Pid) +
		`, pipeline nightly, run [0-9A-Z]{26}, since \d{4}-\S+Z\n     next: wait until that run ends, or send SIGTERM to its process, then run the same command again; see its state: aqueduck status -f ` + regexp.QuoteMeta(h.file) + `$`)
	if code != 5 || !said.MatchString(other.outputText()) {
		t.Errorf("a second run ended with %d:\n%s", code, other.outputText())
	}
	move := startProcess(t, "aqueduck", nil, "state", "reset", "contacts", "--yes", "-f", h.file)
	if code := move.exitCode(); code != 5 || strings.Contains(move.outputText(), "--wait") {
		t.Errorf("a reset during a run ended with %d:\n%s", code, move.outputText())
	}

	patient := startProcess(t, "aqueduck", h.environment(), "sync", "-f", h.file)
	patient.waitForText("waiting: another process writes this warehouse")
	h.open()
	run.requireSuccess()
	patient.requireSuccess()
	if got := ask("status"); strings.Contains(got, "running") {
		t.Errorf("after the run:\n%s", got)
	}
}
