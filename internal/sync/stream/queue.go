package stream

import (
	"context"
	"fmt"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// Read reads the ids that wait in the stream's queue until the queue is empty. Rows of the stream may themselves add ids to it.
func (t *queueReader) Read(ctx context.Context, _ extract.Phase) error {
	if err := t.enqueueStored(ctx); err != nil {
		return err
	}
	for !t.ShouldStop() {
		var ids []string
		err := t.Run.Writer.Use(func(work *load.Work) (err error) {
			ids, t.askedAt, err = work.ChildQueue.Pending(ctx, t.Workspace.Name, t.Stream.Name)
			return err
		})
		if err != nil || len(ids) == 0 {
			return err
		}
		req := t.phaseRequest(extract.Forward)
		req.IDs = ids
		if err := t.readPages(ctx, req); err != nil || t.Result.Cut {
			return err
		}
	}
	t.Result.Cut = true
	return nil
}

// enqueueStored adds the ids of stored parent rows to the queue: all of them for a new stream or after a reset; from time to time those that
// changed recently, because a child may change without its parent; for an explicit window those of its time; and those that it missed.
func (t *queueReader) enqueueStored(ctx context.Context) error {
	over, now, state := t.Stream.Read.Over, t.Workspace.Client.Now(), t.State
	again := load.ParentTable{Column: over.Where}
	wanted := true
	switch {
	case t.IsWindowed():
		again.Since, again.Until = t.Run.Options.Since, t.Run.Options.Until
	case t.State.Refreshed > 0 && (over.Every == 0 || doneWithin(t.State.Refreshed, over.Every, now)):
		wanted = false
	case t.State.Refreshed > 0:
		again.Since = now.Add(-over.For)
	}
	var parents []load.ParentTable
	for _, name := range over.Streams {
		if s, known := t.Run.Runner.Catalogue.Stream(name); known && wanted {
			again.Table = transform.Tables(s)[0]
			parents = append(parents, again)
		}
	}
	if wanted && !t.IsWindowed() {
		state.Refreshed = now.Unix()
	}
	next := t.NextCheckpoint(state)
	err := t.Run.Writer.Use(func(work *load.Work) error {
		if !t.IsWindowed() {
			missed, err := t.missedRows(ctx, work)
			if err != nil {
				return err
			}
			parents = append(parents, missed...)
		}
		if len(parents) > 0 {
			if err := work.ChildQueue.EnqueueStored(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, parents); err != nil {
				return err
			}
			t.Base, t.State = next, state
		}
		if t.IsWindowed() {
			return nil
		}
		return t.noteQueued(ctx, work)
	})
	if err != nil {
		return fmt.Errorf("stream %s: find the ids to read: %w", t.Stream.Name, err)
	}
	return nil
}
