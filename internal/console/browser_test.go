//go:build browser

package console

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/load/read"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"aqueduck/internal/config"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/fleet"
	"aqueduck/internal/readtest"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sandbox"
	pipelinesync "aqueduck/internal/sync"
	"aqueduck/schemas"
)

// These tests use the console with a browser; `make browser` runs them. Without a browser they are skipped with a message.

const nights = `version: 1
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {tickets: {start: 2025-10-15}}
pipelines:
  nightly: {schedule: "0 2 * * *", streams: [contacts, deleted_contacts, contact_activities, companies, segments, admins, teams, tags]}
  support: {schedule: "30 2 * * *", streams: [conversations, calls, tickets, ticket_types, ticket_states]}
  content: {schedule: "0 3 * * 1", streams: [articles, collections]}
`

// stage has a warehouse with two weeks of runs, and a console that can run pipelines.
type stage struct {
	t       *testing.T
	runner  *runner.Runner
	space   *emulator.Workspace
	console *Console
	server  *httptest.Server
	slow    atomic.Int64 // real time that each answer takes
	ended   sync.WaitGroup

	mu      sync.Mutex // guards what follows
	trouble string
	cancel  map[string]context.CancelFunc
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, cancel: map[string]context.CancelFunc{}}
	s.space = emulator.New(emulator.Config{Population: emulator.Team, Seed: 7, Contacts: 1200, Inactive: 90, Activities: 400, Conversations: 1500, Calls: 240, Start: time.Date(2026, 11, 2, 1, 59, 0, 0, time.UTC)})
	var end func()
	var err error
	if s.runner, end, err = readtest.NewRunner(t.TempDir(), nights, s.space); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end)
	connect := s.runner.Connect
	s.runner.Connect = func(ctx context.Context, name string) (runner.Source, error) {
		source, err := connect(ctx, name)
		source.Emulated = true
		source.Keep = func() error { return os.WriteFile(s.runner.Dir.EmulatorFile(), []byte("{}"), 0o600) }
		return source, err
	}
	s.live()
	listener := httptest.NewUnstartedServer(nil)
	s.server = listener
	address := listener.Listener.Addr().String()
	program, err := sandbox.CurrentProgram()
	if err != nil {
		t.Fatal(err)
	}
	s.console, err = New(Options{Secret: secret, Address: address, Hosts: []string{address}, Now: time.Now, Version: "v1.0",
		Serving: Serving{
			Dir:     s.runner.Dir,
			Config:  func() (*config.Config, *schemas.Catalogue) { return s.runner.Config, s.runner.Catalogue },
			Trouble: func() string { s.mu.Lock(); defer s.mu.Unlock(); return s.trouble },
			Run:     s.run,

			Workspaces: func(ctx context.Context) ([]fleet.Row, error) {
				return fleet.ReadRows(ctx, []fleet.Place{{Workspace: "main", Config: s.runner.Config, Catalogue: s.runner.Catalogue}}, time.Now())
			},

			Isolation: read.Isolation{Program: program},
			Cancel: func(name string) error {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.cancel[name]()
				return nil
			},
			Reload: func() error { s.mu.Lock(); defer s.mu.Unlock(); s.trouble = ""; return nil },
		}})
	if err != nil {
		t.Fatal(err)
	}
	listener.Config.Handler = s.console
	listener.Start()
	t.Cleanup(listener.Close)
	t.Cleanup(s.ended.Wait)
	return s
}

