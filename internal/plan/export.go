package plan

import (
	"context"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/export"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	syncexport "aqueduck/internal/sync/export"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/schemas"
)

// planFamily adds the datasets of a family to the plan: the stored ones, and, when the plan may send requests, those that the source has.
func (p *planBuilder) planFamily(ctx context.Context, from pipelineSource, family *schemas.Stream) error {
	means := func(name string) bool {
		return slices.ContainsFunc(from.pipeline.Datasets, func(pattern string) bool { return config.MatchesDataset(pattern, family.Name, name) })
	}
	known := map[string]bool{}
	for _, stored := range p.states {
		state, err := extract.ParseState(stored.State)
		if err != nil || state.Export == nil || stored.Workspace != from.workspace || state.Export.Family != family.Name || !means(stored.Stream) {
			continue
		}
		known[stored.Stream] = true
		planned := PlannedStream{Workspace: from.workspace, Stream: stored.Stream, Read: describeExport(state, term.OrDash), Shown: describeExport(state, p.shortTime), Records: -1, Requests: -1, Basis: "not known"}
		if past, ok := p.past[from.workspace+"."+stored.Stream]; ok {
			planned.Requests, planned.Basis = past.requests, basisLastRun
		}
		p.addStream(planned)
	}
	client, err := p.clientFor(from, len(known) > 0)
	if err != nil {
		return err
	}
	if client == nil {
		if len(known) == 0 {
			p.plan.Streams = append(p.plan.Streams, PlannedStream{Workspace: from.workspace, Stream: family.Name + "_*", Read: "all datasets of the source, for 90 days or since start",
				Records: -1, Requests: -1, Basis: "not known"})
		}
		return nil
	}
	sets, _, err := export.New(client, family).Datasets(ctx, family)
	if problem.IsUnavailable(err) {
		p.plan.Streams = append(p.plan.Streams, PlannedStream{Workspace: from.workspace, Stream: family.Name + "_*", Read: "nothing", Records: -1, Requests: 1, Basis: "unavailable to this workspace"})
		return nil
	}
	if err != nil {
		return p.noteUnasked(from, fmt.Errorf("ask %s which datasets there are: %w", family.Name, err))
	}
	for _, set := range sets {
		if name := family.Name + "_" + export.SnakeCase(set.ID); means(name) && !known[name] {
			p.addStream(PlannedStream{Workspace: from.workspace, Stream: name, Read: "the last 7 days, then back to the start", Records: -1,
				Requests: syncexport.EstimateFirstRequests(p.runner.Config.Settings(name).Start, p.runner.Now()), Basis: "3 an export of 7 to 28 days"})
		}
	}
	return nil
}

// describeExport says what a run would read of a dataset; written writes a time.
func describeExport(state extract.State, written func(time.Time) string) string {
	text := "days since " + written(warehouse.UnixTime(state.SyncedTo)) + ", and days that may have changed"
	if !state.HistoryDone {
		text += ", then from " + written(warehouse.UnixTime(state.HistoryTo)) + " back"
	}
	if state.Export.Job != nil {
		text += "; goes on with a running export"
	}
	return text
}
