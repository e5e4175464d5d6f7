package stream

import (
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/runlog"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// IsUpToDate reports whether the run read the stream up to now; its backfill may be pending. A stream that reads by ids counts as up to date while
// only the backfill of its parents keeps it waiting.
func IsUpToDate(t *Task) bool {
	if t.Newest || !t.Stream.Read.ByIDs() || t.ParentsComplete() {
		return t.Newest
	}
	return !slices.ContainsFunc(t.Run.Tasks, func(other *Task) bool {
		return other.Workspace == t.Workspace && slices.Contains(t.Stream.Read.Over.After, other.Stream.Name) && other.Result.Status == runlog.StatusOK && !other.Newest
	})
}

// ParentsComplete reports whether every parent stream was read to its end.
func (t *Task) ParentsComplete() bool {
	return !slices.ContainsFunc(t.Run.Tasks, func(other *Task) bool {
		return other.Workspace == t.Workspace && slices.Contains(t.Stream.Read.Over.After, other.Stream.Name) && !other.IsComplete()
	})
}

// IsComplete reports whether the stream was read to its end. A stream that the workspace does not have counts as complete, because it never has
// more rows. A searched stream does not: other streams take their ids from it.
func (t *Task) IsComplete() bool {
	if t.Result.Status == runlog.StatusUnavailable && t.Stream.Read.Since.By != "search" {
		return true
	}
	return t.Result.Status == runlog.StatusOK && !t.Result.Cut && (!t.Stream.Read.Since.HasWindows() || t.State.HistoryDone)
}

// HasHistory reports whether the run has a backfill to do, also after the start was moved to an earlier date.
func (t *Task) HasHistory() bool { return t.BackfillPending() && !t.IsWindowed() }

// BackfillPending reports whether older records are still to be read.
func (t *Task) BackfillPending() bool {
	if t.Days != nil {
		return t.Days.DaysPending()
	}
	deeper := !t.Start.IsZero() && t.State.HistoryTo > t.Start.Unix() || t.Start.IsZero() && t.State.HistoryTo > 0
	return t.Stream.Read.Since.HasWindows() && (!t.State.HistoryDone || deeper)
}

// shareComplete is 1 when the stream's forward pass and backfill are complete, and 0 before that.
func (t *Task) shareComplete() float64 {
	if t.State.SyncedTo == 0 || t.BackfillPending() {
		return 0
	}
	return 1
}

// ReadOrder is the order of streams within a run: small lists, then feeds, then searches, then exports.
func ReadOrder(s *schemas.Stream) int {
	return slices.Index([]string{"full", "bookmark", "between", "search", schemas.Export}, s.Read.Since.By)
}

func (t *Task) phaseRequest(phase extract.Phase) extract.Request {
	left, oldest := t.Run.Progress.historyLeft(t)
	return extract.Request{
		Stream: t.Stream, State: t.State, Phase: phase, Start: t.Start,
		Since: t.Run.Options.Since, Until: t.Run.Options.Until, Left: left, Oldest: oldest,
	}
}

// A batch is committed at whichever of these limits comes first. Commits are nearly the whole cost of loading, so few and large ones are fast;
// a crash loses at most one batch.
const (
	batchRecords = 100_000
	batchBytes   = 64 << 20
	batchAge     = 30 * time.Second
)

// ShouldStop reports whether the run sends no more requests for the stream: the run is over, the workspace refused the token, or --limit is
// reached.
func (t *Task) ShouldStop() bool {
	return t.Run.ShouldStop() || t.Workspace.Refused.Load() || t.IsLimited()
}

// IsLimited reports whether the stream has brought as many records as --limit allows.
func (t *Task) IsLimited() bool {
	return t.Run.Options.Limit > 0 && t.Result.Extracted >= t.Run.Options.Limit
}

// IsWindowed reports whether the run reads an explicit window (--since, --until), which does not move the watermark.
func (t *Task) IsWindowed() bool { return t.Run.Options.IsWindowed() }

func (t *Task) batchFull() bool {
	return t.Decoder.Records()+len(t.doubts.incomplete) >= batchRecords || t.Decoder.Bytes() >= batchBytes ||
		t.Decoder.Records() > 0 && t.Run.Now().Sub(t.batchOpened) >= batchAge
}

// NextCheckpoint is the checkpoint that the commit of a state makes: its sequence number is one above the committed one. Until a page of a full refresh has
// come, the watermark stays.
func (t *Task) NextCheckpoint(state extract.State) load.Checkpoint {
	if t.beforePage != nil {
		state = *t.beforePage
	}
	return load.Checkpoint{
		Workspace: t.Workspace.Name, Stream: t.Stream.Name, Seq: t.Base.Seq + 1, State: state.String(),
		SyncedTo: warehouse.UnixTime(state.SyncedTo), HistoryTo: warehouse.UnixTime(state.HistoryTo),
	}
}

// ReleaseBatches releases the Arrow memory of batches. The caller of Decoder.Take owns them.
func ReleaseBatches(batches []transform.Batch) {
	for _, b := range batches {
		b.Rows.Release()
	}
}
