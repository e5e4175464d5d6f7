package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/plan"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

func TestLastLineIsStable(t *testing.T) {
	t.Parallel()
	r := &runlog.Report{Pipeline: "nightly", RunID: "01K9", Requests: 312, Published: true, Time: 11200 * time.Millisecond,
		Streams: []runlog.StreamResult{
			{Stream: "a", Status: runlog.StatusOK, Extracted: 18000, Rows: 18000, Backfill: 1, Requests: 300},
			{Stream: "b", Status: runlog.StatusOK, Rows: 904, Rejected: 3, Backfill: 0.37, Requests: 12},
		}}
	const first = "OK nightly ok=2 unavailable=0 failed=0 rows=18904 rejected=3 new_rejected=0 requests=312 backfill=37% published=yes time=11.2s run=01K9"
	if got := r.LastLine(); got != first {
		t.Errorf("got\n%s\nwant\n%s", got, first)
	}
	r.Left, r.Time, r.Published = 7*time.Hour+10*time.Minute, 4*time.Minute+10*time.Second, false
	r.Streams[0].Status = runlog.StatusUnavailable
	r.Streams[1].Status, r.Streams[1].Class = runlog.StatusFailed, "transient"
	const second = "FAILED nightly ok=0 unavailable=1 failed=1 rows=18904 rejected=3 new_rejected=0 requests=312 backfill=37% left=7h10m published=no time=4m10s run=01K9"
	if got := r.LastLine(); got != second {
		t.Errorf("got\n%s\nwant\n%s", got, second)
	}
	r.Streams = append(r.Streams, runlog.StreamResult{Stream: "c", Status: runlog.StatusCut, Backfill: 1, Requests: 7})
	if got, want := r.LastLine(), strings.Replace(second, "failed=1 ", "failed=1 cut=1 ", 1); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	r.Streams = r.Streams[:2]
	var out bytes.Buffer
	render.PrintReport(r, &out)
	if text := out.String(); !strings.HasSuffix(text, "\n"+second+"\n") || !strings.Contains(text, "18,000") {
		t.Errorf("the table of the run:\n%s", text)
	}
}

func TestExitCodeComesFromTheWorstStream(t *testing.T) {
	t.Parallel()
	of := func(status runlog.Outcome, class string) runlog.StreamResult {
		return runlog.StreamResult{Status: status, Class: class, Requests: 1}
	}
	ok := of(runlog.StatusOK, "")
	for _, test := range []struct {
		name    string
		streams []runlog.StreamResult
		want    int
	}{
		{"all well", []runlog.StreamResult{ok, ok}, problem.ExitOK},
		{"nothing to do", nil, problem.ExitOK},
		{"one unavailable", []runlog.StreamResult{ok, of(runlog.StatusUnavailable, "plan")}, problem.ExitOK},
		{"one lost", []runlog.StreamResult{ok, {Status: runlog.StatusUnavailable, Class: "plan", Requests: 1, Lost: true}}, problem.ExitFailed},
		{"all unavailable", []runlog.StreamResult{of(runlog.StatusUnavailable, "plan"), of(runlog.StatusUnavailable, "scope")}, problem.ExitRefused},
		{"one failed", []runlog.StreamResult{ok, of(runlog.StatusFailed, "data"), of(runlog.StatusUnavailable, "plan")}, problem.ExitFailed},
		{"token refused", []runlog.StreamResult{of(runlog.StatusInterrupted, ""), of(runlog.StatusFailed, "auth")}, problem.ExitRefused},
		{"interrupted", []runlog.StreamResult{of(runlog.StatusFailed, "data"), of(runlog.StatusInterrupted, "")}, problem.ExitInterrupted},
	} {
		r := &runlog.Report{Streams: test.streams, Interrupted: test.want == problem.ExitInterrupted}
		if got := r.Exit(); got != test.want {
			t.Errorf("%s: exit %d, want %d", test.name, got, test.want)
		}
	}
}

