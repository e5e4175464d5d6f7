package pipeline_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// TestT116RefusedTokenStopsEverything revokes the token during a run. No more requests are sent, watermarks stay, complete pages are kept, and
// with a valid token the next run continues.
// Holds: S5.
func TestT116RefusedTokenStopsEverything(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(71))
	b.syncOnce(runner.Options{})
	newLife(b, 71).applyEvents(20)
	b.space.Advance(time.Hour)
	before := b.queryRows("SELECT stream, synced_to FROM _sync.checkpoints ORDER BY 1")
	n := b.space.RequestCount()
	b.space.SetKnobs(func(k *emulator.Knobs) { k.RevokeAt = n + 3 })
	report := b.trySync(runner.Options{})
	if report.Exit() != problem.ExitRefused || !strings.HasPrefix(report.LastLine(), "FAILED nightly ok=") {
		t.Errorf("exit %d: %s", report.Exit(), report.LastLine())
	}
	if asked := b.space.RequestCount() - n; asked > 10 {
		t.Errorf("%d requests, want no more after the refusals of what was under way", asked)
	}
	for _, s := range report.Streams {
		if s.Status == runlog.StatusOK && s.Stream != "contact_activities" && s.Stream != "deleted_contacts" {
			t.Errorf("%s counts as done: %+v", s.Stream, s)
		}
	}
	after := b.queryRows("SELECT stream, synced_to FROM _sync.checkpoints ORDER BY 1")
	if i := slices.IndexFunc(after, func(row string) bool { return strings.HasPrefix(row, "contacts|") }); after[i] != before[i] {
		t.Errorf("the mark moved: %s, then %s", before[i], after[i])
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.RevokeAt = 0 })
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

func TestT116RefusedTokenIsReportedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(72))
	b.space.SetKnobs(func(k *emulator.Knobs) { k.RevokeAt = 1 })
	_, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	if found := problem.AsProblem(err); err == nil || found.ExitCode() != problem.ExitRefused || found.Next == "" {
		t.Errorf("got %v", err)
	}
	if b.space.RequestCount() != 1 || b.runner.Dir.Current() != "" {
		t.Errorf("%d requests, published %q", b.space.RequestCount(), b.runner.Dir.Current())
	}
}

// TestRunWithoutTimeToIdentifyTheWorkspaceSaysSo has a workspace that answers late, and then with 429.
func TestRunWithoutTimeToIdentifyTheWorkspaceSaysSo(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(74))
	b.front = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		b.space.Advance(time.Minute)
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	_, err := sync.Sync(t.Context(), b.runner, b.runner.Config.Pipelines[0], runner.Options{MaxTime: time.Second})
	if p := problem.AsProblem(err); err == nil || p.Class != "transient" || p.ExitCode() != problem.ExitFailed || !strings.Contains(p.Next, "max_time") {
		t.Errorf("got %+v", p)
	}
}

// TestRotatedTokenIsReadOnce: a replaced token file is read again, once.
// Holds: T116, S5.
func TestRotatedTokenIsReadOnce(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(73))
	connect := b.runner.Connect
	b.runner.Connect = func(ctx context.Context, name string) (runner.Source, error) {
		source, err := connect(ctx, name)
		source.Refresh = func() (api.Secret, error) { return "rotated", nil }
		return source, err
	}
	b.space.RunBetween(func(n int) {
		if n == 6 {
			b.space.RotateToken("rotated")
		}
	})
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT86UnavailableStreamBlocksNoOther: a plan without the feature, from the start and from the middle of a list on. Rows stay, reactivated
// contacts are found, and each run requests the stream.
func TestT86UnavailableStreamBlocksNoOther(t *testing.T) {
	t.Parallel()
	c := tinyConfig(74)
	c.Inactive, c.Unavailable = 170, []string{"contacts.activities"}
	b := newBed(t, c)
	p := contactBed{b}
	id := p.createUser()
	p.advanceAfter(b.space.ArchiveContact(id))
	b.space.Advance(80 * time.Hour)
	report := b.syncOnce(runner.Options{})
	if s := streamResult(t, report, "contact_activities"); s.Status != runlog.StatusUnavailable || s.Next == "" || report.Count(runlog.StatusOK) != 3 {
		t.Errorf("%s\n%+v", report.LastLine(), s)
	}
	p.advanceAfter(b.space.UnarchiveContact(id, false))
	b.syncOnce(runner.Options{})
	b.checkLifecycle("active", "", id)

	b.space.SetKnobs(func(k *emulator.Knobs) { k.Unavailable = nil })
	b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
		if r.URL.Path == "/contacts/deleted" && r.URL.Query().Get("page") == "2" {
			return &fault.Fault{Status: http.StatusForbidden}
		}
		return nil
	})
	report = b.trySync(runner.Options{})
	if s := streamResult(t, report, "deleted_contacts"); report.Exit() != problem.ExitFailed || s.Status != runlog.StatusUnavailable || s.Gone != 0 {
		t.Errorf("%+v", s)
	}
	b.space.InjectFaults(nil)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestTokenThatMayReadNothingIsRefused: 403 for every request fails the run.
