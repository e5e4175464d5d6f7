package pipeline_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load"
)

// TestT19T119AnswerWithoutAListStopsItsStream: an error, an empty object or a redirect is not an empty list. The stream fails, keeps its rows, and
// the other streams go on.
// Holds: S9.
func TestT19T119AnswerWithoutAListStopsItsStream(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(81))
	b.syncOnce(runner.Options{})
	faults := map[string]*fault.Fault{
		"error list": {Status: http.StatusOK, Body: `{"type":"error.list","errors":[{"code":"server_broke","message":"x"}]}`},
		"no list":    {Status: http.StatusOK, Body: `{}`},
		"redirect":   {Status: http.StatusFound, Body: `{}`, Header: map[string]string{"Location": "/contacts"}},
	}
	for name, wrong := range faults {
		b.space.InjectFaults(func(_ int, r *http.Request) *fault.Fault {
			if r.URL.Path == "/contacts/deleted" {
				return wrong
			}
			return nil
		})
		class := map[bool]string{true: "config", false: "data"}[name == "redirect"]
		report := b.trySync(runner.Options{})
		if s := streamResult(t, report, "deleted_contacts"); report.Exit() != problem.ExitFailed || s.Class != class || report.Count(runlog.StatusOK) != 3 {
			t.Errorf("%s: %s\n%+v", name, report.LastLine(), s)
		}
	}
	b.space.InjectFaults(nil)
	b.equalsOracle()
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestT33ColumnThatVanishesStopsItsStream removes a field from every answer. Stored values must not become null.
func TestT33ColumnThatVanishesStopsItsStream(t *testing.T) {
	lane.SkipHeavy(t)
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(82)
	c.Contacts, c.NestedCap = 1050, 400
	b := newBed(t, c)
	b.syncOnce(runner.Options{})
	for _, id := range b.space.ContactIDs("active") {
		if err := b.space.UpdateContact(id, emulator.FieldChange{Field: "custom_attributes.plan", Value: "new"}); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(time.Hour)
	otherwise := func(_ string, body []byte) []byte {
		return bytes.ReplaceAll(body, []byte(`"role":`), []byte(`"type_of_person":`))
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = otherwise })
	state := b.checkpointState("contacts")
	report := b.trySync(runner.Options{})
	s := streamResult(t, report, "contacts")
	if report.Exit() != problem.ExitFailed || s.Class != "data" || !strings.Contains(s.Error, "role") || s.Rows != 0 {
		t.Errorf("%s\n%+v", report.LastLine(), s)
	}
	if b.checkpointState("contacts") != state || b.queryRows("SELECT count(*) - count(role) FROM contacts")[0] != "0" {
		t.Error("the mark moved, or roles were lost")
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = nil })
	b.syncOnce(runner.Options{})
	b.equalsOracle()
	// Another API version may have another name for it.
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = otherwise })
	b.writeConfig(strings.Replace(nightly, "2.17", "2.16", 1))
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(role), count(*) FILTER (_extra->>'$.type_of_person' IS NULL) FROM contacts"); got[0] != "0|0" {
		t.Errorf("under another version: %v", got)
	}
}

// TestT137T167AWatermarkInTheFutureIsPulledBack has wrong clocks set the stored watermarks, by centuries and by less than the lookback window. The
// next run reports it, and reads everything that the watermark would have hidden.
func TestT137T167AWatermarkInTheFutureIsPulledBack(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(83))
	b.syncOnce(runner.Options{})
	life := newLife(b, 83)
	for _, future := range []time.Time{time.Date(2999, 1, 1, 0, 0, 0, 0, time.UTC), b.space.CurrentTime().Add(20 * time.Hour)} {
		for _, stream := range []string{"contacts", "contact_activities"} {
			b.poisonCheckpoint(stream, func(s *extract.State) { s.SyncedTo = future.Unix() })
		}
		life.applyEvents(10)
		b.space.Advance(time.Hour)
		report := b.syncOnce(runner.Options{})
		b.equalsOracle()
		if got := len(findingsNamed(report, "watermark_pulled_back")); got != 2 {
			t.Errorf("%v: told of %d streams", future, got)
		}
		if got := b.loadState("contacts").SyncedTo; got > b.space.CurrentTime().Unix() {
			t.Errorf("%v: the watermark is %d", future, got)
		}
	}
}

