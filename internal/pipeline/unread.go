package pipeline

import (
	"context"
	"fmt"
	"strings"
)

// noteSpent tells of streams that were read no further than was wanted, and of a run whose requests were used up: one that has fewer than
// a run without news needs reads nothing new for ever.
func noteSpent(r *run) {
	var cut, limited []string
	for _, t := range r.tasks {
		if t.result.Cut {
			cut = append(cut, r.progress.called(t))
		}
		if t.limited() {
			limited = append(limited, r.progress.called(t))
		}
	}
	if len(limited) > 0 {
		r.reported.Notes = append(r.reported.Notes, fmt.Sprintf("--limit %d: %s may have more; a run without it reads on", r.options.Limit, strings.Join(limited, ", ")))
	}
	most := firstSet(r.options.MaxRequests, r.pipeline.MaxRequests)
	if most == 0 || len(cut) == 0 {
		return
	}
	for _, w := range r.workspaces {
		if w.client.Requests() >= most {
			r.reported.Notes = append(r.reported.Notes, fmt.Sprintf(
				"the %d requests of this run were used up before it had read %s; runs that write no rows so need more of them", most, strings.Join(cut, ", ")))
		}
	}
}

// noteUnread notes the streams that an interruption, or an answer that refuses all, left no time for.
func noteUnread(ctx context.Context, r *run) {
	for _, t := range r.tasks {
		ended := ctx.Err() != nil || r.stopped.Load() || t.workspace.refused.Load()
		if ended && t.result.Status == StatusOK && !t.done {
			t.result.Status, t.result.Next = StatusInterrupted, r.again()
			if ctx.Err() == nil && t.workspace.refused.Load() {
				t.result.Next = r.rest()
			}
		}
	}
}

// apart corrects what is to be done where one workspace of several is not read: the others are, and their marks move.
func (r *run) apart(w *workspace, p *Problem) {
	if len(r.workspaces) < 2 {
		return
	}
	heal := "see that base_url of workspace " + w.name + " is the address of its region and can be reached"
	if p.Class == "auth" {
		heal = "give a token that is valid for workspace " + w.name + ", at the address of its region"
	}
	p.Next = heal + ", then: " + r.rest() + "; the other workspaces are read"
}

// rest is the command that reads what this run did not.
func (r *run) rest() string {
	if r.options.FullRefresh {
		return r.again() + " --full-refresh"
	}
	return r.again() + " --failed"
}

// again is the command that goes on where an interrupted run ended.
func (r *run) again() string { return r.runner.Given.To("aqueduck sync " + r.pipeline.Name) }
