package console

import (
	"bufio"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/renameio/v2"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
)

// requireTexts fails for each text that a page lacks.
func requireTexts(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Errorf("%q is not in\n%s", text, page)
		}
	}
}

func TestTheOverviewShowsEachPipeline(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page := b.fetchPage("/")
	requireTexts(t, page, `href="/p/nightly"`, "needs action", `href="/p/weekly"`, "○</i> new", "the last read of tags failed", "<code>data</code>", "The next 24 hours",
		`formaction="/p/nightly/run"`, `formaction="/p/nightly/retry"`, `class="strip"`, `class="spark"`, ", catch-up run</title>", `<path class="caught"`,
		"Rows</dt>", "New records, 7 days</dt>", "Published file</dt>", " free <small>a run needs ", "an estimate needs 3 published files", "Streams that changed most", `<a href="/s/main/contacts">contacts</a>`,
		"The last 30 days", "Median time", "max_requests", "no run</td>")
	problems, _, _ := strings.Cut(page[strings.Index(page, `<ul class="needs">`):], "</ul>")
	requireTexts(t, problems, "the last read of tags failed", `formaction="/p/nightly/retry"`)
	if page := b.fetchPage("/p/nightly"); strings.Count(page, `formaction="/p/nightly/retry"`) != 1 {
		t.Errorf("the page of a pipeline, whose title has the button, shows it twice:\n%s", page)
	}
	var totals runlog.Totals
	readJSON(t, b.fetchPage("/api/v1/totals"), &totals)
	if totals.Rows < 100 || totals.New < 100 || len(totals.Changed) < 3 || totals.Space.File == 0 || totals.Space.Free == 0 || len(totals.Months) != 2 || totals.Months[0].Runs != 2 || totals.Months[0].Failed != 1 {
		t.Errorf("the totals are %+v", totals)
	}
	if n := strings.Count(page, `<a href="/runs/`); n < 3 {
		t.Errorf("%d links to runs:\n%s", n, page)
	}
	if strings.Contains(page, "<!doctype") == strings.Contains(b.fetchPage("/?part=live"), "<!doctype") {
		t.Error("the part that is live is not a part")
	}
}

func TestThePageOfAPipelineHasItsStreamsAndCharts(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page := b.fetchPage("/p/nightly")
	requireTexts(t, page, `<tr id="deleted_contacts">`, "Rows written", "Duration", "Requests", "2xx", "fresh", "✖</i> failed", "<code>0 2 * * *</code>")
	if n := strings.Count(page, `class="bars"`); n != 3 {
		t.Errorf("%d charts", n)
	}
	requireTexts(t, b.fetchPage("/p/weekly"), "No stream has been read yet.", "Nothing has run yet.")
	if a, _ := b.sendRequest(http.MethodGet, "/p/none", nil, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("a pipeline that is not there: %s", a.Status)
	}
}

