package runlog

import (
	"cmp"
	"slices"

	"aqueduck/internal/term"
)

// Summary describes runs for other programs. Its form is version 1: fields may be added, and none disappears or changes its meaning.
type Summary struct {
	Version int          `json:"version"`
	Program string       `json:"program"`
	Exit    int          `json:"exit_code"` // the highest of the runs
	Runs    []*RunDetail `json:"runs"`
}

// toRunDetail converts a report to the form for other programs.
func (r *Report) toRunDetail(past PastRun, program string) *RunDetail {
	d := newRunDetail(past)
	d.Published, d.Version, d.Notes = r.HasShown(), program, r.Notes
	for _, s := range r.Streams {
		d.Streams = append(d.Streams, RunStream{Workspace: s.Workspace, Stream: s.Stream, Outcome: string(s.Status), Records: s.Extracted, New: s.New, Changed: s.Changed,
			Gone: s.Gone, Rejected: s.Rejected, NewRejected: s.NewRejected, Requests: s.Requests, Retries: s.Retries, Seconds: s.Time.Seconds(), Backfill: s.Backfill, SyncedTo: s.SyncedTo,
			Class: s.Class, Error: s.Error, Next: s.Next})
		for _, reject := range s.Rejects {
			d.Rejects = append(d.Rejects, RunReject{Stream: s.Stream, Column: reject.Column, Reason: reject.Reason, Count: reject.Count, Key: reject.Key})
		}
	}
	for _, f := range r.Findings {
		d.Findings = append(d.Findings, RunFinding{Kind: f.Kind, Name: f.Name, Table: f.Schema + term.WithNote(".", f.Table), Found: f.Found, Expected: f.Expected, Message: f.Message})
	}
	for _, c := range r.Changes {
		d.Changes = append(d.Changes, RunChange{Table: c.Schema + "." + c.Table, Column: c.Column, Change: c.What})
	}
	for _, drift := range r.Drift {
		d.Changes = append(d.Changes, drift.RunChange)
	}
	slices.SortStableFunc(d.Rejects, func(a, b RunReject) int { return cmp.Compare(b.Count, a.Count) })
	return d
}

// Add adds a run with its report. report is nil when the run did not take place.
func (s *Summary) Add(past PastRun, report *Report) {
	s.Exit = max(s.Exit, past.Exit)
	if report != nil {
		s.Runs = append(s.Runs, report.toRunDetail(past, s.Program))
		return
	}
	s.Runs = append(s.Runs, (&Report{}).toRunDetail(past, s.Program))
}
