package pipeline_test

import (
	"io"
	"net/http"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/pipeline"
)

// TestFailedReadsAllOfARunThatWasNone: where the API was away, or nothing could be published, no stream is known to have failed.
func TestFailedReadsAllOfARunThatWasNone(t *testing.T) {
	t.Parallel()
	serial(t)
	b := newBed(t, tiny(76))
	run := func(o pipeline.Options) (*pipeline.Report, error) {
		return pipeline.Run(t.Context(), b.runner, b.runner.Config.Pipelines[0], o, io.Discard)
	}
	if _, err := run(pipeline.Options{}); err != nil {
		t.Fatal(err)
	}
	b.space.Live(24)
	b.front = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	if _, err := run(pipeline.Options{}); pipeline.AsProblem(err).Class != "transient" {
		t.Fatalf("while the API is away: %v", err)
	}
	b.front = b.space
	if report, err := run(pipeline.Options{Failed: true}); err != nil || report.Exit() != pipeline.ExitOK || len(report.Streams) != 4 {
		t.Fatalf("it is back: %+v %v", report, err)
	}
	b.equalsOracle()
	b.space.SetKnobs(func(k *emulator.Knobs) { k.Mutate = untagged })
	if report, err := run(pipeline.Options{FullRefresh: true}); err != nil || report.Held == nil {
		t.Fatalf("a large loss: %+v %v", report, err)
	}
	if report, err := run(pipeline.Options{Failed: true, AcceptDrop: []string{"contact_tags_raw"}}); err != nil || !report.Published || len(report.Streams) != 4 {
		t.Errorf("the publish that was held back: %+v %v", report, err)
	}
}
