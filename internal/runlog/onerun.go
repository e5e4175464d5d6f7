package runlog

import (
	"context"
	"errors"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// RunAccount is one run and how it spent its time. The run has ended or is under way.
type RunAccount struct {
	*RunDetail
	Trace   *Trace   `json:"trace"`   // nil: no trace is kept
	Running *Running `json:"running"` // nil: the run has ended
}

// Time is how long the run took, or has taken so far.
func (r *RunAccount) Time() time.Duration {
	if r.Finished.IsZero() {
		return 0
	}
	return r.Finished.Sub(r.Started)
}

// ClassOf is the class of a stream's error; "" when there was none, or none is known.
func (r *RunAccount) ClassOf(s RunStream) string {
	if r.Trace == nil {
		return ""
	}
	return r.Trace.errorClasses()[s.Workspace+"."+s.Stream]
}

// ReadRun returns a run by its whole id or its short one; nil when there is none, or when several have the short id.
func ReadRun(ctx context.Context, dir layout.Dir, id string) (*RunAccount, error) {
	id, err := wholeRun(ctx, dir, id)
	if err != nil || id == "" {
		return nil, err
	}
	trace, err := ReadTrace(dir, id)
	if err != nil {
		return nil, err
	}
	running, err := ReadRunning(dir)
	if err != nil {
		return nil, err
	}
	if running != nil && running.Run == id {
		return &RunAccount{RunDetail: underWay(running), Trace: trace, Running: running}, nil
	}
	detail, err := FindRun(ctx, dir, id)
	var unknown *problem.Problem
	switch {
	case err == nil:
		return &RunAccount{RunDetail: detail, Trace: trace}, nil
	case !errors.As(err, &unknown):
		return nil, err
	case trace == nil:
		return nil, nil
	}
	// A crashed run: no process has noted its end yet.
	past := PastRun{Run: id, Pipeline: trace.Pipeline, Started: trace.Started, Finished: trace.Ended, Outcome: Killed}
	for _, t := range trace.Streams {
		past.Requests += t.Requests
	}
	return &RunAccount{RunDetail: newRunDetail(past), Trace: trace}, nil
}

// wholeRun returns the id of the run that a whole or short id names; "" when no run, or more than one, has it.
func wholeRun(ctx context.Context, dir layout.Dir, id string) (string, error) {
	if runID.MatchString(id) {
		return id, nil
	}
	if !shortRunID.MatchString(id) {
		return "", nil
	}
	running, err := ReadRunning(dir)
	if err != nil {
		return "", err
	}
	if running != nil && ShortRun(running.Run) == id {
		return running.Run, nil
	}
	detail, err := FindRun(ctx, dir, id)
	var unknown *problem.Problem
	switch {
	case errors.As(err, &unknown):
		return "", nil
	case err != nil || ShortRun(detail.Run) != id:
		return "", err
	}
	return detail.Run, nil
}

// underWay describes a run under way as far as ended runs are described.
func underWay(r *Running) *RunDetail {
	return newRunDetail(PastRun{Run: r.Run, Pipeline: r.Pipeline, Started: r.Started, Finished: r.At, Outcome: "RUNNING", Rows: r.Rows, Requests: r.Requests,
		Backfill: r.Percent / 100, CaughtUp: r.CaughtUp})
}

// newRunDetail returns the description of a run of which only the note is known.
func newRunDetail(past PastRun) *RunDetail {
	return &RunDetail{PastRun: past, Streams: []RunStream{}, Findings: []RunFinding{}, Changes: []RunChange{}, Rejects: []RunReject{}, Publishes: []RunPublished{}}
}

// ReadRunning returns the contents of run.json; nil when no run is under way.
func ReadRunning(dir layout.Dir) (*Running, error) {
	running, _, err := readRunFile(dir)
	return running, err
}
