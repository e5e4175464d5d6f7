package pipeline_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/lane"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
)

// TestFailedOptionReadsAllAfterAFailedRun: when the API did not answer or nothing could be published, no single stream is known to have failed.
func TestFailedOptionReadsAllAfterAFailedRun(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	skipInRaceRun(t)
	b := newBed(t, tinyConfig(76))
	run := func(o runner.Options) (*runlog.Report, error) {
		return sync.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], o, io.Discard)
	}
	if _, err := run(runner.Options{}); err != nil {
		t.Fatal(err)
	}
	b.space.SimulateHours(24)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	if _, err := run(runner.Options{}); problem.AsProblem(err).Class != "transient" {
		t.Fatalf("while the API is away: %v", err)
	}
	b.front = b.space
	if report, err := run(runner.Options{Failed: true}); err != nil || report.Exit() != problem.ExitOK || len(report.Streams) != 4 {
		t.Fatalf("it is back: %+v %v", report, err)
	}
	b.equalsOracle()
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = dropTags })
	if report, err := run(runner.Options{FullRefresh: true}); err != nil || report.Held == nil {
		t.Fatalf("a large loss: %+v %v", report, err)
	}
	if report, err := run(runner.Options{Failed: true, AcceptDrop: []string{"contact_tags_raw"}}); err != nil || !report.HasShown() || len(report.Streams) != 4 {
		t.Errorf("the publish that was held back: %+v %v", report, err)
	}
}

// TestAReadOfASpanDoesNotHideAFailure: it moves no watermark, so the stream that failed before still has to be read.
func TestAReadOfASpanDoesNotHideAFailure(t *testing.T) {
	t.Parallel()
	skipInRaceRun(t)
	b := newBedWith(t, emulator.Config{Seed: 77, Contacts: 20, Inactive: 4, Activities: 10, Tickets: 10}, strings.Replace(nightly, "deleted_contacts, contact_activities", "tickets", 1))
	run := func(o runner.Options) *runlog.Report {
		t.Helper()
		report, err := sync.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], o, io.Discard)
		b.failOn(err)
		return report
	}
	run(runner.Options{})
	b.space.SimulateHours(24)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/tickets/search" {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		b.space.ServeHTTP(w, r)
	})
	if report := run(runner.Options{}); report.Exit() != problem.ExitFailed || streamResult(t, report, "tickets").Status != runlog.StatusFailed {
		t.Fatalf("the API is partly away: %+v", report.Streams)
	}
	b.front = b.space
	b.space.SimulateHours(1)
	if report := run(runner.Options{Select: []string{"tickets"}, Since: b.space.CurrentTime().Add(-2 * time.Hour)}); report.Exit() != problem.ExitOK {
		t.Fatalf("the span: %+v", report.Streams)
	}
	b.space.SimulateHours(1)
	if report := run(runner.Options{Failed: true}); len(report.Streams) != 1 || report.Streams[0].Stream != "tickets" {
		t.Errorf("what failed: %+v", report.Streams)
	}
}
