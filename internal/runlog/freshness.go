package runlog

import (
	"path"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/schemas"
)

// Freshness is the age of a stream compared with the pipelines that read it.
type Freshness string

// The values of Freshness.
const (
	Fresh    Freshness = "fresh"    // the last run that was due has read it
	Late     Freshness = "late"     // one scheduled run was due since and did not read it
	Breached Freshness = "BREACHED" // two were due: somebody should look
)

// judgeFreshness sets the freshness of each stream. A stream without a schedule and without a limit gets none. So does one that the workspace
// never had, and one that no run has read completely, until it is late.
func (s *Status) judgeFreshness(config *config.Config, catalogue *schemas.Catalogue) {
	for i := range s.Streams {
		stream := &s.Streams[i]
		for _, p := range config.Pipelines {
			if ReadsStream(p, config, catalogue, stream.Workspace, stream.Stream) {
				read := stream.OK
				if read.IsZero() {
					read = stream.first // a stream that was never read is as old as its first run
				}
				stream.Freshness = fresherOf(stream.Freshness, freshnessOf(p, read, s.Now))
			}
		}
		if stream.OK.IsZero() && stream.Freshness == Fresh {
			stream.Freshness = ""
		}
	}
}

// addNeverRead adds the streams of pipelines that never read anything, once they are late: their runs could not begin, so no stream has a record. They are as
// old as the pipeline's first run of which there is a note, oldest first. A pipeline with a run that was OK had nothing to read. One with several workspaces may
// have a directory for each, and reads one of them here.
func (s *Status) addNeverRead(c *config.Config, catalogue *schemas.Catalogue, notes []PastRun) {
	var late []StreamStatus
	for _, p := range c.Pipelines {
		first := slices.IndexFunc(notes, func(e PastRun) bool { return e.Pipeline == p.Name && !e.Part })
		begins := slices.ContainsFunc(notes, func(e PastRun) bool { return e.Pipeline == p.Name && e.Outcome == "OK" })
		workspaces := p.Workspaces(c)
		if first < 0 || begins || len(workspaces) != 1 || s.hasBegun(p, c, catalogue) {
			continue
		}
		freshness := freshnessOf(p, notes[first].Started, s.Now)
		if freshness != Late && freshness != Breached {
			continue
		}
		for _, stream := range p.Streams {
			if !slices.ContainsFunc(late, func(known StreamStatus) bool { return known.Workspace == workspaces[0] && known.Stream == stream }) {
				late = append(late, StreamStatus{Workspace: workspaces[0], Stream: stream, Freshness: freshness, unread: true})
			}
		}
	}
	s.Streams = append(s.Streams, late...)
}

// hasBegun reports whether a run has begun to read a stream of the pipeline.
func (s *Status) hasBegun(p *config.Pipeline, c *config.Config, catalogue *schemas.Catalogue) bool {
	for name := range s.tried {
		if workspace, stream, _ := strings.Cut(name, "."); ReadsStream(p, c, catalogue, workspace, stream) {
			return true
		}
	}
	return slices.ContainsFunc(s.Streams, func(known StreamStatus) bool { return ReadsStream(p, c, catalogue, known.Workspace, known.Stream) })
}

// fresherOf returns the better of two values: when several pipelines read a stream, one on time is enough.
func fresherOf(a, b Freshness) Freshness {
	order := []Freshness{Fresh, Late, Breached, ""}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}

// Stale returns the names of the streams whose freshness SLA is breached.
func (s *Status) Stale() (names []string) {
	for _, stream := range s.Streams {
		if stream.Freshness == Breached {
			names = append(names, stream.Stream)
		}
	}
	return names
}

// freshnessOf compares the time when a stream was last read completely with the schedule and the limits of a pipeline.
func freshnessOf(p *config.Pipeline, read, now time.Time) Freshness {
	if read.IsZero() {
		return ""
	}
	warn, breach := p.WarnAfter, p.ErrorAfter
	if p.Schedule != nil {
		// The schedule's own next time, not a fixed distance: a schedule of weekdays has a gap of three days over a weekend.
		due := p.Schedule.Next(read)
		if warn == 0 && !due.IsZero() {
			warn = due.Sub(read)
		}
		if next := p.Schedule.Next(due); breach == 0 && !next.IsZero() {
			breach = next.Sub(read)
		}
	}
	age := now.Sub(read)
	switch {
	case breach > 0 && age > breach:
		return Breached
	case warn > 0 && age > warn:
		return Late
	case breach == 0 && warn == 0:
		return ""
	}
	return Fresh
}

// ReadsStream reports whether the pipeline reads a stream of a workspace: by its name, along with another stream, or as a dataset.
func ReadsStream(p *config.Pipeline, config *config.Config, catalogue *schemas.Catalogue, workspace, stream string) bool {
	if !slices.Contains(p.Workspaces(config), workspace) {
		return false
	}
	if slices.Contains(p.Streams, stream) || slices.ContainsFunc(p.Datasets, func(pattern string) bool {
		ok, err := path.Match(pattern, stream)
		return ok && err == nil
	}) {
		return true
	}
	return slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool {
		return s.Name == stream && s.With != "" && slices.Contains(p.Streams, s.With)
	})
}