func TestThePageOfARunHasItsAxisItsErrorsAndItsRequests(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	page := b.fetchPage("/runs/" + w.failed)
	requireTexts(t, page, " a minute</small>", "<details><summary>", " requests</summary>", `<a href="#log">Log</a>`, "<h2>Publish</h2>", "<td>Parquet files</td>", "<td>showing it to readers</td>", "<code>"+strings.TrimSuffix(filepath.Base(w.runner.Dir.Current()), ".duckdb"))
	requireTexts(t, page, `<svg class="pace"`, `<path class="budget"`, "Requests a minute <small>up to ", ", budget 60</small>")
	requireTexts(t, page, "Where the time went", `class="reading"`, `class="publishing"`, "<code>POST /contacts/search</code>", "<code>GET /tags</code>",
		"<b>data</b>", "needs action", "next: ", "Retry failed", "Published</dt><dd>yes")
	requireTexts(t, b.fetchPage("/runs/"+runlog.ShortRun(w.failed)), "<code>POST /contacts/search</code>", "Retry failed", `id="log"`)
	for _, id := range []string{"01K0000000000000000000000X", "0000000X", w.failed[:8], "'; DROP TABLE x", "..%2F..%2Fx"} {
		if a, _ := b.sendRequest(http.MethodGet, "/runs/"+url.PathEscape(id), nil, nil); a.StatusCode != http.StatusNotFound {
			t.Errorf("run %s: %s", id, a.Status)
		}
	}
	requireTexts(t, b.fetchPage("/runs"), w.failed, ">caught up<")
	for query, test := range map[string]struct {
		rows int
		text string
	}{"": {2, `<a href="/runs?pipeline=nightly">nightly</a>`}, "?outcome=not-ok": {1, w.failed}, "?pipeline=nightly": {2, `<a href="/runs?outcome=not-ok&amp;pipeline=nightly">not ok</a>`},
		"?pipeline=weekly": {0, "No run of this pipeline and outcome."}, "?pipeline=%22%3Cb%3E": {0, "No run of this"}} {
		page := b.fetchPage("/runs" + query)
		requireTexts(t, page, test.text)
		if n := strings.Count(page, `<tr><td><a href="/runs/`); n != test.rows {
			t.Errorf("/runs%s has %d runs, want %d", query, n, test.rows)
		}
	}
	requireTexts(t, b.fetchPage("/workspaces"), "<td>main</td>", "needs action", "nightly", "FAILED", "this one", "next: ")
	requireTexts(t, b.fetchPage("/api/v1/workspaces"), `"workspace": "main"`, `"health": "act"`)
	requireTexts(t, b.fetchPage("/freshness"), "conversations", "Last complete read")
	requireTexts(t, b.fetchPage("/search?q=deleted"), `<a href="/s/main/deleted_contacts">deleted_contacts</a>`)
}

// TestThePageOfARunHasItsLog reads the log of the run that failed: all of it, one level, one stream, and the newest lines of a long one. The filter is in
// the address, so it needs no script.
func TestThePageOfARunHasItsLog(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	path := "/runs/" + w.failed
	page := b.fetchPage(path)
	requireTexts(t, page, `<section id="log">`, ">info</a>", `<a href="?level=warn#log">warn</a>`, `<a href="?stream=tags#log">tags</a>`, "the run begins", "<b>contacts</b> stream ok", "<b>tags</b> stream FAILED",
		`<span class="quiet">class=data</span>`, "the run ended FAILED", "✖</i> error", "▲</i> warn")
	for query, test := range map[string]struct{ has, lacks []string }{
		"?level=debug":              {[]string{"stream starts", `<a href="?level=debug#log" aria-current="true"`}, nil},
		"":                          {nil, []string{"stream starts"}},
		"?level=warn":               {[]string{"stream FAILED", "the run ended FAILED"}, []string{"the run begins", "stream ok"}},
		"?level=error":              {[]string{"the run ended FAILED"}, []string{"stream FAILED"}},
		"?stream=tags&level=info":   {[]string{"stream FAILED", `<a href="?level=warn&amp;stream=tags#log">`, `<a href="?stream=tags#log" aria-current="true">tags</a>`}, []string{"stream ok", "the run ended"}},
		"?stream=nosuch":            {[]string{"No line of this level and stream."}, []string{"the run ended"}},
		"?level=%3Cb%3E&stream=%22": {[]string{"No line of this level and stream."}, []string{"<b>\""}},
	} {
		page := b.fetchPage(path + query)
		requireTexts(t, page, test.has...)
		for _, text := range test.lacks {
			if strings.Contains(page[strings.Index(page, `id="log"`):], text) {
				t.Errorf("%s has %q", query, text)
			}
		}
	}
	var log runlog.RunLog
	readJSON(t, b.fetchPage("/api/v1/runs/"+w.failed+"/log?stream=tags"), &log)
	if !log.Kept || log.Total != 1 || len(log.Lines) != 1 || log.Lines[0].Level != "WARN" || log.Lines[0].Stream != "tags" || log.Lines[0].At.IsZero() || !slices.Contains(log.Streams, "contacts") {
		t.Errorf("as JSON: %+v", log)
	}
	if a, _ := b.sendRequest(http.MethodGet, "/api/v1/runs/01K0000000000000000000000X/log", nil, nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("the log of an unknown run: %s", a.Status)
	}
}

