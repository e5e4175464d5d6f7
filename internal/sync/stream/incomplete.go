package stream

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// mostAskedAgain bounds how many records of a stream a run asks for once more: beyond it the source is ill, not a record.
const mostAskedAgain = 500

// askNoted asks for the records that earlier runs have noted.
func askNoted(ctx context.Context, t *Task) error {
	return askWhole(ctx, t, slices.Sorted(maps.Keys(t.doubts.reasons)))
}

// askDoubted asks once more for the records that this run has met and that were not whole, also by what is stored of them.
func askDoubted(ctx context.Context, t *Task) error {
	ids := t.doubts.retryIDs
	err := t.Run.Writer.Use(func(work *load.Work) error {
		list, err := work.DeadLetters.Incomplete(ctx, t.Workspace.Name, t.Stream.Name)
		for _, one := range list {
			if one.Reason == transform.LeftOut {
				ids = append(ids, one.Key)
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	slices.Sort(ids)
	t.doubts.retryIDs = nil
	return askWhole(ctx, t, slices.Compact(ids))
}

// askWhole asks for records by id, in the order of their ids and each once in a run. Of more than a run asks for, it goes on behind those
// that were asked for last.
func askWhole(ctx context.Context, t *Task, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return t.doubts.asked[id] })
	if len(ids) == 0 || !canReadByID(t) || t.IsWindowed() {
		return nil
	}
	if len(ids) > mostAskedAgain {
		next, asked := slices.BinarySearch(ids, t.State.LastAskedID)
		if asked {
			next++
		}
		ids = slices.Concat(ids[next:], ids[:next])[:mostAskedAgain]
		t.State.LastAskedID = ids[mostAskedAgain-1]
	}
	for chunk := range slices.Chunk(ids, AskedAtOnce) {
		if t.Result.Cut = t.ShouldStop(); t.Result.Cut {
			return t.Commit(ctx)
		}
		for _, id := range chunk {
			t.doubts.asked[id] = true
		}
		records, _, err := readByID(ctx, t, chunk)
		t.doubts.now = true
		failed := t.addPage(extract.Page{State: t.State, ServerTime: t.Workspace.Client.ServerNow(), Records: records})
		t.doubts.now = false
		if failed != nil {
			return failed
		}
		if err != nil {
			return errors.Join(fmt.Errorf("stream %s: request incomplete records again: %w", t.Stream.Name, err), t.Commit(ctx))
		}
	}
	return t.Commit(ctx)
}