func TestTokenThatMayReadNothingIsRefused(t *testing.T) {
	t.Parallel()
	c := tinyConfig(75)
	c.Forbidden = []string{"contacts.search", "contacts.deleted", "contacts.activities"}
	b := newBed(t, c)
	for _, code := range []string{"token_unauthorized", "scope_missing"} { // the document does not show the code of a missing scope
		b.space.SetKnobs(func(k *emulator.Knobs) { k.Codes = map[string]string{"token_unauthorized": code} })
		if report := b.trySync(runner.Options{}); report.Exit() != problem.ExitRefused {
			t.Errorf("%s: exit %d: %s", code, report.Exit(), report.LastLine())
		}
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Forbidden = nil })
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

func TestT115OtherWorkspaceIsRefusedBeforeAnythingIsWritten(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(76))
	b.syncOnce(runner.Options{})
	id := b.queryRows("SELECT id FROM _sync.workspaces")[0]
	file := b.runner.Dir.Current()
	b.checkConfigRefused(file, func() { b.space.SetWorkspaceID("another") }, "belongs to workspace another", "holds workspace "+id)
	b.space.SetWorkspaceID(id)
	b.checkConfigRefused(file, func() { b.emulated = true }, id, "is the emulator")
	b.emulated = false
	b.syncOnce(runner.Options{})

	filled := newBed(t, tinyConfig(77))
	filled.emulated = true
	filled.syncOnce(runner.Options{})
	filled.checkConfigRefused(filled.runner.Dir.Current(), func() { filled.emulated = false }, "filled by the emulator")
}

// checkConfigRefused makes a change, and expects a run that fails with a config error with all of the words and leaves the published file as it
// was.
func (b *testBed) checkConfigRefused(file string, change func(), words ...string) {
	b.t.Helper()
	change()
	n := b.space.RequestCount()
	_, err := sync.Sync(context.Background(), b.runner, b.runner.Config.Pipelines[0], runner.Options{})
	var found *problem.Problem
	if !errors.As(err, &found) || found.ExitCode() != problem.ExitConfig || found.Next == "" {
		b.t.Fatalf("got %v", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			b.t.Errorf("%v: does not say %q", err, word)
		}
	}
	if b.runner.Dir.Current() != file || b.space.RequestCount()-n > 1 {
		b.t.Errorf("another file was published, or more than one request sent: %d", b.space.RequestCount()-n)
	}
}

// TestEmptyWorkspaceIsIdentifiedLater, with its first record.
func TestEmptyWorkspaceIsIdentifiedLater(t *testing.T) {
	t.Parallel()
	c := tinyConfig(78)
	c.EmptyLists = true
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.EmptyLists = false })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{FullRefresh: true})
	b.equalsOracle()
	b.checkConfigRefused(b.runner.Dir.Current(), func() { b.space.SetWorkspaceID("another") }, "another")
}

// TestStreamMissingFromTheVersionIsUnavailable: a 404 for a whole list is no failure, and the next step names the version that has it.
func TestStreamMissingFromTheVersionIsUnavailable(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(79))
	b.writeStreamFiles("tags, calls, away_status_reasons, old_articles", `stream: old_articles
read: {endpoint: GET /old_articles, records: data, page: {by: none}, since: {by: full}}
key: [id]
columns: [{name: id, type: text, doc: Id.}]
`)
	b.runner.Config.Workspaces["main"].APIVersion = "2.13"
	report := b.syncOnce(runner.Options{})
	for name, want := range map[string][2]string{"calls": {"version", "2.14 or later"}, "away_status_reasons": {"version", "2.14 or later"},
		"old_articles": {"not_found", "streams/old_articles.yaml with the API's documentation"}} {
		if s := streamResult(t, report, name); s.Status != runlog.StatusUnavailable || s.Class != want[0] || !strings.Contains(s.Next, want[1]) {
			t.Errorf("%s: %s %s, next: %s", name, s.Status, s.Class, s.Next)
		}
	}
	if s := streamResult(t, report, "tags"); s.Status != runlog.StatusOK || s.New == 0 {
		t.Errorf("%+v", s)
	}
}
