package plan

import (
	"context"
	"errors"
	"fmt"
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
	if p.past, err = readPastRuns(ctx, r); err != nil {
		return nil, err
	}
	if p.stored, err = readStoredTables(ctx, r); err != nil {
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
	for _, text := range describeRefusals(ctx, r) {
		p.plan.Notes = append(p.plan.Notes, "a run would be refused: "+text)
	}
	if layout.LinkMissing(r.Dir) {
		p.plan.Notes = append(p.plan.Notes, "the link "+r.Dir.Link()+" to the published file is missing, so the plan counts as before a first run; the next run makes it again")
	}
	p.plan.Notes = repeatFlags(r.Given, append(p.plan.Notes, notes...))
	if layout.IsEmulated(r.Dir) {
		p.plan.Notes = append(p.plan.Notes, runlog.SaysEmulated)
	}
	if err := p.addDrift(ctx); err != nil {
		return nil, err
	}
	return p.plan, planTables(ctx, r, p.stored, p.plan)
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
	return p.expectChildren(from.workspace)
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
	state, known, err := p.stateOf(from.workspace, s.Name)
	if err != nil {
		return planned, err
	}
	if stream.Outdated(s, state, p.runner.Config.Workspaces[from.workspace].APIVersion) {
		state, known = extract.State{}, false
	}
	start := p.runner.Config.Settings(s.Name).Start
	planned.Read, planned.Shown = describeRead(s, state, start, term.OrDash), strings.TrimPrefix(describeRead(s, state, start, p.shortTime), "changes ")
	if past, ok := p.past[from.workspace+"."+s.Name]; ok && known {
		if planned.Requests, planned.Basis, err = p.expectRequests(ctx, from.workspace, s, state, past); err != nil {
			return planned, fmt.Errorf("estimate the requests of %s: %w", s.Name, err)
		}
	}
	if s.Read.ByIDs() {
		if planned.Requests < 0 {
			planned.Basis = "one per id; known after the other streams"
		}
		return planned, nil
	}
	client, err := p.clientFor(from, known)
	if err != nil || client == nil {
		return planned, err
	}
	total, err := extract.CountRecords(ctx, client, s)
	if problem.IsUnavailable(err) {
		planned.Requests, planned.Basis = 1, "unavailable to this workspace"
		return planned, nil
	}
	if err != nil {
		if err = fmt.Errorf("ask %s how much there is: %w", s.Name, err); isAboutStream(err) {
			return planned, p.noteStream(from.workspace, s.Name, err)
		}
		return planned, p.noteUnasked(from, err)
	}
	planned.Records = total
	if total < 0 && planned.Requests < 0 {
		planned.Basis = "the source does not state it"
		if s.Read.Since.By == "full" && s.Read.Page.By == "none" && s.Read.Detail == nil {
			planned.Requests, planned.Basis = 1, "the list is one answer"
			if s.Read.Over != nil {
				planned.Requests, planned.Basis = int64(len(s.Read.Over.Values)), "one answer a value"
			}
		}
	}
	if total >= 0 && s.Read.Page.Size > 0 && (!known || !state.HistoryDone || s.Read.Since.By == "full") {
		planned.Requests = total/int64(s.Read.Page.Size) + 1
		planned.Basis = fmt.Sprintf("%d a page", s.Read.Page.Size)
		if s.Read.Detail != nil {
			planned.Requests += total
			planned.Basis += ", then each record by id"
		}
	}
	return planned, nil
}

// shortTime writes a time as tables do.
func (p *planBuilder) shortTime(t time.Time) string { return term.ShortTime(p.runner.Now(), t.UTC()) }

// describeRead says what a run would read of a stream, from its checkpoint; written writes a time.
func describeRead(s *schemas.Stream, state extract.State, start time.Time, written func(time.Time) string) string {
	switch {
	case s.Read.UsesPendingIDs():
		return "new and changed rows of " + strings.Join(s.Read.Over.Streams, ", ")
	case s.Read.ByIDs():
		return s.Read.Over.DescribeIDs(s.With)
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
	text := "changes since " + written(warehouse.UnixTime(state.SyncedTo).Add(-s.Read.Since.Overlap))
	if !state.HistoryDone {
		text += ", then from " + written(warehouse.UnixTime(state.HistoryTo)) + " back to " + first
	}
	return text
}

// readPastRuns returns the runs that read each stream completely, by workspace.stream.
func readPastRuns(ctx context.Context, r *runner.Runner) (map[string]pastRuns, error) {
	past := map[string]pastRuns{}
	const last = `SELECT schema || '.' || stream, arg_max(requests, started_at), count(*) FROM _sync.stream_runs
		WHERE outcome = 'ok' AND backfill >= 1 GROUP BY ALL`
	err := runlog.QueryPublished(ctx, r.Dir, last, func(v []any) error {
		past[runlog.AsText(v[0])] = pastRuns{requests: runlog.AsWhole(v[1]), runs: runlog.AsWhole(v[2])}
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

// PerChangeText is the number of requests for one changed record, in the words of the list of streams.
func (s *PlannedStream) PerChangeText() string { return schemas.FormatPerChange(s.Change) }
