package stream

import (
	"context"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// sweptList is what a sweep knows of the list that it reads.
type sweptList struct {
	commits     int    // of this sweep; a sweep that an earlier run began counts one more
	fingerprint string // of the whole list; "": it came in several batches, or is not to be compared
	reached     int64  // where its end moves the watermark, in unix seconds
	written     int64  // rows that the commits wrote or deleted
	unchanged   bool   // list and tables are as they were when a sweep changed nothing: there is nothing to commit
}

// fingerprintList compares the batch of a sweep with what an earlier one noted, if the batch has all of the list. Merging the same
// list into the same rows changes nothing, as it did then.
func fingerprintList(ctx context.Context, t *Task, batches []transform.Batch) error {
	sweep := t.State.Sweep
	if sweep == nil {
		return nil
	}
	t.swept.commits++
	whole := t.swept.commits == 1 && sweep.Number == 1 && t.State.Window == nil && sweep.MissingRows == 0 && !sweep.Capped && sweep.Refused == ""
	if !whole || t.IsWindowed() || t.Stream.Snapshot || len(t.doubts.reasons) > 0 {
		t.swept.fingerprint = ""
		return nil
	}
	t.swept.fingerprint = transform.ContentFingerprint(batches)
	noted := t.State.Unchanged
	if noted == nil || t.swept.fingerprint == "" || noted.List != t.swept.fingerprint {
		return nil
	}
	now, err := t.tablesState(ctx)
	t.swept.unchanged = now == noted.Tables
	return err
}

// noteUnchanged is what the checkpoint notes at the end of a sweep: the list and its tables if the sweep changed nothing, else nil.
func (t *Task) noteUnchanged(ctx context.Context) (*extract.Unchanged, error) {
	if t.swept.fingerprint == "" || t.swept.written > 0 {
		return nil, nil
	}
	if t.swept.unchanged {
		return t.State.Unchanged, nil
	}
	tables, err := t.tablesState(ctx)
	return &extract.Unchanged{List: t.swept.fingerprint, Tables: tables}, err
}

func (t *Task) tablesState(ctx context.Context) (state string, err error) {
	err = t.Run.Writer.Use(func(work *load.Work) error {
		state, err = work.Facts.TablesState(ctx, t.Workspace.Name, t.Tables)
		return err
	})
	return state, err
}
