package plan

import (
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// Plan is what a sync would do, as far as that is known in advance.
type Plan struct {
	Streams  []PlannedStream `json:"streams"`
	Tables   []string        `json:"tables_to_create"`
	Columns  []string        `json:"columns_to_add"`     // table.column
	Widened  []WidenedColumn `json:"columns_to_widen"`   // their type changes, in a stream file or by on_change: evolve
	Unfilled []string        `json:"columns_not_filled"` // stored columns that no stream file has any more: they stay, and are null in new rows
	Drift    []runlog.Drift  `json:"schema_drift"`       // what the last runs met (runlog.ReadDrift); only a run can find more
	Requests int64           `json:"requests"`           // estimate; streams without one do not count
	Time     time.Duration   `json:"time_ns"`            // estimate
	Notes    []string        `json:"notes"`              // other remarks: values that the run masks or that are still masked, a missing hash key
}

// Changes reports whether the run would add tables or columns, or widen columns.
func (p *Plan) Changes() bool { return len(p.Tables)+len(p.Columns)+len(p.Widened) > 0 }

// WidenedColumn is a stored column whose type the run changes.
type WidenedColumn struct {
	Column string `json:"column"` // workspace.table.column
	From   string `json:"from"`   // types of DuckDB
	To     string `json:"to"`
}

// PlannedStream is one stream of a plan.
type PlannedStream struct {
	Workspace string  `json:"workspace"`
	Stream    string  `json:"stream"`
	Read      string  `json:"read"`                // what would be read, in words
	Shown     string  `json:"-"`                   // Read for a table: with short times; "": the same
	Records   int64   `json:"records"`             // records in the source, with --ask; -1: not known
	Requests  int64   `json:"requests"`            // estimate; -1: not known
	Basis     string  `json:"basis"`               // what the estimate is based on
	Change    float64 `json:"requests_per_change"` // requests for one changed record; 0: none of its own
}

// Asking says for which streams a plan may send a request, to learn how many records the source has.
type Asking int

const (
	AskUnread Asking = iota // only those that no run has read yet; a workspace that cannot be asked is a note
	AskNone
	AskAll
)

// planBuilder builds a plan.
type planBuilder struct {
	runner *runner.Runner
	asking Asking
	states []runlog.StreamState
	past   map[string]pastRuns // by workspace.stream
	stored storedTables
	plan   *Plan
	seen   map[string]bool // workspace.stream that is already planned: several pipelines may read it
}

// pastRuns are the runs that read a stream completely.
type pastRuns struct {
	requests int64 // of the last one
	runs     int64
}

// storedTables are the columns of the published tables, with their types, by workspace.table.
type storedTables map[string]map[string]string

// stateOf returns the checkpoint of a stream in the published file; known is false when it has none.
func (p *planBuilder) stateOf(workspace, stream string) (state extract.State, known bool, err error) {
	i := slices.IndexFunc(p.states, func(x runlog.StreamState) bool { return x.Workspace == workspace && x.Stream == stream })
	if i < 0 {
		return state, false, nil
	}
	if state, err = extract.ParseState(p.states[i].State); err != nil {
		err = fmt.Errorf("the checkpoint of %s cannot be read: %w; next: aqueduck state reset %s", stream, err, stream)
	}
	return state, true, err
}

// pipelineSource is a workspace as one pipeline reads it.
type pipelineSource struct {
	pipeline  *config.Pipeline
	workspace string
	source    *sourceClient
}

// sourceClient connects to a workspace for the first stream that is asked for.
type sourceClient struct {
	connect func() (*api.Client, func(), error)
	client  *api.Client
	closing func()
	failed  error // why the workspace cannot be asked
}

// clientFor returns the client to ask for a stream with; nil where the plan does not ask. read reports whether a run has read the stream.
func (p *planBuilder) clientFor(from pipelineSource, read bool) (*api.Client, error) {
	c := from.source
	if p.asking == AskNone || p.asking == AskUnread && read || c.failed != nil {
		return nil, nil
	}
	if c.client == nil {
		client, closing, err := c.connect()
		if err != nil {
			return nil, p.noteUnasked(from, err)
		}
		c.client, c.closing = client, closing
	}
	return c.client, nil
}

// noteUnasked notes that a workspace cannot be asked, and asks it no more. Where the plan was told to ask, that is its error.
func (p *planBuilder) noteUnasked(from pipelineSource, err error) error {
	if p.asking == AskAll {
		return err
	}
	from.source.failed = err
	found := problem.AsProblem(err)
	p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("the size of a first run of %s is not known: %s, or plan --offline", from.workspace, found.Line(p.runner.Given)))
	return nil
}

// isAboutStream reports whether an error of a request is that of one stream, as when its answer contradicts its stream file: others can be asked.
func isAboutStream(err error) bool {
	switch api.ClassOf(err) {
	case api.ClassConfig, api.ClassContract, api.ClassSource:
		return true
	}
	return false
}

// noteStream notes that the size of one stream is not known. Where the plan was told to ask, that is its error.
func (p *planBuilder) noteStream(workspace, stream string, err error) error {
	if p.asking == AskAll {
		return err
	}
	found := problem.AsProblem(err)
	p.plan.Notes = append(p.plan.Notes, fmt.Sprintf("the size of %s.%s is not known, and a run would fail there: %s", workspace, stream, found.Line(p.runner.Given)))
	return nil
}

func (p *planBuilder) addStream(planned PlannedStream) {
	p.plan.Streams = append(p.plan.Streams, planned)
	p.plan.Requests += max(0, planned.Requests)
}