// TestPlanDescribesTheRun: offline before the first run, then with one request for each stream that was never read, and after a run without any.
func TestPlanDescribesTheRun(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(121))
	planned := func(asking plan.Asking) *plan.Plan {
		t.Helper()
		p, err := plan.Make(context.Background(), b.runner, b.runner.Config.Pipelines, runner.Options{}, asking)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := planned(plan.AskNone)
	if b.space.RequestCount() != 0 || len(p.Streams) != 4 || len(p.Tables) < 8 || len(p.Columns) != 0 {
		t.Errorf("%d requests; %+v", b.space.RequestCount(), p)
	}
	p = planned(plan.AskUnread)
	if b.space.RequestCount() != 3 {
		t.Errorf("asked %d times, want once for each of three lists", b.space.RequestCount())
	}
	for _, s := range p.Streams {
		if want := map[string]int64{"contacts": 120, "deleted_contacts": 40, "contact_activities": -1, "contacts_by_id": -1}[s.Stream]; s.Records != want {
			t.Errorf("%s: %d records, want %d", s.Stream, s.Records, want)
		}
	}
	b.syncOnce(runner.Options{})
	sent := b.space.RequestCount()
	p = planned(plan.AskUnread)
	if n := b.space.RequestCount() - sent; n != 0 {
		t.Errorf("after a run the plan asked %d times", n)
	}
	if len(p.Tables) != 0 || p.Requests < 3 || !strings.HasPrefix(p.Streams[1].Read, "the feed from the stored cursor") && !strings.Contains(readOf(p, "contacts"), "changes since 2024-06-1") {
		t.Errorf("after a run: %+v", p)
	}
	var out bytes.Buffer
	render.PrintPlan(p, &out)
	if last := regexp.MustCompile(`\nPlan: 0 tables to create, 0 columns to add, 4 streams to read \(.*\)\n$`); !last.MatchString(out.String()) {
		t.Errorf("printed\n%s", out.String())
	}
}

func readOf(p *plan.Plan, stream string) string {
	for _, s := range p.Streams {
		if s.Stream == stream {
			return s.Read
		}
	}
	return ""
}

// TestStatusShowsTheRunUnderWay reads run.json and the published file during a run and after it.
func TestStatusShowsTheRunUnderWay(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(122))
	status := func() *runlog.Status {
		s, err := runlog.ReadStatus(context.Background(), b.runner.Dir, b.runner.Config, b.runner.Catalogue, time.Now())
		if err != nil {
			t.Error(err)
			return &runlog.Status{}
		}
		return s
	}
	if s := status(); s.Running != nil || s.Lost != nil || len(s.Runs) != 0 {
		t.Errorf("before the first run: %+v", s)
	}
	var seen atomic.Int64
	b.space.RunBetween(func(int) {
		if s := status(); s.Running != nil && s.Running.Pipeline == "nightly" && s.Running.Run != "" {
			seen.Add(1)
		}
	})
	b.syncOnce(runner.Options{})
	b.space.RunBetween(nil)
	if int(seen.Load()) != b.space.RequestCount() {
		t.Errorf("%d of %d requests were made while a run was told of", seen.Load(), b.space.RequestCount())
	}
	s := status()
	if s.Running != nil || s.Lost != nil || len(s.Runs) != 1 || s.Runs[0].Outcome != "OK" || len(s.Streams) != 3 || len(s.Next) != 1 {
		t.Errorf("after it: %+v", s)
	}
	var out bytes.Buffer
	render.PrintStatus(s, &out)
	if !strings.Contains(out.String(), "next      nightly at") {
		t.Errorf("printed\n%s", out.String())
	}
	// Its trace is kept, with all its requests, and with spans within the run.
	trace, err := runlog.ReadTrace(b.runner.Dir, s.Runs[0].Run)
	if err != nil || trace == nil || trace.Ended.Before(s.Runs[0].Finished) || len(trace.Publishing) == 0 || len(trace.Steps) < 8 {
		t.Fatalf("%+v, %v", trace, err)
	}
	var requests int64
	kinds := map[string]bool{}
	for _, one := range trace.Streams {
		requests += one.Requests
		for _, span := range one.Spans {
			kinds[span.What] = true
			if span.From.Before(trace.Started) || span.To.After(trace.Ended) || span.To.Before(span.From) {
				t.Errorf("%s: %+v is not within %s to %s", one.Stream, span, trace.Started, trace.Ended)
			}
		}
	}
	if looks := s.Runs[0].Requests - requests; looks < 0 || looks > 3 || !kinds["reading"] || !kinds["committing"] {
		t.Errorf("%d of %d requests, %v", requests, s.Runs[0].Requests, kinds)
	}
}