func TestTheAPIHasThePagesAsJSON(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	var o runlog.Overview
	readJSON(t, b.fetchPage("/api/v1/overview"), &o)
	if len(o.Pipelines) != 2 || o.Pipelines[0].Health != runlog.HealthAct || len(o.Pipelines[0].Runs) != 2 || len(o.Needs) == 0 || o.Needs[0].Class != "data" || !o.Needs[0].Act {
		t.Errorf("the overview is %+v", o)
	}
	if at := o.Pipelines[0].Runs[0].Started; len(o.Coming) != 1 || o.Coming[0].At.Sub(at) > 24*time.Hour {
		t.Errorf("of the next 24 hours: %+v", o.Coming)
	}
	var p runlog.PipelineOverview
	readJSON(t, b.fetchPage("/api/v1/pipelines/nightly"), &p)
	if p.Name != "nightly" || len(p.Streams) < 5 || p.AsOf.IsZero() {
		t.Errorf("the pipeline is %+v", p)
	}
	var d runlog.RunAccount
	readJSON(t, b.fetchPage("/api/v1/runs/"+w.failed), &d)
	i := slices.IndexFunc(d.Streams, func(s runlog.RunStream) bool { return s.Stream == "tags" })
	if d.Outcome != "FAILED" || d.Trace == nil || i < 0 || d.ClassOf(d.Streams[i]) != "data" || d.Streams[i].Next == "" || d.Class != "data" {
		t.Errorf("the run is %+v", d)
	}
	var short runlog.RunAccount
	if readJSON(t, b.fetchPage("/api/v1/runs/"+runlog.ShortRun(w.failed)), &short); short.Run != w.failed || short.Trace == nil {
		t.Errorf("by the short id the run is %+v", short)
	}
	a, text := b.sendRequest(http.MethodGet, "/api/v1/runs/x", nil, nil)
	if a.StatusCode != http.StatusNotFound || !strings.Contains(text, `"error": "this page does not exist"`) || !strings.Contains(text, `"next": "list pipelines and runs: GET /api/v1/overview`) {
		t.Errorf("%s %s", a.Status, text)
	}
}

// TestPagesOfAnEmulatedWarehouseHaveItsClock: the workspace is in June 2024, and this machine in November 2026. Each page says once whose
// times it has, and has none of this machine; so does a page of an error. The next run is as far away as it is by this machine's clock.
func TestPagesOfAnEmulatedWarehouseHaveItsClock(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	w, _ := warehouse()
	for _, path := range []string{"/", "/p/nightly", "/p/none", "/runs", "/runs/" + w.failed, "/freshness", "/workspaces", "/data"} {
		_, page := b.sendRequest(http.MethodGet, path, nil, nil)
		if n := strings.Count(page, runlog.SaysEmulated); n != 1 || !strings.Contains(page, "2024-06-16T") || strings.Contains(page, "2026-11") {
			t.Errorf("%s says %d times whose times it has:\n%s", path, n, page)
		}
	}
	for _, path := range []string{"/api/v1/overview", "/api/v1/pipelines/nightly", "/api/v1/runs/" + w.failed} {
		if text := b.fetchPage(path); strings.Contains(text, "2026-11") {
			t.Errorf("%s has times of this machine: %s", path, text)
		}
	}
	var o runlog.Overview
	readJSON(t, b.fetchPage("/api/v1/overview"), &o)
	if left := o.Next[0].At.Sub(o.Now); !o.Emulated || left != 14*time.Hour || !o.Coming[0].At.Equal(o.Next[0].At) || !o.Pipelines[0].Next.Equal(o.Next[0].At) {
		t.Errorf("at noon the run at two is in %s: %+v", left, o.Next)
	}
	if page := b.fetchPage("/"); !strings.Contains(page, "The next 24 hours, by the clock of this machine") || !strings.Contains(page, `">02:00</time>`) {
		t.Errorf("the overview has no run at two:\n%s", page)
	}
}

func readJSON(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestS27HostileTextIsShownAsText: text of the source in an error is on the page of the run, and none of it becomes HTML.
func TestS27HostileTextIsShownAsText(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.loginWithSecret()
	b.trouble = "pipelines.yaml:1:1: " + hostile
	w, _ := warehouse()
	shown := 0
	for _, path := range []string{"/", "/p/nightly", "/runs/" + w.failed, "/runs", "/freshness", "/workspaces", "/search?q=" + url.QueryEscape(hostile), "/login?next=" + url.QueryEscape(`/"`+hostile), "/?said=" + url.QueryEscape(hostile)} {
		page := b.fetchPage(path)
		if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img src=x") {
			t.Errorf("%s has it as it is:\n%s", path, page)
		}
		shown += strings.Count(page, "&lt;script&gt;alert(1)")
	}
	if shown < 3 {
		t.Errorf("it is shown %d times: the test finds nothing", shown)
	}
}

