package runner

import "time"

// Options narrow or extend one run.
type Options struct {
	Select, Exclude []string      // stream, or pipeline.stream, or a pattern of either; no Select selects all
	Workspaces      []string      // only these; none: all that the pipeline reads
	Since, Until    time.Time     // read this span of the streams that are read by time, without moving the watermark
	Failed          bool          // only the streams that failed in the pipeline's last run
	FullRefresh     bool          // read everything again and replace what differs
	MaxTime         time.Duration // 0: the pipeline's own
	MaxRequests     int64         // 0: the pipeline's own
	Limit           int64         // stop a stream after the page that reaches so many records; 0: no limit
	Wait            time.Duration // how long to wait for the run under way
	AcceptDrop      []string      // streams or tables that may lose a large share of their rows
	AcceptHashKey   bool          // with FullRefresh: accept another hash key than the one that stored values were hashed with
	FailFast        bool          // the first stream that fails ends the run; complete pages of the others are committed
	Try             int           // number of the try for one scheduled time, from 1; 0: started by hand, without retries
	CaughtUp        bool          // a catch-up run

	RunID string // the id of the run; "": a new one is made
}

// IsNarrow reports whether the run is limited to some workspaces, some streams, some records or a span of time.
func (o *Options) IsNarrow() bool {
	return len(o.Workspaces) > 0 || o.IsPart()
}

// IsPart reports whether the run is limited to some streams, some records or a span of time. Its success says nothing about the rest of the pipeline.
// A run of some workspaces is none: a workspace with a directory of its own has no other runs.
func (o *Options) IsPart() bool {
	return len(o.Select)+len(o.Exclude) > 0 || o.Limit > 0 || o.IsWindowed()
}

// IsWindowed reports whether the run reads an explicit span of time.
func (o *Options) IsWindowed() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

// AcceptsDrop reports whether the operator accepted a large loss of rows for one of these streams or tables.
func (o *Options) AcceptsDrop(names ...string) bool {
	for _, accepted := range o.AcceptDrop {
		for _, name := range names {
			if accepted == name {
				return true
			}
		}
	}
	return false
}
