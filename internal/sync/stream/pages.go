package stream

import (
	"context"
	"errors"
	"io"

	"aqueduck/extract"
)

// readPages is the main loop of a stream: decode a page, and commit when the batch is full or the page ends a window. Whatever ends the loop, the
// complete pages before that are committed. A backfill consists of many windows, most of them short, so there the end of a window does not end a
// batch.
func (t *Task) readPages(ctx context.Context, req extract.Request) error {
	req.ReadAhead = t.mayReadAhead
	reader := extract.NewReader(t.Workspace.Client, req)
	defer reader.Close()
	for !t.ShouldStop() {
		page, err := reader.Next(ctx)
		if errors.Is(err, io.EOF) {
			if err := t.Commit(ctx); err != nil {
				return err
			}
			return t.Run.PublishIfDue(ctx)
		}
		if err != nil {
			return errors.Join(err, t.Commit(ctx))
		}
		doubt := checkWindowEvidence(ctx, t, page)
		if doubt != nil {
			page.State, page.Boundary = t.State, false // keep the records, but do not move the watermark
		}
		if page, err = dropStoredOlder(ctx, t, page); err != nil {
			return errors.Join(doubt, err, t.Commit(ctx))
		}
		page, err = readDetails(ctx, t, reader, page)
		if failed := t.addPage(page); failed != nil {
			return failed
		}
		if err = errors.Join(doubt, err); err != nil {
			return errors.Join(err, t.Commit(ctx))
		}
		if t.batchFull() || page.Boundary && req.Phase != extract.History {
			if err := t.Commit(ctx); err != nil {
				return err
			}
			if err := t.Run.PublishIfDue(ctx); err != nil {
				return err
			}
		}
	}
	t.Result.Cut = true
	return t.Commit(ctx)
}

// mayReadAhead reports whether a page after the one at hand will be wanted: --limit may end the stream before it, as may the end of the run.
func (t *Task) mayReadAhead() bool { return t.Run.Options.Limit == 0 && !t.ShouldStop() }
