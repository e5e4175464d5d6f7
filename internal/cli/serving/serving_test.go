package serving

import (
	"testing"

	"aqueduck/internal/runner"
)

// TestServeRetriesARunAfterAReloadDuringIt: the jobs that the reload built during the run did not include its retry yet.
func TestServeRetriesARunAfterAReloadDuringIt(t *testing.T) {
	t.Parallel()
	before, since := &runner.Runner{}, &runner.Runner{}
	s := &PipelineServer{runner: since, reloaded: make(chan struct{}, 1)}
	s.handOver(since)
	if len(s.reloaded) != 0 {
		t.Error("the jobs are made anew though nothing was reloaded")
	}
	s.handOver(before)
	s.handOver(before) // two at once are one
	if len(s.reloaded) != 1 {
		t.Error("the jobs are as they were")
	}
}
