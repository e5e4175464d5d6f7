package runner

import "time"

// Options narrow or widen one run.
type Options struct {
	Select, Exclude []string      // names or globs: stream, or pipeline.stream; none selects all
	Since, Until    time.Time     // read this span of the streams that are read by time and move no mark
	Failed          bool          // only the streams that did not end well in the pipeline's last run
	FullRefresh     bool          // forget the marks first: everything is read again, and what differs replaced
	MaxTime         time.Duration // 0: the pipeline's own
	MaxRequests     int64         // 0: the pipeline's own
	Limit           int64         // a stream is read no further than the page that brings so many records; 0: to its end
	Wait            time.Duration // how long to wait for another run
	AcceptDrop      []string      // streams or tables that may lose a large share of their rows
	AcceptHashKey   bool          // with FullRefresh: hash with the key that is there, or a new one, though stored values have another's hashes
	FailFast        bool          // a stream that fails ends the run: others commit what is whole
	Try             int           // which of the runs of one time of the schedule it is, from 1; 0: begun by hand, and not tried again
	CaughtUp        bool          // it makes up for a time of the schedule that was missed, or whose run did not come to its end

	RunID string // of the run; "": one is made
}

// IsNarrow says that some streams, some records or a span of time are wanted only.
func (o *Options) IsNarrow() bool {
	return len(o.Select)+len(o.Exclude) > 0 || o.Limit > 0 || o.IsWindowed()
}

// IsWindowed reports whether an explicit span of time is wanted.
func (o *Options) IsWindowed() bool { return !o.Since.IsZero() || !o.Until.IsZero() }

// AcceptsDrop reports whether one of these streams or tables may lose a large share of its rows.
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