// poisonCheckpoint changes a stored checkpoint, as a bug or a wrong clock might.
func (b *testBed) poisonCheckpoint(stream string, change func(*extract.State)) {
	b.t.Helper()
	ctx := context.Background()
	work, err := load.OpenWork(ctx, b.runner.Dir, load.Options{Now: b.space.CurrentTime, RunID: "poison"})
	if err != nil {
		b.t.Fatal(err)
	}
	base, err := work.Checkpoints.Checkpoint(ctx, "main", stream)
	if err != nil {
		b.t.Fatal(err)
	}
	state, err := extract.ParseState(base.State)
	if err != nil {
		b.t.Fatal(err)
	}
	change(&state)
	next := base
	next.Seq, next.State, next.SyncedTo = base.Seq+1, state.String(), time.Unix(state.SyncedTo, 0).UTC()
	if _, err := work.Commit(ctx, "main", stream, base, next, nil); err != nil {
		b.t.Fatal(err)
	}
	if err := work.Close(); err != nil {
		b.t.Fatal(err)
	}
}

// TestT13CursorOfAnotherRequestIsNotSent changes the API version in the middle of a window. The stored cursor belongs to another request then, and
// reading continues at the last complete time (T113).
func TestT13CursorOfAnotherRequestIsNotSent(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	c := tinyConfig(84)
	c.NestedCap, c.TooLarge = 400, 20 // small pages
	b := newBedWith(t, c, strings.Replace(nightly, `"2.17"`, `"2.16"`, 1))
	b.syncOnce(runner.Options{})
	for _, id := range b.space.ContactIDs("active") {
		b.space.Advance(time.Minute)
		if err := b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "All Change"}); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(time.Hour)
	search := runner.Options{Select: []string{"contacts"}, MaxRequests: 14}
	if s := streamResult(t, b.syncOnce(search), "contacts"); !s.Cut || s.Rows == 0 {
		t.Fatalf("the window was not cut in its middle: %+v", s)
	}
	var mu sync.Mutex
	var bodies []string
	b.interceptRequests(func(_ http.ResponseWriter, r *http.Request) bool {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/contacts/search" && err == nil {
			bodies = append(bodies, string(body))
		}
		return false
	})
	b.writeConfig(nightly)
	b.syncOnce(runner.Options{})
	// The first request reads the record that identifies the workspace.
	if len(bodies) < 2 || strings.Contains(bodies[1], "starting_after") {
		t.Errorf("asked %v", bodies)
	}
	b.equalsOracle()
}

// TestT113VersionChangeReadsDaysAgain: fields that only the new version has are read for records that changed in the last days.
// Holds: T46.
func TestT113VersionChangeReadsDaysAgain(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBedWith(t, tinyConfig(85), strings.Replace(nightly, `"2.17"`, `"2.16"`, 1))
	ids := b.space.ContactIDs("active")[:5]
	for _, id := range ids {
		if err := b.space.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Before"}); err != nil {
			t.Fatal(err)
		}
	}
	b.space.Advance(80 * time.Hour) // before the usual lookback window
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(email_verified) FROM contacts"); got[0] != "0" {
		t.Fatalf("2.16 sent email_verified for %s contacts", got[0])
	}
	b.writeConfig(nightly)
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(email_verified), min(_api_version) FROM contacts WHERE name = 'Before'"); got[0] != "5|2.17" {
		t.Errorf("after the change of version: %s of 5", got[0])
	}
	b.syncOnce(runner.Options{FullRefresh: true})
	b.equalsOracle()
}

// TestT39GapInTheFeedIsReported removes the event at which the last read ended.
func TestT39GapInTheFeedIsReported(t *testing.T) {
	skipInRaceRun(t)
	t.Parallel()
	b := newBed(t, tinyConfig(86))
	b.syncOnce(runner.Options{})
	b.space.SimulateHours(24 * 9)
	b.space.ExpireCursors()
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Retention = 24 * time.Hour })
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT kind, name, stream FROM _sync.audit"); len(got) != 1 || got[0] != "known|feed_gap|contact_activities" {
		t.Errorf("the audit says %v", got)
	}
	b.syncOnce(runner.Options{})
	if got := b.queryRows("SELECT count(*) FROM _sync.audit"); got[0] != "1" {
		t.Errorf("told %s times", got[0])
	}
}
