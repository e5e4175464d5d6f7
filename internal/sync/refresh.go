package sync

import (
	"context"
	"fmt"

	"aqueduck/internal/sync/stream"
	"aqueduck/load"
)

// endRefreshes ends the full refreshes of the streams that were read to their end.
func endRefreshes(ctx context.Context, r *stream.Run) error {
	for _, t := range r.Tasks {
		if !t.State.Replace || !t.Done || !t.IsComplete() || t.BackfillPending() || t.IsWindowed() {
			continue
		}
		t.EndRefresh()
		end := t.Commit
		if t.Days != nil {
			end = t.Days.CommitProgress
		}
		if err := end(ctx); err != nil {
			return err
		}
		if stream.RefreshesTable(r, t.Workspace, t.Tables[0].Name) {
			continue
		}
		err := r.Writer.Use(func(work *load.Work) error { return work.Sweeps.BeginRefresh(ctx, t.Workspace.Name, t.Tables[0].Name) })
		if err != nil {
			return fmt.Errorf("stream %s: finish its full refresh: %w", t.Stream.Name, err)
		}
	}
	return nil
}
