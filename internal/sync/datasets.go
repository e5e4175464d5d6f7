package sync

import (
	"context"
	"errors"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
	"aqueduck/schemas"
)

// StoredDataset returns the stream of a published dataset, for commands that move its watermark; false when there is none.
func StoredDataset(ctx context.Context, r *runner.Runner, stream string) (*schemas.Stream, bool, error) {
	states, err := runlog.ReadStates(ctx, r.Dir, []string{stream})
	if errors.Is(err, failure.ErrNothingPublished) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	for _, stored := range states {
		state, err := extract.ParseState(stored.State)
		if err != nil || state.Export == nil {
			continue
		}
		if family, ok := r.Catalogue.Stream(state.Export.Family); ok {
			return dictionary.DatasetStream(family, stream, state.Export), true, nil
		}
	}
	return nil, false, nil
}

// TableOf returns what a dataset keeps after a reset of its checkpoint: the description of its table.
func TableOf(e *extract.Export) *extract.Export {
	if e == nil {
		return nil
	}
	return &extract.Export{Family: e.Family, Dataset: e.Dataset, Doc: e.Doc, Columns: e.Columns}
}
