package pipeline

import (
	"context"

	"aqueduck/extract"
)

// reader reads one phase of a stream in one of the ways that there are. The state machine of each way lives in extract; what only the
// warehouse knows, absence and ids, is asked here.
type reader interface {
	read(ctx context.Context, phase extract.Phase) error
}

// dayReader is the reader of a dataset of exports, whose history is days.
type dayReader interface {
	reader
	owesDays() bool                           // days of the history are still to be read
	daysRead() float64                        // the share of the history that is read
	commitProgress(ctx context.Context) error // without rows
}

// The ways of reading a stream, but for exports.
type (
	listReader  struct{ *task } // a list read by time, or on from a bookmark
	sweepReader struct{ *task } // a list read whole
	queueReader struct{ *task } // under each row of a parent stream that waits for it
	idReader    struct{ *task } // by the ids that an SQL file names
)

// newReader is the reader of a task.
func newReader(t *task) reader {
	switch {
	case t.days != nil:
		return t.days
	case t.stream.Read.Pending():
		return &queueReader{t}
	case t.stream.Read.ByIDs():
		return &idReader{t}
	case t.stream.Read.Since.By == "full":
		return &sweepReader{t}
	}
	return &listReader{t}
}

// read reads the list whole, and asks for the records that came incomplete.
func (t *sweepReader) read(ctx context.Context, _ extract.Phase) error {
	if err := t.sweep(ctx); err != nil || t.result.Cut {
		return err
	}
	return askDoubted(ctx, t.task)
}

// read asks for what earlier runs left incomplete, reads the list on, asks for what came incomplete, and for those who vanished from it.
func (t *listReader) read(ctx context.Context, phase extract.Phase) error {
	if phase == extract.Forward {
		if err := askNoted(ctx, t.task); err != nil || t.result.Cut {
			return err
		}
	}
	req := t.request(phase)
	if err := reachKnown(ctx, t.task, &req); err != nil {
		return err
	}
	if err := t.readPages(ctx, req); err != nil || t.result.Cut {
		return err
	}
	if err := askDoubted(ctx, t.task); err != nil || t.result.Cut {
		return err
	}
	return t.reconcile(ctx)
}
