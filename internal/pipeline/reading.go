package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/schemas"
)

// settled says whether the streams that this one takes its ids from are complete, as far as they are to be had.
func (t *task) settled() bool {
	return !slices.ContainsFunc(t.run.tasks, func(other *task) bool {
		return other.workspace == t.workspace && slices.Contains(t.stream.Read.Over.After, other.stream.Name) && !other.complete()
	})
}

// complete says that the stream is read to its end. One that the workspace does not have never says more than it did,
// but one that is searched is the first to tell of all others.
func (t *task) complete() bool {
	if t.result.Status == StatusUnavailable && t.stream.Read.Since.By != "search" {
		return true
	}
	return t.result.Status == StatusOK && !t.result.Cut && (!t.stream.Read.Since.Windowed() || t.state.HistoryDone)
}

// read reads the ids that an SQL file asks for, one request each or one for several.
func (t *idReader) read(ctx context.Context, _ extract.Phase) error {
	var ids, keys []string
	if err := t.workspace.lethal[t.stream.Name]; err != nil {
		return t.idQueryError(err)
	}
	err := t.run.writer.use(func(work *load.Work) (err error) {
		ids, keys, err = t.idsToRead(ctx, work)
		return err
	})
	if err != nil {
		return t.idQueryError(err)
	}
	for id := range t.doubts.noted {
		if t.stream.Read.Over.Size == 0 && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	req := t.request(extract.Forward)
	req.IDs, req.Keys = ids, keys
	if err := t.readPages(ctx, req); err != nil || t.result.Cut {
		return err
	}
	return askDoubted(ctx, t.task)
}

// idQueryError is the error of the SQL file that names the ids: of a user's own it is his to correct.
func (t *idReader) idQueryError(err error) error {
	err = fmt.Errorf("stream %s: ask %s which ids to read: %w", t.stream.Name, t.stream.Read.Over.View, err)
	if t.stream.BuiltIn || errors.Is(err, context.Canceled) {
		return err
	}
	return &Problem{Class: "config", What: firstLine(err), Next: "correct the SQL file; its tables are those of aqueduck query \"FROM _sync.dictionary\", in {schema}"}
}

// hasHistory says that there are older records to read, also where the start was put earlier since the history was read.
func (t *task) hasHistory() bool { return t.owesHistory() && !t.windowed() }

func (t *task) owesHistory() bool {
	if t.days != nil {
		return t.days.owesDays()
	}
	deeper := !t.start.IsZero() && t.state.HistoryTo > t.start.Unix() || t.start.IsZero() && t.state.HistoryTo > 0
	return t.stream.Read.Since.Windowed() && (!t.state.HistoryDone || deeper)
}

// reached is 1 when everything that is wanted of a stream was read once, 0 as long as it was not.
func (t *task) reached() float64 {
	if t.state.SyncedTo == 0 || t.owesHistory() {
		return 0
	}
	return 1
}

func hasHistoryLeft(r *run) bool {
	return slices.ContainsFunc(r.tasks, func(t *task) bool { return t.result.Status == StatusOK && t.hasHistory() })
}

// cost orders streams within a run: small lists before feeds before searches.
func cost(s *schemas.Stream) int {
	return slices.Index([]string{"full", "bookmark", "between", "search", schemas.Export}, s.Read.Since.By)
}
