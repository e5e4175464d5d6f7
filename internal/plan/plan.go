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
	"aqueduck/extract/export"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// planFamily plans the datasets of a family: those that are stored, and, when the source may be asked, those it has.
func planFamily(ctx context.Context, r *runner.Runner, p *Plan, pipeline *config.Pipeline, workspace string, family *schemas.Stream,
	states []runlog.StreamState, past map[string]int64, client *api.Client) error {
	means := func(name string) bool {
		return slices.ContainsFunc(pipeline.Datasets, func(pattern string) bool { return config.MatchesDataset(pattern, family.Name, name) })
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
	if problem.IsUnavailable(err) {
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

// Plan is what a sync would do, as far as it can be known beforehand.
type Plan struct {
	Streams  []PlannedStream `json:"streams"`
	Tables   []string        `json:"tables_to_create"`
	Columns  []string        `json:"columns_to_add"` // table.column
	Requests int64           `json:"requests"`       // estimate; streams without one are left out
	Time     time.Duration   `json:"time_ns"`        // estimate
	Notes    []string        `json:"notes"`          // what the reader should know besides: rows that are still masked, a key that is missing
}

// Changes says that tables or columns would come.
func (p *Plan) Changes() bool { return len(p.Tables)+len(p.Columns) > 0 }

// PlannedStream is one stream of a plan.
type PlannedStream struct {
	Workspace string  `json:"workspace"`
	Stream    string  `json:"stream"`
	Read      string  `json:"read"`                // what would be read, in words
	Records   int64   `json:"records"`             // in the source, when it was asked; -1 unknown
	Requests  int64   `json:"requests"`            // estimate; -1 unknown
	Basis     string  `json:"basis"`               // what the estimate comes from
	Change    float64 `json:"requests_per_change"` // what a changed record costs; 0: none of its own
}

// Make looks at what is published and, when it may ask, at the source: one request a stream.
func Make(ctx context.Context, r *runner.Runner, pipelines []*config.Pipeline, o runner.Options, asking bool) (*Plan, error) {
	p := &Plan{Streams: []PlannedStream{}, Tables: []string{}, Columns: []string{}}
	states, err := runlog.ReadStates(ctx, r.Dir, nil)
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return nil, err
	}
	past, err := pastRequests(ctx, r)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, pipeline := range pipelines {
		streams, err := r.SelectStreams(pipeline, &o)
		if err != nil {
			return nil, err
		}
		for _, name := range pipeline.Workspaces(r.Config) {
			var count func(*schemas.Stream) (int64, error)
			var ask *api.Client
			if asking {
				client, closing, err := ConnectReader(ctx, r, name)
				if err != nil {
					return nil, err
				}
				defer closing()
				ask = client
				count = func(s *schemas.Stream) (int64, error) { return extract.CountRecords(ctx, client, s) }
			}
			for _, s := range streams {
				if seen[name+"."+s.Name] {
					continue
				}
				seen[name+"."+s.Name] = true
				if s.Family() {
					if err := planFamily(ctx, r, p, pipeline, name, s, states, past, ask); err != nil {
						return nil, err
					}
					continue
				}
				planned, err := planStream(r, name, s, states, past, count)
				if err != nil {
					return nil, err
				}
				p.Streams = append(p.Streams, planned)
				p.Requests += max(0, planned.Requests)
			}
		}
	}
	p.Time = estimateDuration(r, p)
	if p.Notes, err = sync.MaskingNotes(ctx, r); err != nil {
		return nil, err
	}
	return p, planTables(ctx, r, p)
}

// ConnectReader is a client for the few requests of a plan.
func ConnectReader(ctx context.Context, r *runner.Runner, name string) (*api.Client, func(), error) {
	client, _, closing, err := ConnectWorkspace(ctx, r, name, 0)
	return client, closing, err
}

// ConnectWorkspace is a client for so many requests, 0 for any number, with the source it asks.
func ConnectWorkspace(ctx context.Context, r *runner.Runner, name string, most int64) (*api.Client, runner.Source, func(), error) {
	run := &stream.Run{Runner: r, Config: r.Config, Pipeline: &config.Pipeline{}, Options: runner.Options{MaxRequests: most}, Now: r.Now}
	source, err := r.Connect(ctx, name)
	if err != nil {
		return nil, source, nil, err
	}
	client, err := sync.NewClient(run, name, source)
	if err != nil {
		return nil, source, nil, err
	}
	return client, source, func() {
		client.Close()
		if source.Close != nil {
			if err := source.Close(); err != nil {
				r.Log.Warn("end what served the workspace", "error", err)
			}
		}
	}, nil
}

func planStream(r *runner.Runner, workspace string, s *schemas.Stream, states []runlog.StreamState, past map[string]int64, count func(*schemas.Stream) (int64, error)) (PlannedStream, error) {
	planned := PlannedStream{Workspace: workspace, Stream: s.Name, Records: -1, Requests: -1, Basis: "not known; --ask asks", Change: s.Change()}
	var state extract.State
	i := slices.IndexFunc(states, func(x runlog.StreamState) bool { return x.Workspace == workspace && x.Stream == s.Name })
	if i >= 0 {
		var err error
		if state, err = extract.ParseState(states[i].State); err != nil {
			return planned, fmt.Errorf("the checkpoint of %s cannot be read: %w; next: aqueduck state reset %s", s.Name, err, s.Name)
		}
	}
	if stream.Outdated(s, state, r.Config.Workspaces[workspace].APIVersion) {
		state, i = extract.State{}, -1
	}
	planned.Read = describe(s, state, r.Config.Settings(s.Name).Start)
	if n, ok := past[workspace+"."+s.Name]; ok && i >= 0 {
		planned.Requests, planned.Basis = n, "as in the last run"
	}
	if count == nil {
		return planned, nil
	}
	if s.Read.ByIDs() {
		if planned.Requests < 0 {
			planned.Basis = "one an id, known once the others are read"
		}
		return planned, nil
	}
	total, err := count(s)
	if problem.IsUnavailable(err) {
		planned.Requests, planned.Basis = 1, "unavailable to this workspace"
		return planned, nil
	}
	if err != nil {
		return planned, fmt.Errorf("ask %s how much there is: %w", s.Name, err)
	}
	planned.Records = total
	if total < 0 && planned.Requests < 0 {
		planned.Basis = "the source does not say"
	}
	if total >= 0 && s.Read.Page.Size > 0 && (i < 0 || !state.HistoryDone || s.Read.Since.By == "full") {
		planned.Requests = total/int64(s.Read.Page.Size) + 1
		planned.Basis = fmt.Sprintf("%d a page", s.Read.Page.Size)
		if s.Read.Detail != nil {
			planned.Requests += total
			planned.Basis += ", then each by itself"
		}
	}
	return planned, nil
}

// describe says what a run would read of a stream, from its checkpoint.
func describe(s *schemas.Stream, state extract.State, start time.Time) string {
	switch {
	case s.Read.Pending():
		return "what comes and changes in " + strings.Join(s.Read.Over.Streams, ", ")
	case s.Read.ByIDs():
		return "the ids that " + s.Read.Over.View + " finds"
	case s.Read.Since.By == "full":
		return "the whole list"
	case s.Read.Since.By == "bookmark" && state.Bookmark == nil:
		return "the feed from its beginning"
	case s.Read.Since.By == "bookmark":
		return "the feed from the bookmark on"
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

// pastRequests are the requests of each stream's last run that was not cut short.
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

// estimateDuration is how long the requests take at the slowest rate that a workspace of the plan allows.
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

// planTables compares the tables of the streams with those that are published.
func planTables(ctx context.Context, r *runner.Runner, p *Plan) error {
	have := map[string]bool{}
	const columns = "SELECT schema_name || '.' || table_name, column_name FROM duckdb_columns() WHERE NOT internal"
	err := runlog.QueryPublished(ctx, r.Dir, columns, func(v []any) error {
		have[runlog.AsText(v[0])], have[runlog.AsText(v[0])+"."+runlog.AsText(v[1])] = true, true
		return nil
	})
	if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return err
	}
	var workspaces []string
	for _, s := range p.Streams {
		if !slices.Contains(workspaces, s.Workspace) {
			workspaces = append(workspaces, s.Workspace)
		}
	}
	for _, workspace := range workspaces {
		for _, t := range dictionary.Tables(r.StoredStreams(workspace)) {
			p.compare(have, workspace, t)
		}
	}
	return nil
}

func (p *Plan) compare(have map[string]bool, workspace string, t transform.Table) {
	name := workspace + "." + t.Name
	if !have[name] {
		p.Tables = append(p.Tables, name)
		return
	}
	for _, c := range t.Columns {
		if !have[name+"."+c.Name] {
			p.Columns = append(p.Columns, name+"."+c.Name)
		}
	}
}