// live lets two weeks pass, with scheduled runs and some faults.
func (s *stage) live() {
	const nights = 14
	for night := range nights {
		s.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
			s.space.Advance(time.Duration(120+len(r.URL.Path)*17%400) * time.Millisecond)
			if wait := time.Duration(s.slow.Load()); wait > 0 {
				return &fault.Fault{Wait: wait}
			}
			switch {
			case night == 4 && strings.HasPrefix(r.URL.Path, "/companies"), night == nights-1 && strings.HasPrefix(r.URL.Path, "/tickets"):
				return &fault.Fault{Status: http.StatusServiceUnavailable}
			case night == 9 && strings.HasPrefix(r.URL.Path, "/admins"):
				return &fault.Fault{Status: http.StatusBadRequest, Body: `{"type": "error.list", "request_id": "r", "errors": [{"code": "x", "message": "` + hostile + `"}]}`}
			}
			return nil
		})
		for _, p := range s.runner.Config.Pipelines {
			if next := p.Schedule.Next(s.space.CurrentTime().Add(-time.Minute)); next.Sub(s.space.CurrentTime()) > 20*time.Hour {
				continue
			} else if wait := next.Sub(s.space.CurrentTime()); wait > 0 {
				s.space.Advance(wait)
			}
			if _, err := pipelinesync.Run(s.t.Context(), s.runner, p, runner.Options{}, io.Discard); err != nil {
				s.t.Fatal(err)
			}
		}
		if night < nights-1 {
			clock := s.space.CurrentTime()
			s.space.SimulateHours(int(clock.Truncate(24*time.Hour).Add(25*time.Hour+59*time.Minute).Sub(clock) / time.Hour))
		}
	}
	s.space.InjectFaults(func(int, *http.Request) *fault.Fault {
		s.space.Advance(250 * time.Millisecond)
		if wait := time.Duration(s.slow.Load()); wait > 0 {
			return &fault.Fault{Wait: wait}
		}
		return nil
	})
}

func (s *stage) run(name string, failed bool) error {
	p, _ := s.runner.Config.Pipeline(name)
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	s.cancel[name] = cancel
	s.mu.Unlock()
	s.ended.Go(func() {
		defer cancel()
		// A run that is cancelled while it publishes says so.
		if _, err := pipelinesync.Run(ctx, s.runner, p, runner.Options{Failed: failed}, io.Discard); err != nil && ctx.Err() == nil {
			s.t.Errorf("a run that a button began: %v", err)
		}
	})
	return nil
}

// page is a tab of a browser.
type page struct {
	t    *testing.T
	ctx  context.Context
	site string

	mu   sync.Mutex // guards what follows
	said []string   // errors of the console, and what could not be loaded
}

// browser returns the browser of the machine. Without one it skips the test with a message.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	t.Skip("there is no chromium on this machine: apt-get install chromium")
	return ""
}

// browse starts the browser of the machine.
func browse(t *testing.T, site string) *page {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser(t)))
	for _, flag := range []string{"no-sandbox", "disable-gpu", "disable-quic", "disable-background-networking", "disable-component-update", "disable-sync", "hide-scrollbars"} {
		options = append(options, chromedp.Flag(flag, true))
	}
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, site: site}
	err := chromedp.Listen(ctx, func(event any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			p.said = append(p.said, "exception "+e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			p.said = append(p.said, fmt.Sprint(e.Type, e.Args))
		case *log.EventEntryAdded:
			if e.Entry.Level == "error" || e.Entry.Level == "warning" {
				p.said = append(p.said, fmt.Sprint(e.Entry.Level, " ", e.Entry.Text, " ", e.Entry.URL))
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// do executes actions in the page.
func do[T any](p *page, a chromedp.Action[T]) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, a)
	if err != nil {
		p.t.Fatalf("%v; the page is\n%s", err, p.text())
	}
	return v
}

func (p *page) text() string {
	text, err := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText"))
	if err != nil {
		return err.Error()
	}
	return text
}

// open opens a path. It fails for errors of the browser and for content that is wider than the window.
func (p *page) open(path string) {
	p.t.Helper()
	do(p, chromedp.Navigate(p.site+path))
	p.sound(path)
}

func (p *page) sound(path string) {
	p.t.Helper()
	if over := do(p, chromedp.Evaluate[int]("document.documentElement.scrollWidth - window.innerWidth")); over > 0 {
		wide := do(p, chromedp.Evaluate[string](`[...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(e => e.outerHTML.slice(0, 120)).join("\n")`))
		p.t.Errorf("%s is %d pixels wider than its window:\n%s", path, over, wide)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, text := range p.said {
		p.t.Errorf("%s: the browser says %s", path, text)
	}
	p.said = nil
}

// until waits until a condition is true in the page.
func (p *page) until(what, condition string) {
	p.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; {
		// While one page replaces another, a condition cannot be evaluated.
		if met, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](condition)); err == nil && met {
			return
		}
	}
	p.t.Fatalf("it never came to that %s; the page is\n%s", what, p.text())
}

func (p *page) size(width, height int64) {
	p.t.Helper()
	do(p, chromedp.EmulateViewport(width, height))
}

// scheme makes the browser prefer light or dark pages.
func (p *page) scheme(name string) {
	p.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.t.Fatal(err)
	}
}