// TestARejectedRecordIsKnownByTheEndOfItsKey: the key of a contact is personal.
func TestARejectedRecordIsKnownByTheEndOfItsKey(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	page, err := b.console.zones.pageIn("run", time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	detail := &runlog.RunDetail{Rejects: []runlog.RunReject{{Stream: "contacts", Column: "email", Reason: "type", Count: 2, Key: "66f0a1b2c3d4e5f6"}, {Stream: "tags", Reason: "range", Count: 1, Key: "1234567"}}}
	if err := page.ExecuteTemplate(&text, "live", &runView{RunAccount: &runlog.RunAccount{RunDetail: detail}, Log: logView{RunLog: &runlog.RunLog{}}}); err != nil {
		t.Fatal(err)
	}
	requireTexts(t, text.String(), `<td class="n">2</td><td><span class="pii">•••e5f6</span></td>`, `<td class="n">1</td><td><span class="pii">•••</span></td>`)
}

func TestButtonsDoWhatTheySay(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.loginWithSecret()
	for path, back := range map[string]string{"/p/nightly/run": "/p/nightly", "/p/nightly/retry": "//evil.test", "/p/nightly/cancel": "/runs/x", "/reload": ""} {
		a, text := b.sendRequest(http.MethodPost, path, url.Values{"back": {back}}, nil)
		to := a.Header.Get("Location")
		if a.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") {
			t.Errorf("%s: %s to %s: %s", path, a.Status, to, text)
		}
		requireTexts(t, b.fetchPage(to[strings.Index(to, "?"):]), actionMessages[path[strings.LastIndex(path, "/")+1:]])
	}
	a, text := b.sendRequest(http.MethodPost, "/api/v1/pipelines/nightly/run", nil, nil)
	if a.StatusCode != http.StatusAccepted || !strings.Contains(text, "The run has started.") {
		t.Errorf("%s %s", a.Status, text)
	}
	slices.Sort(b.done)
	if want := []string{"cancel nightly", "reload", "retry nightly", "run nightly", "run nightly"}; !slices.Equal(b.done, want) {
		t.Errorf("done: %v", b.done)
	}
	b.refuse = &problem.Problem{Class: "busy", What: "nightly is already running", Next: "wait"}
	a, text = b.sendRequest(http.MethodPost, "/p/nightly/run", nil, nil)
	if a.StatusCode != http.StatusConflict || !strings.Contains(text, "nightly is already running") {
		t.Errorf("%s %s", a.Status, text)
	}
}

// TestTheButtonsSayWhenARetryBeginsAnyway: who looks at a failed run need not press a button.
func TestTheButtonsSayWhenARetryBeginsAnyway(t *testing.T) {
	t.Parallel()
	dir := layout.Dir(t.TempDir())
	b := newBed(t, func(o *Options) { o.Dir = dir })
	b.loginWithSecret()
	if err := os.MkdirAll(dir.State(), 0o700); err != nil {
		t.Fatal(err)
	}
	failed := b.readClock().Add(-3 * time.Minute)
	note := runlog.PastRun{Run: "01JDA00000000000000000FA1L", Pipeline: "nightly", Started: failed, Finished: failed, Outcome: "FAILED", Exit: 1, Class: "transient", Error: "it is down", Try: 1, RetryAt: failed.Add(15 * time.Minute)}
	if err := note.Save(dir); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/", "/p/nightly", "/runs/" + note.Run} {
		requireTexts(t, b.fetchPage(path), "Run now", `unless a run ends well before, retry 2 of 4 begins <time datetime="2026-11-22T12:12:00Z" title="2026-11-22 12:12:00 UTC">in 12 min</time>`)
	}
	b.advanceClock(time.Hour)
	if page := b.fetchPage("/runs/" + note.Run); strings.Contains(page, "unless a run") {
		t.Errorf("the retry is over:\n%s", page)
	}
}

