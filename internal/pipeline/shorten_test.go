package pipeline_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// TestS58ErrorsAreAtMostTwoKilobytes in the report, in the tables, in the notes of runs and in the output for programs.
func TestS58ErrorsAreAtMostTwoKilobytes(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(88))
	b.syncOnce(runner.Options{})
	long := strings.Repeat("x", 500_000)
	b.answerWith("contacts.deleted", func([]byte) []byte {
		return []byte(`{"type":"list","data":"` + long + `","pages":{"next":"` + long + `"}}`)
	})
	newLife(b, 88).applyEvents(20) // a run without a changed row publishes no records
	b.space.Advance(time.Hour)
	report := b.trySync(runner.Options{})
	failed := streamResult(t, report, "deleted_contacts")
	if failed.Status != runlog.StatusFailed || len(failed.Error) > 2048 {
		t.Errorf("%s: an error of %d bytes", failed.Status, len(failed.Error))
	}
	var out bytes.Buffer
	render.PrintReport(report, &out)
	for line := range strings.Lines(out.String()) {
		if len(line) > 2200 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if got := b.queryRows("SELECT max(length(error)) < 2048 FROM _sync.stream_runs"); got[0] != "true" {
		t.Errorf("the tables have a longer one: %v", got)
	}
	if p := (&problem.Problem{Class: "data", What: long, Err: fmt.Errorf("%s", long)}); len(p.Error()) > 2048 || len(p.Text()) > 2200 {
		t.Errorf("a problem of %d bytes", len(p.Error()))
	}
}
