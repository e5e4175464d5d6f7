package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// Make builds the plan from the published file and from the source, which is asked for the number of records with one request for a stream.
func Make(ctx context.Context, r *runner.Runner, pipelines []*config.Pipeline, o runner.Options, asking Asking) (*Plan, error) {
	p := &planBuilder{runner: r, asking: asking, plan: &Plan{Streams: []PlannedStream{}, Tables: []string{}, Columns: []string{}, Widened: []WidenedColumn{}, Unfilled: []string{}, Drift: []runlog.Drift{}, Notes: []string{}}, seen: map[string]bool{}}
	var err error
	if p.states, err = runlog.ReadStates(ctx, r.Dir, nil); err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return nil, err
	}
	if p.past, err = pastRequests(ctx, r); err != nil {
		return nil, err
	}
	for _, pipeline := range pipelines {
		streams, err := r.SelectStreams(pipeline, &o)
		if err != nil {
			return nil, err
		}
		for _, name := range pipeline.Workspaces(r.Config) {
			if err := p.planWorkspace(ctx, pipelineSource{pipeline: pipeline, workspace: name}, streams); err != nil {
				return nil, err
			}
		}
	}
	p.plan.Time = estimateDuration(r, p.plan)
	notes, err := sync.MaskingNotes(ctx, r)
	if err != nil {
		return nil, err
	}
	p.plan.Notes = append(p.plan.Notes, notes...)
	if layout.IsEmulated(r.Dir) {
		p.plan.Notes = append(p.plan.Notes, runlog.SaysEmulated)
	}
	if err := p.addDrift(ctx); err != nil {
		return nil, err
	}
	return p.plan, planTables(ctx, r, p.plan)
}

func (p *planBuilder) planWorkspace(ctx context.Context, from pipelineSource, streams []*schemas.Stream) error {
	from.source = &sourceClient{closing: func() {}, connect: func() (*api.Client, func(), error) { return ConnectReader(ctx, p.runner, from.workspace) }}
	defer func() { from.source.closing() }()
	for _, s := range streams {
		name := from.workspace + "." + s.Name
		if p.seen[name] {
			continue
		}
		p.seen[name] = true
		if s.IsExportFamily() {
			if err := p.planFamily(ctx, from, s); err != nil {
				return err
			}
			continue
		}
		planned, err := p.planStream(ctx, from, s)
		if err != nil {
			return err
		}
		p.addStream(planned)
	}
	return nil
}

// ConnectReader returns a client for the few requests of a plan. The caller calls the returned function to close it.
func ConnectReader(ctx context.Context, r *runner.Runner, name string) (*api.Client, func(), error) {
	client, _, closing, err := ConnectWorkspace(ctx, r, name, 0)
	return client, closing, err
}

// ConnectWorkspace returns a client that may send so many requests, 0 for any number, and its source. The caller calls the returned function to
// close both.
func ConnectWorkspace(ctx context.Context, r *runner.Runner, name string, most int64) (*api.Client, runner.Source, func(), error) {
	source, err := r.Connect(ctx, name)
	if err != nil {
		return nil, source, nil, err
	}
	client, err := sync.NewClient(r, name, source, most)
	if err != nil {
		return nil, source, nil, err
	}
	return client, source, func() {
		client.Close()
		if source.Close != nil {
			if err := source.Close(); err != nil {
				r.Log.Warn("stop the client of the workspace", "error", err)
			}
		}
	}, nil
}

