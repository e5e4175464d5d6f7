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

// StoredDataset gives the stream of a dataset that is published, for commands that move its mark.
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

// TableOf is what a dataset keeps when it forgets how far it is read: what its table is like.
func TableOf(e *extract.Export) *extract.Export {
	if e == nil {
		return nil
	}
	return &extract.Export{Family: e.Family, Dataset: e.Dataset, Doc: e.Doc, Columns: e.Columns}
}