// TestAnEmptyWarehouseSaysWhatComesFirst, on the pages that will show data, and not once something is published.
func TestAnEmptyWarehouseSaysWhatComesFirst(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.Dir = newDir(t, "") })
	b.loginWithSecret()
	requireTexts(t, b.fetchPage("/"), "Nothing is published yet. <b>Run now</b> starts the first run.")
	for _, path := range []string{"/data", "/questions"} {
		requireTexts(t, b.fetchPage(path), "Nothing is published yet. Start the first run.")
	}
	requireTexts(t, b.fetchPage("/runs"), "Nothing has run yet.")
	if strings.Contains(loginToShared(t).fetchPage("/"), "Nothing is published yet") {
		t.Error("the overview of a filled warehouse says that nothing is published")
	}
}

func TestTheOverviewSaysThatReadersHaveAnOlderFile(t *testing.T) {
	t.Parallel()
	w, err := warehouse()
	if err != nil {
		t.Fatal(err)
	}
	dir := layout.Dir(t.TempDir())
	if out, err := exec.Command("cp", "-a", string(w.runner.Dir)+"/.", string(dir)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := newBed(t, func(o *Options) { o.Dir = dir })
	b.loginWithSecret()
	file := strings.TrimSuffix(filepath.Base(dir.Current()), ".duckdb")
	done := runlog.Rollback{At: time.Date(2024, 6, 16, 3, 0, 0, 0, time.UTC), FromRun: "01J0000000000000000000NEWER-01", ToRun: file, By: "ann@host"}
	if err := done.Save(dir); err != nil {
		t.Fatal(err)
	}
	requireTexts(t, b.fetchPage("/"), "Rollback: readers have the file "+runlog.ShortRun(file)+" again since 2024-06-16T03:00:00Z, in place of ")
	requireTexts(t, b.fetchPage("/runs"), "rolled back</span>", `<span class="quiet">from 000NEWER-01 to `, "by ann@host")
}

// TestTheOverviewHasTheNextStepsOfItsCommandLine: a next step without -f would use another configuration. Streams that no run has begun are named, as in status.
func TestTheOverviewHasTheNextStepsOfItsCommandLine(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.Dir, o.Given = newDir(t, o.Dir), "-f conf.yaml" })
	b.loginWithSecret()
	now := b.readClock()
	failed := runlog.PastRun{Run: "01M0000000000000000000000R", Pipeline: "nightly", Started: now, Finished: now, Outcome: "FAILED", Class: "transient", Error: "GET /tags: 503", Next: "aqueduck sync nightly --failed"}
	if err := failed.Save(b.console.o.Dir); err != nil {
		t.Fatal(err)
	}
	requireTexts(t, b.fetchPage("/"), "next: aqueduck sync -f conf.yaml nightly --failed")
	requireTexts(t, b.fetchPage("/api/v1/runs/"+failed.Run), `"next": "aqueduck sync -f conf.yaml nightly --failed"`)
	requireTexts(t, loginToShared(t).fetchPage("/"), `<a href="/p/weekly">weekly</a>: 1 stream which no run has begun: segments</p>`)
}

