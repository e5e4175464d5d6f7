package stream

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load"
)

// AddFinding adds a finding to the audit of the run. A finding with Once set is added once for its stream.
func (r *Run) AddFinding(f load.Finding) {
	f.Message = problem.Shorten(f.Message)
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	same := func(known load.Finding) bool {
		return f.Once && known.Schema == f.Schema && known.Stream == f.Stream && known.Name == f.Name
	}
	if !slices.ContainsFunc(r.Findings, same) {
		r.Findings = append(r.Findings, f)
	}
}

// warehouseDate returns the date of a time in the warehouse's time zone, as midnight UTC so that dates can be compared.
func (r *Run) warehouseDate(at time.Time) time.Time {
	zone, err := time.LoadLocation(r.Config.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the configuration was checked
	}
	return dateOf(at.In(zone))
}

// dateOf returns the date that a time shows, as midnight UTC.
func dateOf(t time.Time) time.Time {
	y, m, day := t.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
}

// RejectFile is the file with the text of the records of a stream that the run rejects.
func (r *Run) RejectFile(workspace, stream string) string {
	return filepath.Join(r.Runner.Dir.RejectDir(), r.ID+"."+workspace+"."+stream+".jsonl")
}

// AddNote adds a line to the notes in the report of the run.
func (r *Run) AddNote(text string) {
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	r.Reported.Notes = append(r.Reported.Notes, text)
}

// AddChanges adds the changes to tables that were made while the run was reading.
func (r *Run) AddChanges(changes []load.Change) {
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	r.Reported.Changes = append(r.Reported.Changes, changes...)
}

// PublishIfDue publishes in the middle of a long run, when publish.every or publish.first has passed. Streams call it after each commit.
func (r *Run) PublishIfDue(ctx context.Context) error {
	if ctx.Err() != nil || !isPublishDue(r) {
		return nil
	}
	r.publishMu.Lock()
	defer r.publishMu.Unlock()
	if !isPublishDue(r) { // another stream has just done it
		return nil
	}
	return r.Publish(ctx)
}

// isPublishDue reports whether publish.every has passed since the last publish, or whether the first publish is due.
func isPublishDue(r *Run) bool {
	return !r.PublishHeld.Load() && (r.Writer.IsPublishDue(r.Config.Warehouse.Publish.Every) || isFirstDue(r))
}

// shortRest is how much longer readers wait for the newest data when the history will be complete by then: a publish costs as much as reading
// ten thousand records.
const shortRest = time.Minute

// isFirstDue reports whether publish.first has passed in a run whose forward pass is done, so that readers of a long first sync see recent data
// before the history is complete. It does not trust an estimate of a short rest for longer than twice that time.
func isFirstDue(r *Run) bool {
	first, passed := r.Config.Warehouse.Publish.First, r.Now().Sub(r.Started)
	if !r.Newest || r.Writer.HasPublished() || passed < first {
		return false
	}
	return first == 0 || passed > first+2*shortRest || !r.Progress.EndsWithin(shortRest)
}

// ShouldStop reports whether the run sends no more requests: its time is over, or a stream failed in a run with --fail-fast.
func (r *Run) ShouldStop() bool {
	return r.Stopped.Load() || !r.Deadline.IsZero() && !r.Now().Before(r.Deadline)
}

// adviseOneWorkspace replaces the next step where one of several workspaces is not read: the others are read, and their watermarks move.
func (r *Run) adviseOneWorkspace(w *Workspace, p *problem.Problem) {
	if len(r.Workspaces) < 2 {
		return
	}
	heal := "check that base_url of workspace " + w.Name + " is the address of its region and can be reached"
	if p.Class == "auth" {
		heal = "set a token that is valid for workspace " + w.Name + ", and the address of its region"
	}
	p.Next = heal + ", then: " + r.RemainingCommand() + "; the other workspaces are read"
}

// RemainingCommand is the command that reads what this run has not read.
func (r *Run) RemainingCommand() string {
	if r.Options.FullRefresh {
		return r.ResumeCommand() + " --full-refresh"
	}
	return r.ResumeCommand() + " --failed"
}

// ResumeCommand is the command that continues after an interruption.
func (r *Run) ResumeCommand() string {
	return r.Runner.Given.Append("aqueduck sync " + r.Pipeline.Name)
}
