package plan

import (
	"time"

	"aqueduck/extract/api"
	"aqueduck/internal/config"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
)

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

// planBuilder makes a plan of what is published, and of what the sources say.
type planBuilder struct {
	runner *runner.Runner
	states []runlog.StreamState
	past   map[string]int64 // requests of the last run, by workspace.stream
	plan   *Plan
	seen   map[string]bool // workspace.stream that is planned: pipelines may share it
}

// pipelineSource is a workspace as a pipeline reads it.
type pipelineSource struct {
	pipeline  *config.Pipeline
	workspace string
	client    *api.Client // nil: it is not asked
}

func (p *planBuilder) addStream(planned PlannedStream) {
	p.plan.Streams = append(p.plan.Streams, planned)
	p.plan.Requests += max(0, planned.Requests)
}
