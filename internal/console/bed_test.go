package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/fleet"
	"aqueduck/internal/readtest"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// hostile is text that a source may send and a page shows.
const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>`

const pipelinesYAML = `version: 1
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}", requests_per_minute: 60}}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, conversations, tags, admins]}
  weekly: {schedule: "0 4 * * 0", streams: [segments]}
`

// warehouse is shared by all tests of this package that only read. It has three runs of nightly; the second one failed.
var warehouse = sync.OnceValues(func() (w *sharedWarehouse, err error) {
	warehouseUsed.Store(true)
	dir, err := os.MkdirTemp("", "console")
	if err != nil {
		return nil, err
	}
	space := emulator.New(emulator.Config{Seed: 5, Contacts: 40, Inactive: 10, Conversations: 25})
	space.SimulateHours(2)
	r, end, err := readtest.NewRunner(dir, pipelinesYAML, space)
	if err != nil {
		return nil, err
	}
	defer end()
	connect := r.Connect
	r.Connect = func(ctx context.Context, name string) (runner.Source, error) {
		source, err := connect(ctx, name)
		source.Emulated = true // its time is what a page takes for now
		source.Keep = func() error { return os.WriteFile(r.Dir.EmulatorFile(), []byte("{}"), 0o600) }
		return source, err
	}
	w = &sharedWarehouse{dir: dir, runner: r, space: space}
	if _, err := readtest.PublishOnce(context.Background(), r); err != nil {
		return w, err
	}
	space.Advance(24 * time.Hour)
	space.SimulateHours(3)
	space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if r.URL.Path != "/tags" {
			return nil
		}
		return &fault.Fault{Status: http.StatusBadRequest, Body: `{"type": "error.list", "request_id": "r", "errors": [{"code": "x", "message": "` + hostile + `"}]}`}
	})
	report, err := pipelinesync.Run(context.Background(), r, r.Config.Pipelines[0], runner.Options{CaughtUp: true}, io.Discard)
	if err != nil {
		return w, err
	}
	w.failed = report.RunID
	return w, nil
})

// warehouseUsed reports whether a test has used it.
var warehouseUsed atomic.Bool

type sharedWarehouse struct {
	dir    string
	runner *runner.Runner
	space  *emulator.Workspace
	failed string // id of the run that failed
}

func TestMain(m *testing.M) {
	if sandbox.IsTaskProcess() {
		os.Exit(sandbox.Serve(pipelinesync.Tasks()))
	}
	code := m.Run()
	if warehouseUsed.Load() {
		code = max(code, removeShared())
	}
	os.Exit(code)
}

// removeShared removes the shared files.
func removeShared() int {
	b, err := sharedConsole()
	if err == nil {
		b.server.Close()
	}
	w, err := warehouse()
	if err == nil {
		err = os.RemoveAll(w.dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const secret = "a-secret-of-the-test"

// consoleBed is a console over real HTTP, with a browser's cookies.
type consoleBed struct {
	t       *testing.T
	console *Console
	server  *httptest.Server
	client  *http.Client

	mu      sync.Mutex // guards what follows
	now     time.Time
	trouble string
	done    []string // what buttons did
	refuse  error
}

// newBed returns a separate console, for tests that change something.
func newBed(t *testing.T, change func(*Options)) *consoleBed {
	t.Helper()
	b := &consoleBed{t: t, now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	if err := b.openConsole(change); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.server.Close)
	return b.withBrowser(t)
}

// sharedConsole is the console of all tests that only read, so that it reads the database once.
var sharedConsole = sync.OnceValues(func() (*consoleBed, error) {
	b := &consoleBed{now: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)}
	return b, b.openConsole(nil)
})

// loginToShared returns a browser with a session of the shared console.
func loginToShared(t *testing.T) *consoleBed {
	t.Helper()
	b, err := sharedConsole()
	if err != nil {
		t.Fatal(err)
	}
	own := (&consoleBed{console: b.console, server: b.server, now: b.readClock()}).withBrowser(t)
	own.loginWithSecret()
	return own
}

// withBrowser returns the console with another browser, which has separate cookies.
func (b *consoleBed) withBrowser(t *testing.T) *consoleBed {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b.t = t
	b.client = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return b
}

func (b *consoleBed) openConsole(change func(*Options)) error {
	w, err := warehouse()
	if err != nil {
		return err
	}
	program, err := sandbox.CurrentProgram()
	if err != nil {
		return err
	}
	b.server = httptest.NewUnstartedServer(nil)
	o := Options{Secret: secret, Address: b.server.Listener.Addr().String(), Hosts: []string{b.server.Listener.Addr().String()}, Now: b.readClock, Version: "test",
		Serving: Serving{
			Dir:     w.runner.Dir,
			Config:  func() (*config.Config, *schemas.Catalogue) { return w.runner.Config, w.runner.Catalogue },
			Trouble: func() string { b.mu.Lock(); defer b.mu.Unlock(); return b.trouble },
			Run: func(name string, failed bool) error {
				if failed {
					return b.recordAction("retry " + name)
				}
				return b.recordAction("run " + name)
			},
			Cancel: func(name string) error { return b.recordAction("cancel " + name) },
			Reload: func() error { return b.recordAction("reload") },

			Workspaces: func(ctx context.Context) ([]fleet.Row, error) {
				return fleet.ReadRows(ctx, []fleet.Place{{Workspace: "main", Config: w.runner.Config, Catalogue: w.runner.Catalogue}}, b.readClock())
			},

			Isolation: read.Isolation{Program: program},
		}}
	if change != nil {
		change(&o)
	}
	if b.console, err = New(o); err != nil {
		return err
	}
	b.server.Config.Handler = b.console
	b.server.Start()
	return nil
}

func (b *consoleBed) readClock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

func (b *consoleBed) advanceClock(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

func (b *consoleBed) recordAction(what string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done = append(b.done, what)
	return b.refuse
}

// sendRequest sends a request and returns the answer with its body.
func (b *consoleBed) sendRequest(method, path string, form url.Values, change func(*http.Request)) (*http.Response, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if change != nil {
		change(r)
	}
	a, err := b.client.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	text, err := io.ReadAll(a.Body)
	if err := errors.Join(err, a.Body.Close()); err != nil {
		b.t.Fatal(err)
	}
	return a, string(text)
}

func (b *consoleBed) loginWithSecret() {
	b.t.Helper()
	a, text := b.sendRequest(http.MethodPost, "/login", url.Values{"token": {secret}}, nil)
	if a.StatusCode != http.StatusSeeOther {
		b.t.Fatalf("the login was answered %s: %s", a.Status, text)
	}
}

// fetchPage returns a page that must exist.
func (b *consoleBed) fetchPage(path string) string {
	b.t.Helper()
	a, text := b.sendRequest(http.MethodGet, path, nil, nil)
	if a.StatusCode != http.StatusOK {
		b.t.Fatalf("%s was answered %s: %s", path, a.Status, text)
	}
	return text
}
