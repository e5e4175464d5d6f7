package sync

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/stream"
)

// noteLimits adds notes about streams that --limit cut short, and about a run that used up max_requests. A limit below what a run without changes
// needs would never let it read anything new.
func noteLimits(r *stream.Run) {
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
