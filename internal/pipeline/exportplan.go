package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// planFamily plans the datasets of a family: those that are stored, and, when the source may be asked, those it has.
func planFamily(ctx context.Context, r *Runner, p *Plan, pipeline *Pipeline, workspace string, family *schemas.Stream,
	states []StreamState, past map[string]int64, client *extract.Client) error {
	means := func(name string) bool {
		return slices.ContainsFunc(pipeline.datasets, func(pattern string) bool { return meansDataset(pattern, family.Name, name) })
	}
	known := map[string]bool{}
	for _, stored := range states {
		state, err := extract.ParseState(stored.State)
		if err != nil || state.Export == nil || stored.Workspace != workspace || state.Export.Family != family.Name || !means(stored.Stream) {
			continue
		}
		known[stored.Stream] = true
		planned := PlannedStream{Workspace: workspace, Stream: stored.Stream, Read: describeExport(state), Records: -1, Requests: -1, Basis: "not known"}
		if n, ok := past[workspace+"."+stored.Stream]; ok {
			planned.Requests, planned.Basis = n, "as in the last run"
		}
		p.Streams = append(p.Streams, planned)
		p.Requests += max(0, planned.Requests)
	}
	if client == nil {
		if len(known) == 0 {
			p.Streams = append(p.Streams, PlannedStream{Workspace: workspace, Stream: family.Name + "_*", Read: "the datasets that the source has, 90 days or since start",
				Records: -1, Requests: -1, Basis: "not known; --ask asks"})
		}
		return nil
	}
	sets, _, err := export.New(client, family).Datasets(ctx, family)
	if lacking(err) {
		p.Streams = append(p.Streams, PlannedStream{Workspace: workspace, Stream: family.Name + "_*", Read: "nothing", Records: -1, Requests: 1, Basis: "unavailable to this workspace"})
		return nil
	}
	if err != nil {
		return fmt.Errorf("ask %s which datasets there are: %w", family.Name, err)
	}
	for _, set := range sets {
		if name := family.Name + "_" + export.Name(set.ID); means(name) && !known[name] {
			p.Streams = append(p.Streams, PlannedStream{Workspace: workspace, Stream: name, Read: "the last 7 days, then back to the start",
				Records: -1, Requests: -1, Basis: "the source does not say"})
		}
	}
	return nil
}

// storedDataset gives the stream of a dataset that is published, for commands that move its mark.
func storedDataset(ctx context.Context, r *Runner, stream string) (*schemas.Stream, bool, error) {
	states, err := ReadStates(ctx, r.Dir, []string{stream})
	if errors.Is(err, read.ErrNothingPublished) {
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
			return datasetStream(family, stream, state.Export), true, nil
		}
	}
	return nil, false, nil
}

// tableOf is what a dataset keeps when it forgets how far it is read: what its table is like.
func tableOf(e *extract.Export) *extract.Export {
	if e == nil {
		return nil
	}
	return &extract.Export{Family: e.Family, Dataset: e.Dataset, Doc: e.Doc, Columns: e.Columns}
}