// scripts switches JavaScript on or off.
func (p *page) scripts(on bool) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !on}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) login() {
	p.t.Helper()
	p.open("/")
	do(p, chromedp.SendKeys(chromedp.CSS(`input[name=token]`), secret+"\r"))
	p.until("somebody has logged in", `document.body.hasAttribute("data-in")`)
}

// shots returns the directory for pictures; "": none are made.
var shots = os.Getenv("AQUEDUCK_SHOTS")

func (p *page) shot(name string) {
	p.t.Helper()
	if shots == "" || !slices.Contains(strings.Fields("overview overview-dark overview-phone pipeline run question questions lineage calendar live"), name) {
		return
	}
	const most = 150 << 10
	picture := do(p, chromedp.CaptureScreenshot())
	if len(picture) > most {
		p.t.Errorf("%s has %d bytes", name, len(picture))
	}
	if err := os.WriteFile(filepath.Join(shots, name+".png"), picture, 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func TestBrowser(t *testing.T) {
	browser(t)
	s := newStage(t)
	t.Run("each page at each width", s.pages)
	t.Run("each page for everybody", s.access)
	t.Run("pictures of each page", s.gallery)
	t.Run("a run is followed", s.follow)
}

// paths are the pages of the console, by name: each kind of page at least once.
func (s *stage) paths(t *testing.T) map[string]string {
	t.Helper()
	runs, err := runlog.PastRuns(t.Context(), s.runner.Dir, "", 500)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]string{"overview": "/", "pipeline": "/p/support", "runs": "/runs", "freshness": "/freshness", "data": "/data", "table": "/data/t/main/conversations",
		"question": "/data/q/contacts_by_week", "answer": "/data/q/conversations_by_team", "search": "/search?q=ticket", "stream": "/s/main/conversations", "calendar": "/s/main/tickets", "questions": "/questions", "lineage": "/data/t/models/sla", "filtered": "/data?q=country", "workspaces": "/workspaces", "missing": "/p/none"}
	var failures []string
	for _, r := range runs {
		failures = append(failures, r.Error)
		if r.Pipeline == "support" && r.Outcome == "FAILED" {
			paths["run"] = "/runs/" + r.Run
		}
		if r.Outcome == "FAILED" && strings.Contains(r.Error, "<script>") {
			paths["hostile"] = "/runs/" + r.Run
		}
	}
	if paths["run"] == "" || paths["hostile"] == "" {
		t.Fatalf("not all went wrong that should have: %q", slices.DeleteFunc(failures, func(e string) bool { return e == "" }))
	}
	return paths
}

// gallery makes pictures of every page, whole, at three widths in both themes, for people who look at them: AQUEDUCK_GALLERY names their directory.
func (s *stage) gallery(t *testing.T) {
	dir := os.Getenv("AQUEDUCK_GALLERY")
	if dir == "" {
		t.Skip("AQUEDUCK_GALLERY names no directory")
	}
	p := browse(t, s.server.URL)
	p.size(1280, 800)
	p.login()
	for name, path := range s.paths(t) {
		for _, theme := range []string{"light", "dark"} {
			p.scheme(theme)
			for _, width := range []int64{390, 1280, 1920} {
				p.size(width, 1000)
				do(p, chromedp.Navigate(s.server.URL+path))
				p.until("all questions are answered", `document.querySelector("[data-again]") === null`)
				high := do(p, chromedp.Evaluate[int64]("document.documentElement.scrollHeight"))
				p.size(width, min(max(high, 1000), 6000))
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s-%d-%s.png", name, width, theme)), do(p, chromedp.CaptureScreenshot()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func (s *stage) pages(t *testing.T) {
	p := browse(t, s.server.URL)
	p.size(1280, 800)
	p.login()
	paths := s.paths(t)
	for width, height := range map[int64]int64{1920: 1080, 1280: 800, 390: 844} {
		p.size(width, height)
		for name, path := range paths {
			if name == "missing" { // which the browser says too
				do(p, chromedp.Navigate(s.server.URL+path))
				p.mu.Lock()
				p.said = nil
				p.mu.Unlock()
				continue
			}
			p.open(path)
			if name == "questions" {
				p.until("all questions are answered", `document.querySelector(".dashboard:not([data-again])") !== null`)
			}
			switch width {
			case 390:
				p.shot(name + "-phone")
			case 1280:
				p.shot(name)
			}
		}
	}
	p.size(1280, 800)
	p.scheme("dark")
	for _, name := range []string{"overview", "run"} {
		p.open(paths[name])
		p.shot(name + "-dark")
	}
	p.scheme("light")
	p.keys(paths)
	p.filterData()
	p.open(paths["run"])
	if text := p.text(); !strings.Contains(text, "as long as the last 10 runs of its kind (median ") {
		t.Errorf("the run is not compared with those before:\n%s", text)
	}
	p.keepUnchanged(paths["run"])
	p.filterLog(paths["run"])
	p.open(paths["hostile"])
	if n := do(p, chromedp.Evaluate[int](`document.querySelectorAll("main script, main img").length`)); n > 0 {
		t.Errorf("%d elements came from the source", n)
	}
	if !strings.Contains(p.text(), hostile) {
		t.Errorf("what the source said is not shown:\n%s", p.text())
	}
	p.withoutScripts(paths)
}

// filterData types into the filter of the data page, which applies it at once.
func (p *page) filterData() {
	p.t.Helper()
	p.open("/data")
	do(p, chromedp.SendKeys(chromedp.CSS(`.filterbox input[type=search]`), "country"))
	p.until("the page has what the filter keeps", `location.search === "?q=country" && document.querySelector("details[open] .hits a[href$='#location_country']") !== null`)
}

// keys tries the keys that the footer of each page names.
func (p *page) keys(paths map[string]string) {
	p.t.Helper()
	p.open(paths["data"])
	for _, key := range []string{"g", "o"} {
		do(p, chromedp.KeyEvent(key))
	}
	p.until("g o has led to the overview", `location.pathname === "/" && document.readyState === "complete"`)
	do(p, chromedp.KeyEvent("/"))
	p.until("/ has led to the search", `document.activeElement.name === "q"`)
	do(p, chromedp.Evaluate[string](`document.activeElement.value = ""`)) // into which the test, other than a keyboard, has typed the key
	do(p, chromedp.KeyEvent("tickets\r"))
	p.until("the search has found something", `location.pathname === "/search" && document.querySelectorAll(".found li").length > 3`)
}

// keepUnchanged opens the page of an ended run, which asks for its changing part as soon as it is there. What did not change is not replaced:
// a click that comes at that moment counts. A replaced link made this test hang.
func (p *page) keepUnchanged(run string) {
	p.t.Helper()
	mark := cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: `document.addEventListener("DOMContentLoaded", () => { window.first = document.querySelector("#log a"); })`}
	if _, err := chromedp.Call(p.ctx, cdppage.AddScriptToEvaluateOnNewDocument, mark); err != nil {
		p.t.Fatal(err)
	}
	p.open(run)
	p.until("the page has asked for its changing part", `performance.getEntriesByType("resource").some(e => e.name.includes("part=live") && e.responseEnd > 0)`)
	if !do(p, chromedp.Evaluate[bool](`new Promise(then => requestAnimationFrame(() => requestAnimationFrame(() => then(window.first.isConnected))))`, chromedp.EvalAwaitPromise)) {
		p.t.Error("the page has replaced links that did not change")
	}
}

// filterLog follows the links above the log of a run: by level, by stream, and on a phone.
func (p *page) filterLog(run string) {
	p.t.Helper()
	p.open(run)
	p.press(`#log a[href="?level=warn#log"]`)
	p.until("the log has warnings only", `location.search === "?level=warn" && document.querySelectorAll(".log tbody tr").length > 0 && !document.querySelector("#log table").innerText.includes("stream ok")`)
	p.press(`#log a[href="?level=warn&stream=tickets#log"]`)
	p.until("the log is that of a stream", `document.querySelectorAll(".log tbody tr").length === 1 && document.querySelector("#log").innerText.includes("stream FAILED")`)
	p.size(390, 844)
	p.open(run + "?stream=tickets#log")
	p.shot("log-phone")
	cut := do(p, chromedp.Evaluate[bool](`[...document.querySelectorAll("table:not(.log table) td")].some(td => td.offsetWidth < 40 && td.innerText.trim().length > 3 && td.offsetHeight > 90)`))
	if cut {
		p.t.Error("on a phone a column breaks its words into letters")
	}
	p.size(1280, 800)
}

// withoutScripts opens the pages without JavaScript, and follows links.
func (p *page) withoutScripts(paths map[string]string) {
	p.t.Helper()
	p.scripts(false)
	for _, name := range []string{"overview", "pipeline", "run", "data", "filtered", "lineage", "question", "questions"} {
		p.open(paths[name])
	}
	p.filterLog(paths["run"])
	do(p, chromedp.Navigate(p.site+"/"))
	do(p, chromedp.Click(chromedp.CSS(`a[href="/p/support"]`)))
	p.until("a link works", `location.pathname === "/p/support"`)
	p.scripts(true)
}

// press clicks in the page itself, in one step: a page that follows a run replaces its parts at any moment.
func (p *page) press(selector string) {
	p.t.Helper()
	p.until(selector+" can be pressed", fmt.Sprintf(`(found => found && (found.click(), true))(document.querySelector(%q)) === true`, selector))
}

// follow starts a run with a button, watches it live, cancels it, and retries the rest.
func (s *stage) follow(t *testing.T) {
	p := browse(t, s.server.URL)
	p.size(1280, 800)
	p.login()
	s.slow.Store(int64(time.Second))
	p.open("/p/support")
	p.press(`button[formaction="/p/support/run"]`)
	p.until("the button has said so", `document.body.innerText.includes("The run has started.")`)
	p.until("the page follows the run by itself", `document.querySelector('a[href^="/runs/"] i') !== null && document.body.innerText.includes("reading")`)
	p.press(`.banner.busy a`)
	p.until("the page of the run is there", `location.pathname.startsWith("/runs/") && document.querySelectorAll(".lane").length > 2`)
	p.sound("a run under way")
	do(p, chromedp.Evaluate[bool](`window.stayed = true`))
	rows := do(p, chromedp.Evaluate[string](`document.querySelector(".facts").innerText`))
	p.until("its log is there", `document.querySelector("#log table") !== null`)
	p.until("its numbers move", fmt.Sprintf(`document.querySelector(".facts").innerText !== %q`, rows))
	p.shot("live")
	p.press(`button[formaction="/p/support/cancel"]`)
	p.until("the run has ended", `document.body.innerText.includes("interrupted")`)
	p.sound("a run that was ended")
	s.slow.Store(0)
	p.press(`button[formaction="/p/support/retry"]`)
	p.until("what was left is read", `document.body.innerText.includes("The failed streams are being retried.")`)
	p.open("/p/support")
	p.until("the pipeline has recovered", `document.querySelector(".title .state").innerText.includes("on time")`)

	s.mu.Lock()
	s.trouble = "pipelines.yaml:5:5: error: unknown key \"schedul\" in pipelines.nightly\n    5 |     schedul: \"0 2 * * *\"\n      |     ^^^^^^^ did you mean \"schedule\"?"
	s.mu.Unlock()
	p.open("/")
	p.shot("banner")
	do(p, chromedp.Click(chromedp.CSS(`.banner.error button`)))
	p.until("the banner has gone", `document.querySelector(".banner.error") === null`)
	p.sound("/")
}
