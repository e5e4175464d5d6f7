package stream

import (
	"context"
	"fmt"
	"time"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// Read walks the ids that wait for the stream, until none does: rows of its own may put further ones there.
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

// enqueueStored puts rows that are stored already among the ids that wait: all of them when the stream is new, or forgotten; now and
// then those that changed lately, for what comes under them later without a change of theirs; of an explicit window those of its time.
func (t *queueReader) enqueueStored(ctx context.Context) error {
	over, now := t.Stream.Read.Over, t.Workspace.Client.Now()
	var since, until time.Time
	switch {
	case t.IsWindowed():
		since, until = t.Run.Options.Since, t.Run.Options.Until
	case t.State.Refreshed > 0:
		if over.Every == 0 || doneWithin(t.State.Refreshed, over.Every, now) {
			return nil
		}
		since = now.Add(-over.For)
	}
	var origins []load.ParentTable
	for _, name := range over.Streams {
		if s, known := t.Run.Runner.Catalogue.Stream(name); known {
			origins = append(origins, load.ParentTable{Table: transform.Tables(s)[0], Column: over.Where, Since: since, Until: until})
		}
	}
	state := t.State
	if !t.IsWindowed() {
		state.Refreshed = now.Unix()
	}
	next := t.NextCheckpoint(state)
	err := t.Run.Writer.Use(func(work *load.Work) error {
		return work.ChildQueue.EnqueueStored(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, origins)
	})
	if err != nil {
		return fmt.Errorf("stream %s: find the ids to read: %w", t.Stream.Name, err)
	}
	t.Base, t.State = next, state
	return nil
}
