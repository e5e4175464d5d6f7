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

// IsUpToDate says that the run read the stream up to now, whatever is left of its history. One that takes its ids from others is owed
// nothing while only their history keeps it waiting.
func IsUpToDate(t *Task) bool {
	if t.Newest || !t.Stream.Read.ByIDs() || t.ParentsComplete() {
		return t.Newest
	}
	return !slices.ContainsFunc(t.Run.Tasks, func(other *Task) bool {
		return other.Workspace == t.Workspace && slices.Contains(t.Stream.Read.Over.After, other.Stream.Name) && other.Result.Status == runlog.StatusOK && !other.Newest
	})
}

// ParentsComplete says whether the streams that this one takes its ids from are complete, as far as they are to be had.
func (t *Task) ParentsComplete() bool {
	return !slices.ContainsFunc(t.Run.Tasks, func(other *Task) bool {
		return other.Workspace == t.Workspace && slices.Contains(t.Stream.Read.Over.After, other.Stream.Name) && !other.IsComplete()
	})
}

// IsComplete says that the stream is read to its end. One that the workspace does not have never says more than it did,
// but one that is searched is the first to tell of all others.
func (t *Task) IsComplete() bool {
	if t.Result.Status == runlog.StatusUnavailable && t.Stream.Read.Since.By != "search" {
		return true
	}
	return t.Result.Status == runlog.StatusOK && !t.Result.Cut && (!t.Stream.Read.Since.HasWindows() || t.State.HistoryDone)
}

// HasHistory says that there are older records to read, also where the start was put earlier since the history was read.
func (t *Task) HasHistory() bool { return t.BackfillPending() && !t.IsWindowed() }

// BackfillPending reports whether older records are still to be read.
func (t *Task) BackfillPending() bool {
	if t.Days != nil {
		return t.Days.DaysPending()
	}
	deeper := !t.Start.IsZero() && t.State.HistoryTo > t.Start.Unix() || t.Start.IsZero() && t.State.HistoryTo > 0
	return t.Stream.Read.Since.HasWindows() && (!t.State.HistoryDone || deeper)
}

// shareComplete is 1 when everything that is wanted of a stream was read once, 0 as long as it was not.
func (t *Task) shareComplete() float64 {
	if t.State.SyncedTo == 0 || t.BackfillPending() {
		return 0
	}
	return 1
}

// ReadOrder orders streams within a run: small lists before feeds before searches.
func ReadOrder(s *schemas.Stream) int {
	return slices.Index([]string{"full", "bookmark", "between", "search", schemas.Export}, s.Read.Since.By)
}

func (t *Task) phaseRequest(phase extract.Phase) extract.Request {
	return extract.Request{
		Stream: t.Stream, State: t.State, Phase: phase, Start: t.Start,
		Since: t.Run.Options.Since, Until: t.Run.Options.Until,
	}
}

// A batch is committed at whichever of these comes first: fewer, larger commits are nearly the whole cost of loading,
// and a crash loses at most one.
const (
	batchRecords = 100_000
	batchBytes   = 64 << 20
	batchAge     = 30 * time.Second
)

// ShouldStop says that the run asks for no more of the stream: of any, of any of a workspace that refuses the token, or of this one.
func (t *Task) ShouldStop() bool {
	return t.Run.ShouldStop() || t.Workspace.Refused.Load() || t.IsLimited()
}

// IsLimited says that the stream has brought as many records as the run wants of each.
func (t *Task) IsLimited() bool {
	return t.Run.Options.Limit > 0 && t.Result.Extracted >= t.Run.Options.Limit
}

// IsWindowed says that an explicit window is read, which moves no mark.
func (t *Task) IsWindowed() bool { return t.Run.Options.IsWindowed() }

func (t *Task) batchFull() bool {
	return t.Decoder.Records()+len(t.doubts.incomplete) >= batchRecords || t.Decoder.Bytes() >= batchBytes ||
		t.Decoder.Records() > 0 && t.Run.Now().Sub(t.batchOpened) >= batchAge
}

// NextCheckpoint is the checkpoint that a commit of a state makes.
func (t *Task) NextCheckpoint(state extract.State) load.Checkpoint {
	return load.Checkpoint{
		Workspace: t.Workspace.Name, Stream: t.Stream.Name, Seq: t.Base.Seq + 1, State: state.String(),
		SyncedTo: warehouse.UnixTime(state.SyncedTo), HistoryTo: warehouse.UnixTime(state.HistoryTo),
	}
}

// ReleaseBatches gives the memory of batches back.
func ReleaseBatches(batches []transform.Batch) {
	for _, b := range batches {
		b.Rows.Release()
	}
}
