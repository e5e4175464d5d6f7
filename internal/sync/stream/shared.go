package stream

import (
	"context"
	"slices"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/load"
)

// AddFinding takes in something that the reader of the audit should know.
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

// warehouseDate is the date in the warehouse's timezone, as a time that can be compared.
func (r *Run) warehouseDate() time.Time {
	zone, err := time.LoadLocation(r.Config.Warehouse.Timezone)
	if err != nil {
		zone = time.UTC // the configuration was checked
	}
	return dateOf(r.Now().In(zone))
}

// dateOf is the date that a time shows, as a time that can be compared.
func dateOf(t time.Time) time.Time {
	y, m, day := t.Date()
	return time.Date(y, m, day, 0, 0, 0, 0, time.UTC)
}

// AddNote adds a line to what the report of the run says.
func (r *Run) AddNote(text string) {
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	r.Reported.Notes = append(r.Reported.Notes, text)
}

// AddChanges notes what a run did to the tables while it was reading.
func (r *Run) AddChanges(changes []load.Change) {
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	r.Reported.Changes = append(r.Reported.Changes, changes...)
}

// PublishIfDue publishes in the middle of a long run.
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

// isPublishDue says that readers have waited long enough: publish.every, or, for whoever opens the file during a long first sync to
// see yesterday before last year, publish.first.
func isPublishDue(r *Run) bool {
	p := r.Config.Warehouse.Publish
	return !r.Held.Load() && (r.Writer.IsPublishDue(p.Every) || r.Newest && !r.Writer.HasPublished() && r.Now().Sub(r.Started) >= p.First)
}

// ShouldStop says that the run asks for no more: its time is spent, or a stream failed and that was to end it.
func (r *Run) ShouldStop() bool {
	return r.Stopped.Load() || !r.Deadline.IsZero() && !r.Now().Before(r.Deadline)
}

// adviseOneWorkspace corrects what is to be done where one workspace of several is not read: the others are, and their marks move.
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

// RemainingCommand is the command that reads what this run did not.
func (r *Run) RemainingCommand() string {
	if r.Options.FullRefresh {
		return r.ResumeCommand() + " --full-refresh"
	}
	return r.ResumeCommand() + " --failed"
}

// ResumeCommand is the command that goes on where an interrupted run ended.
func (r *Run) ResumeCommand() string {
	return r.Runner.Given.Append("aqueduck sync " + r.Pipeline.Name)
}
