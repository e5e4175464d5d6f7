package sync

import (
	"context"

	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
)

// findLostWarehouse adds a finding if runs published to this directory before, and nothing of that is left. Then this run starts anew. A run that is
// killed before it publishes leaves a work database that was made of no published file: the next run adds the finding again.
func findLostWarehouse(ctx context.Context, r *stream.Run) error {
	lost, err := runlog.LostPublished(r.Runner.Dir)
	if err != nil || !lost {
		return err
	}
	var published string
	err = r.Writer.Use(func(work *load.Work) (err error) {
		published, err = work.Facts.Meta(ctx, "published_at")
		return err
	})
	if err != nil || published != "" { // the work database has what the published files had
		return err
	}
	r.AddFinding(load.Finding{Schema: r.Workspaces[0].Name, Kind: "exact", Name: "warehouse_lost", Next: r.Runner.Given.Append(runlog.NextAfterLoss),
		Message: "runs published here before, and all published files and the work database are gone: this run started anew. " +
			"What the source no longer has is lost: histories, daily copies and deleted records"})
	return nil
}