func (p *planBuilder) planStream(ctx context.Context, from pipelineSource, s *schemas.Stream) (PlannedStream, error) {
	planned := PlannedStream{Workspace: from.workspace, Stream: s.Name, Records: -1, Requests: -1, Basis: "not known", Change: s.RequestsPerChange()}
	var state extract.State
	i := slices.IndexFunc(p.states, func(x runlog.StreamState) bool { return x.Workspace == from.workspace && x.Stream == s.Name })
	if i >= 0 {
		var err error
		if state, err = extract.ParseState(p.states[i].State); err != nil {
			return planned, fmt.Errorf("the checkpoint of %s cannot be read: %w; next: aqueduck state reset %s", s.Name, err, s.Name)
		}
	}
	if stream.Outdated(s, state, p.runner.Config.Workspaces[from.workspace].APIVersion) {
		state, i = extract.State{}, -1
	}
	planned.Read = describeRead(s, state, p.runner.Config.Settings(s.Name).Start)
	if n, ok := p.past[from.workspace+"."+s.Name]; ok && i >= 0 {
		planned.Requests, planned.Basis = n, "as in the last run"
	}
	if s.Read.ByIDs() {
		if planned.Requests < 0 {
			planned.Basis = "one per id; known after the other streams"
		}
		return planned, nil
	}
	client, err := p.clientFor(from, i >= 0)
	if err != nil || client == nil {
		return planned, err
	}
	total, err := extract.CountRecords(ctx, client, s)
	if problem.IsUnavailable(err) {
		planned.Requests, planned.Basis = 1, "unavailable to this workspace"
		return planned, nil
	}
	if err != nil {
		return planned, p.noteUnasked(from, fmt.Errorf("ask %s how much there is: %w", s.Name, err))
	}
	planned.Records = total
	if total < 0 && planned.Requests < 0 {
		planned.Basis = "the source does not state it"
	}
	if total >= 0 && s.Read.Page.Size > 0 && (i < 0 || !state.HistoryDone || s.Read.Since.By == "full") {
		planned.Requests = total/int64(s.Read.Page.Size) + 1
		planned.Basis = fmt.Sprintf("%d a page", s.Read.Page.Size)
		if s.Read.Detail != nil {
			planned.Requests += total
			planned.Basis += ", then each record by id"
		}
	}
	return planned, nil
}

// describeRead says what a run would read of a stream, from its checkpoint.
func describeRead(s *schemas.Stream, state extract.State, start time.Time) string {
	switch {
	case s.Read.UsesPendingIDs():
		return "new and changed rows of " + strings.Join(s.Read.Over.Streams, ", ")
	case s.Read.ByIDs():
		return "the ids that " + s.Read.Over.View + " finds"
	case s.Read.Since.By == "full":
		return "the whole list"
	case s.Read.Since.By == "bookmark" && state.Bookmark == nil:
		return "the feed from its beginning"
	case s.Read.Since.By == "bookmark":
		return "the feed from the stored cursor"
	}
	first := "the beginning"
	if !start.IsZero() {
		first = start.Format(time.DateOnly)
	}
	if state.SyncedTo == 0 {
		return "the last 7 days, then back to " + first
	}
	text := "changes since " + term.OrDash(warehouse.UnixTime(state.SyncedTo).Add(-s.Read.Since.Overlap))
	if !state.HistoryDone {
		text += ", then from " + term.OrDash(warehouse.UnixTime(state.HistoryTo)) + " back to " + first
	}
	return text
}

// pastRequests returns the requests of each stream's last run that read it completely.
func pastRequests(ctx context.Context, r *runner.Runner) (map[string]int64, error) {
	past := map[string]int64{}
	const last = `SELECT schema || '.' || stream, arg_max(requests, started_at) FROM _sync.stream_runs
		WHERE outcome = 'ok' AND backfill >= 1 GROUP BY ALL`
	err := runlog.QueryPublished(ctx, r.Dir, last, func(v []any) error {
		past[runlog.AsText(v[0])] = runlog.AsWhole(v[1])
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		return past, nil
	}
	return past, err
}

// estimateDuration is the time of the requests at the lowest rate limit among the plan's workspaces.
func estimateDuration(r *runner.Runner, p *Plan) time.Duration {
	rate := 0
	for _, s := range p.Streams {
		if limit := r.Config.Workspaces[s.Workspace].RequestsPerMinute; limit > 0 && (rate == 0 || limit < rate) {
			rate = limit
		}
	}
	if rate == 0 {
		rate = sync.UsualRate
	}
	return time.Duration(float64(p.Requests) / float64(rate) * float64(time.Minute))
}
