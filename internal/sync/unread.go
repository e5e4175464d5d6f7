package sync

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/schemas"
)

// noteLimits adds notes about a --since in the future, about streams that --limit cut short, and about a run that used up max_requests. A limit below what a run without changes
// needs would never let it read anything new.
func noteLimits(r *stream.Run) {
	if since := r.Options.Since; since.After(r.Started) {
		r.AddNote("--since " + since.UTC().Format(time.RFC3339) + " is in the future: no record can have changed since")
	}
	var cut, limited []string
	for _, t := range r.Tasks {
		if t.Result.Cut {
			cut = append(cut, r.Progress.NameOf(t))
		}
		if t.IsLimited() {
			limited = append(limited, r.Progress.NameOf(t))
		}
	}
	if len(limited) > 0 {
		r.Reported.Notes = append(r.Reported.Notes, fmt.Sprintf("--limit %d: %s may have more; a run without it reads on", r.Options.Limit, strings.Join(limited, ", ")))
	}
	most := cmp.Or(r.Options.MaxRequests, r.Pipeline.MaxRequests)
	if most == 0 || len(cut) == 0 {
		return
	}
	for _, w := range r.Workspaces {
		if w.Client.Requests() >= most {
			r.Reported.Notes = append(r.Reported.Notes, fmt.Sprintf(
				"the request budget of this run (%d) was used up before %s was read; if such runs write no rows, raise the budget", most, strings.Join(cut, ", ")))
		}
	}
}

// noteOrphanStreams adds a note for each child stream of which no run has read a parent stream: it reads nothing, as if the source had nothing.
func noteOrphanStreams(ctx context.Context, r *stream.Run) error {
	for _, w := range r.Workspaces {
		var states map[string]string
		err := r.Writer.Use(func(work *load.Work) (err error) {
			states, err = work.Facts.States(ctx, w.Name)
			return err
		})
		if err != nil {
			return err
		}
		for _, t := range r.Tasks {
			over := t.Stream.Read.Over
			if t.Workspace != w || !t.Stream.Read.UsesPendingIDs() || t.Result.Status != runlog.StatusOK {
				continue
			}
			wasRead := func(s *schemas.Stream) bool {
				_, read := states[s.Name]
				return read && s != t.Stream && (slices.Contains(over.Streams, s.Name) || slices.Contains(over.Streams, s.Owner()))
			}
			if isRead := func(o *stream.Task) bool {
				return o.Workspace == w && slices.Contains(over.Streams, o.Stream.Owner()) && o != t
			}; slices.ContainsFunc(r.Tasks, isRead) {
				continue // its own result says how far it was read
			}
			if !slices.ContainsFunc(r.Runner.Catalogue.Streams(), wasRead) {
				parents := slices.DeleteFunc(slices.Clone(over.Streams), func(name string) bool { return name == t.Stream.Name })
				r.AddNote(fmt.Sprintf("%s has no rows to read lists for: no run has read %s; name it in a pipeline", r.Progress.NameOf(t), strings.Join(parents, " or ")))
			}
		}
	}
	return nil
}

// noteUnread sets the status of the streams that were not reached, because the run was interrupted or the workspace refused the token.
func noteUnread(ctx context.Context, r *stream.Run) {
	for _, t := range r.Tasks {
		ended := ctx.Err() != nil || r.Stopped.Load() || t.Workspace.Refused.Load()
		if ended && t.Result.Status == runlog.StatusOK && !t.Done {
			t.Result.Status, t.Result.Next = runlog.StatusInterrupted, r.ResumeCommand()
			if ctx.Err() == nil && t.Workspace.Refused.Load() {
				t.Result.Next = r.RemainingCommand()
			}
		}
	}
}
