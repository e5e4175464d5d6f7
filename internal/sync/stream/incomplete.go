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

// maxRereads limits the number of records of a stream that a run reads again by id. With more incomplete records than that the source as a
// whole is ill.
const maxRereads = 500

// rereadNoted reads the records again that earlier runs noted as incomplete.
func rereadNoted(ctx context.Context, t *Task) error {
	return rereadByID(ctx, t, slices.Sorted(maps.Keys(t.doubts.reasons)))
}

// rereadIncomplete reads the records by id that this run found incomplete: from the answers, and by comparing with the stored rows (reason LeftOut).
func rereadIncomplete(ctx context.Context, t *Task) error {
	ids := t.doubts.retryIDs
	err := t.Run.Writer.Use(func(work *load.Work) error {
		list, err := work.DeadLetters.Incomplete(ctx, t.Workspace.Name, t.Stream.Name)
		for _, one := range list {
			if one.Reason == transform.OmitsStored {
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
	return rereadByID(ctx, t, slices.Compact(ids))
}

// rereadByID reads records by id, in the order of their ids, each once in a run. With more than maxRereads it begins after the last id of the
// previous run, so that all of them get their turn.
func rereadByID(ctx context.Context, t *Task, ids []string) error {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return t.doubts.asked[id] })
	if len(ids) == 0 || !canReadByID(t) || t.IsWindowed() {
		return nil
	}
	if len(ids) > maxRereads {
		next, asked := slices.BinarySearch(ids, t.State.LastAskedID)
		if asked {
			next++
		}
		ids = slices.Concat(ids[next:], ids[:next])[:maxRereads]
		t.State.LastAskedID = ids[maxRereads-1]
	}
	for chunk := range slices.Chunk(ids, IDsPerBatch) {
		if t.Result.Cut = t.ShouldStop(); t.Result.Cut {
			return t.Commit(ctx)
		}
		for _, id := range chunk {
			t.doubts.asked[id] = true
		}
		records, _, err := readByID(ctx, t, chunk)
		t.doubts.readingByID = true
		failed := t.addPage(extract.Page{State: t.State, ServerTime: t.Workspace.Client.ServerNow(), Records: records})
		t.doubts.readingByID = false
		if failed != nil {
			return failed
		}
		// Records that cannot be read stay noted, and fail the run by that (T170). They must not keep the list from being read.
		if extract.IsRecordError(err) {
			break
		}
		if err != nil {
			return errors.Join(fmt.Errorf("stream %s: request incomplete records again: %w", t.Stream.Name, err), t.Commit(ctx))
		}
	}
	return t.Commit(ctx)
}
