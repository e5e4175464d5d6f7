package plan

import (
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

// Plan is what a sync would do, as far as that is known in advance.
type Plan struct {
	Streams  []PlannedStream `json:"streams"`
	Tables   []string        `json:"tables_to_create"`
	Columns  []string        `json:"columns_to_add"` // table.column
	Requests int64           `json:"requests"`       // estimate; streams without one do not count
	Time     time.Duration   `json:"time_ns"`        // estimate
	Notes    []string        `json:"notes"`          // other remarks: values that are still masked, a missing hash key
}

// Changes reports whether the run would add tables or columns.
func (p *Plan) Changes() bool { return len(p.Tables)+len(p.Columns) > 0 }

// PlannedStream is one stream of a plan.
type PlannedStream struct {
	Workspace string  `json:"workspace"`
	Stream    string  `json:"stream"`
	Read      string  `json:"read"`                // what would be read, in words
	Records   int64   `json:"records"`             // records in the source, with --ask; -1: not known
	Requests  int64   `json:"requests"`            // estimate; -1: not known
	Basis     string  `json:"basis"`               // what the estimate is based on
	Change    float64 `json:"requests_per_change"` // requests for one changed record; 0: none of its own
}

// planBuilder builds a plan.
type planBuilder struct {
	runner *runner.Runner
	states []runlog.StreamState
	past   map[string]int64 // requests of the last complete run, by workspace.stream
	plan   *Plan
	seen   map[string]bool // workspace.stream that is already planned: several pipelines may read it
}

// pipelineSource is a workspace as one pipeline reads it.
type pipelineSource struct {
	pipeline  *config.Pipeline
	workspace string
	client    *api.Client // nil: the plan sends no requests
}

func (p *planBuilder) addStream(planned PlannedStream) {
	p.plan.Streams = append(p.plan.Streams, planned)
	p.plan.Requests += max(0, planned.Requests)
}
