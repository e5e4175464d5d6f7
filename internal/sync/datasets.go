package sync

import (
	"context"
	"errors"
	"path"
	"slices"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
	"aqueduck/schemas"
)

// StoredDatasets returns the streams of the published datasets that a name, a pattern or the name of their export family means, for commands that move
// their watermarks.
func StoredDatasets(ctx context.Context, r *runner.Runner, name string) (found []*schemas.Stream, err error) {
	states, err := runlog.ReadStates(ctx, r.Dir, nil)
	if errors.Is(err, failure.ErrNothingPublished) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, stored := range states {
		state, err := extract.ParseState(stored.State)
		if err != nil || state.Export == nil || slices.ContainsFunc(found, func(s *schemas.Stream) bool { return s.Name == stored.Stream }) {
			continue
		}
		meant, _ := path.Match(name, stored.Stream)
		if family, ok := r.Catalogue.Stream(state.Export.Family); ok && (meant || family.Name == name) {
			found = append(found, dictionary.DatasetStream(family, stored.Stream, state.Export))
		}
	}
	return found, nil
}

// TableOf returns what a dataset keeps after a reset of its checkpoint: the description of its table.
func TableOf(e *extract.Export) *extract.Export {
	if e == nil {
		return nil
	}
	return &extract.Export{Family: e.Family, Dataset: e.Dataset, Doc: e.Doc, Columns: e.Columns}
}