// TestPagesFollowTheActiveRun follows run.json: each change causes an event, and the end causes one too. The page of the run has its streams.
func TestPagesFollowTheActiveRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Dir = newDir(t, o.Dir)
	})
	b.loginWithSecret()
	dir := b.console.o.Dir
	const id = "01K0000000000000000000000R"
	running, err := json.Marshal(runlog.Running{Run: id, Pipeline: "nightly", PID: os.Getpid(), Started: b.readClock(), At: b.readClock(), Doing: "reading", Percent: 40,
		Streams: []runlog.RunningStream{{Stream: "contacts", Phase: "backfill", Extracted: 1234, Backfill: 0.4}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/api/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	lines := bufio.NewScanner(a.Body)
	next := func() string {
		for lines.Scan() {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				return event
			}
		}
		return "the end"
	}
	if got := next(); got != "idle" {
		t.Errorf("before it: %s", got)
	}
	// Replaced at once, as a run does it, so that no reader finds half a file.
	if err := renameio.WriteFile(dir.RunFile(), running, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "running" {
		t.Errorf("while it runs: %s", got)
	}
	log := runlog.NewLogFile(dir, id, time.Now)
	page := b.fetchPage("/runs/" + id)
	requireTexts(t, page, "Nothing is logged yet.")
	for i := range 300 {
		slog.New(log.Handler()).Info("line "+strconv.Itoa(i), "said", hostile)
	}
	if text := b.fetchPage("/runs/" + id + "?part=live"); strings.Contains(text, ">line 99 ") || !strings.Contains(text, ">line 100 ") || strings.Contains(text, "<html") || strings.Contains(text, "<script>alert") {
		t.Errorf("the live part has not the newest 200 lines:\n%s", text)
	}
	requireTexts(t, b.fetchPage("/runs/"+id), `The newest 200 of 300 lines. <a href="?lines=all#log">Show all</a>`)
	requireTexts(t, b.fetchPage("/runs/"+id+"?lines=all"), ">line 0 ", ">line 299 ", `<a href="?level=warn&amp;lines=all#log">`)
	page = b.fetchPage("/runs/" + id)
	requireTexts(t, page, `data-live="running"`, `<noscript><meta http-equiv="refresh"`, "1\u202f234", "40\u202f%", `formaction="/p/nightly/cancel"`, "▶</i> running")
	requireTexts(t, b.fetchPage("/"), "is reading</a>", `formaction="/p/nightly/cancel"`)
	if err := os.Remove(dir.RunFile()); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "idle" {
		t.Errorf("after it: %s", got)
	}
	if err := renameio.WriteFile(dir.EndsFile(), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := next(); got != "idle" {
		t.Errorf("after one that came and went unseen: %s", got)
	}
	close(b.console.ending)
	if got := next(); got != "the end" {
		t.Errorf("when the server ends: %s", got)
	}
}

// TestEachLinkHasItsPage follows all links of the pages.
func TestEachLinkHasItsPage(t *testing.T) {
	t.Parallel()
	b := loginToShared(t)
	links := regexp.MustCompile(`(?:href|src)="(/[^"#]*)`)
	seen, todo, data := map[string]bool{}, []string{"/"}, 0
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if seen[path] {
			continue
		}
		seen[path] = true
		for _, m := range links.FindAllStringSubmatch(b.fetchPage(path), -1) {
			link := strings.ReplaceAll(m[1], "&amp;", "&")
			if strings.HasPrefix(link, "/data/") {
				if data++; data > 4 && !thorough {
					continue
				}
			}
			todo = append(todo, link)
		}
	}
	if len(seen) < 9 {
		t.Errorf("found %v only", seen)
	}
}

// TestACurveOfRequestsStandsOnTheTimeOfTheRun: two stretches of 60 and 120 requests a minute, of a budget of 90.
func TestACurveOfRequestsStandsOnTheTimeOfTheRun(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 2, 2, 0, 0, 0, time.UTC)
	points := []runlog.PacePoint{{Workspace: "main", From: began, To: began.Add(10 * time.Second), Requests: 10, Budget: 90}, {Workspace: "main", From: began.Add(10 * time.Second), To: began.Add(20 * time.Second), Requests: 20, Budget: 90},
		{Workspace: "acme", From: began, To: began, Requests: 1, Budget: 90}}
	all := pacesOf(points, began, 40*time.Second)
	if len(all) != 1 || all[0].Workspace != "main" || all[0].Budget != 90 || all[0].Most != 120 {
		t.Fatalf("%+v: a stretch without time has no pace", all)
	}
	requireTexts(t, string(all[0].Picture), `<path class="line" d="M0.0 60.0H250.0L250.0 20.0H500.0"/>`, `<path class="budget" d="M0.0 40.0H250.0L250.0 40.0H500.0"/>`,
		"<title>20 requests in 10.0 s, 120 a minute, of 90 a minute, from 10.0 s on</title>")
	points[0].Budget, points[1].Budget = 361, 361
	if all = pacesOf(points, began, 40*time.Second); strings.Contains(string(all[0].Picture), "budget") || all[0].Budget != 361 {
		t.Errorf("a budget far above the curve is drawn, or not named: %+v", all)
	}
	requireTexts(t, string(all[0].Values), `y="0%" dy=".32em" text-anchor="end">150<`)
}
