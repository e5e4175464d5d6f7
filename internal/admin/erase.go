package admin

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load/erase"
	"aqueduck/load/failure"
)

// Erased is what an erasure does, or would do, in one workspace.
type Erased struct {
	Workspace string
	IDs       []string // the contact's id, and the ids that were merged into it
	erase.Certificate
}

// Erase erases a contact, under all ids that were merged into it, in every workspace that knows it. confirm sees first what that touches. Erase
// returns the certificates; none when confirm refused.
func Erase(ctx context.Context, r *runner.Runner, id string, confirm func([]Erased) (bool, error)) (done []Erased, err error) {
	if _, work := os.Stat(r.Dir.Database()); work != nil {
		if gone, err := runlog.LostPublished(r.Dir); err != nil || gone { // an empty directory has no answer about a person
			return nil, cmp.Or(err, runlog.ExplainUnreadable(r.Dir, failure.ErrNothingPublished))
		}
	}
	err = sync.WithWarehouse(ctx, r, func(w *warehouse.Writer, workspaces []*stream.Workspace) error {
		var found []Erased
		for _, each := range workspaces {
			e, err := countTouched(ctx, r, w, each.Name, id)
			if err != nil {
				return err
			}
			if e != nil {
				found = append(found, *e)
			}
		}
		if len(found) == 0 {
			return &problem.Problem{Class: "usage", What: fmt.Sprintf("no stored row names contact %q", id),
				Next: "give an id from contacts_all.id"}
		}
		if yes, err := confirm(found); err != nil || !yes {
			return err
		}
		for _, e := range found {
			c, err := w.Work.Erasures.Erase(ctx, e.Workspace, erase.ErasedByCommand, e.IDs)
			if err != nil {
				return explainUnfinished(r, err)
			}
			done = append(done, Erased{e.Workspace, e.IDs, c})
		}
		result, err := w.PublishCommand(ctx, "erase", false)
		sync.WarnRemoved(r, result)
		return explainUnfinished(r, err)
	})
	return done, err
}

// explainUnfinished adds to the error of an erasure that it is recorded, if it is: a later run finishes it, and nothing undoes it.
func explainUnfinished(r *runner.Runner, err error) error {
	if err == nil || !r.Dir.Erasing() {
		return err
	}
	p := *problem.AsProblem(err)
	p.What = "the erasure is recorded and cannot be undone, but files still have the erased data: " + p.What
	p.Next += "; the next run finishes the erasure, too"
	return &p
}

// countTouched counts what a workspace has about a contact; nil when it has nothing.
func countTouched(ctx context.Context, r *runner.Runner, w *warehouse.Writer, workspace, id string) (*Erased, error) {
	streams := r.StoredStreams(workspace)
	ids, err := sync.AddMerged(ctx, w.Work, workspace, streams, []string{id})
	if err != nil {
		return nil, err
	}
	if there, err := w.Work.Erasures.IsMentioned(ctx, workspace, ids); err != nil || !there {
		return nil, err
	}
	from, into, err := sync.ReadMerges(ctx, w.Work, workspace, streams)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(from, id); i >= 0 && !slices.Contains(ids, into[i]) {
		return nil, &problem.Problem{Class: "usage", What: fmt.Sprintf("contact %s was merged into %s", id, into[i]),
			Next: "aqueduck erase " + into[i] + ", which erases both"}
	}
	c, err := w.Work.Erasures.Preview(ctx, workspace, ids)
	return &Erased{workspace, ids, c}, err
}