// TestCheckpointsMoveBackOnly: a rewind reads again from a time on, a reset reads everything again; neither deletes a row.
func TestCheckpointsMoveBackOnly(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	b := newBed(t, tinyConfig(123))
	b.syncOnce(runner.Options{})
	ctx := context.Background()
	yes := func(m []admin.Move) (bool, error) { return len(m) == 1 && m[0].Before != m[0].After, nil }
	back := b.space.CurrentTime().Add(-30 * 24 * time.Hour)
	if err := admin.Rewind(ctx, b.runner, "", "contacts", back, yes); err != nil {
		t.Fatal(err)
	}
	states, err := runlog.ReadStates(ctx, b.runner.Dir, []string{"contacts"})
	if err != nil || len(states) != 1 || !states[0].SyncedTo.Equal(back.Truncate(time.Second)) {
		t.Fatalf("%v %+v", err, states)
	}
	report := b.syncOnce(runner.Options{Select: []string{"contacts"}})
	if s := streamResult(t, report, "contacts"); s.Extracted == 0 || s.Rows != 0 {
		t.Errorf("after rewinding: %+v", s)
	}
	for _, stream := range []string{"contacts", "deleted_contacts", "contact_activities"} {
		if err := admin.Reset(ctx, b.runner, "", stream, yes); err != nil {
			t.Fatal(err)
		}
	}
	b.equalsOracle()
	if report = b.syncOnce(runner.Options{}); report.TotalRows() != 0 || streamResult(t, report, "contacts").Extracted < 120 {
		t.Errorf("after resetting: %s", report.LastLine())
	}
	b.equalsOracle()

	no := func([]admin.Move) (bool, error) { return false, nil }
	file := b.runner.Dir.Current()
	if err := admin.Reset(ctx, b.runner, "", "contacts", no); err != nil || b.runner.Dir.Current() != file {
		t.Errorf("a refused change: %v, published %s after %s", err, b.runner.Dir.Current(), file)
	}
	for name, err := range map[string]error{
		"forward":      admin.Rewind(ctx, b.runner, "", "contacts", b.space.CurrentTime().Add(time.Hour), yes),
		"before 1970":  admin.Rewind(ctx, b.runner, "", "contacts", time.Date(1960, 1, 1, 0, 0, 0, 0, time.UTC), yes),
		"no mark":      admin.Rewind(ctx, b.runner, "", "deleted_contacts", back, yes),
		"no such":      admin.Reset(ctx, b.runner, "", "contcats", yes),
		"never a time": admin.Rewind(ctx, b.runner, "", "contacts_by_id", back, yes),
	} {
		if problem.AsProblem(err).ExitCode() != problem.ExitUsage {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestT131ClockSkewIsReported: watermarks follow the workspace's clock, and the note asks to look at the machine's.
func TestT131ClockSkewIsReported(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(124))
	if report := b.syncOnce(runner.Options{}); len(report.Notes) != 0 {
		t.Errorf("with the same clock: %v", report.Notes)
	}
	b.space.SetKnobs(func(k *emulator.Knobs) { k.DateOffset = -20 * time.Hour })
	report := b.syncOnce(runner.Options{})
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "20h ahead of that of main") {
		t.Errorf("nearly a day apart: %q", report.Notes)
	}
	newLife(b, 124).applyEvents(10)
	b.space.SetKnobs(func(k *emulator.Knobs) { k.DateOffset = 20 * time.Hour })
	b.syncOnce(runner.Options{})
	b.space.SetKnobs(func(k *emulator.Knobs) { k.DateOffset = 0 })
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{})
	b.equalsOracle()
}

// TestRejectFilesAreKeptForAWeek removes older texts of dead letters.
// Holds: S22, S39.
func TestRejectFilesAreKeptForAWeek(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(125))
	b.syncOnce(runner.Options{})
	kept := map[string]time.Duration{"old.jsonl": -8 * 24 * time.Hour, "recent.jsonl": -6 * 24 * time.Hour}
	for name, age := range kept {
		path := filepath.Join(b.runner.Dir.RejectDir(), name)
		at := b.space.CurrentTime().Add(age)
		if err := errors.Join(os.WriteFile(path, []byte("{}\n"), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	b.syncOnce(runner.Options{})
	files, err := os.ReadDir(b.runner.Dir.RejectDir())
	if err != nil || len(files) != 1 || files[0].Name() != "recent.jsonl" {
		t.Errorf("kept %v, %v", files, err)
	}
}
