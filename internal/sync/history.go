package sync

import (
	"context"
	"fmt"

	"aqueduck/internal/sync/stream"
	"aqueduck/internal/term"
	"aqueduck/load"
)

// alignHistories makes the open states of the history tables equal to the records of the publish that follows (T177).
func alignHistories(ctx context.Context, r *stream.Run) error {
	for _, w := range r.Workspaces {
		if w.Lost != nil {
			continue
		}
		for _, s := range r.Runner.StoredStreams(w.Name) {
			if !s.History || s.Into != "" || s.IsExportFamily() {
				continue
			}
			current, err := r.Runner.CurrentRows(s)
			if err != nil {
				return err
			}
			err = r.Writer.Use(func(work *load.Work) error {
				_, err := work.Histories.AlignHistory(ctx, w.Name, current, w.Client.Now())
				return err
			})
			if err != nil {
				return fmt.Errorf("stream %s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// freezeHistories closes the open states of history tables that the configuration no longer asks for, and adds a note. The tables stay.
func freezeHistories(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	if w.Lost != nil {
		return nil
	}
	var ended map[string]int64
	err := r.Writer.Use(func(work *load.Work) (err error) {
		ended, err = work.Histories.FreezeHistories(ctx, w.Name, w.Client.Now())
		return err
	})
	if err != nil {
		return err
	}
	for name, states := range ended {
		r.AddNote(fmt.Sprintf("%s is no longer updated: %s ended with this run, and the table stays, in DuckDB and in Parquet", name, term.Count(int(states), "state")))
	}
	return nil
}
