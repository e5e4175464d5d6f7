package runlog

import (
	"path"
	"slices"
	"time"

	"aqueduck/internal/config"
	"aqueduck/schemas"
)

// Freshness judges how old a stream is against the pipelines that read it.
type Freshness string

// What the age of a stream may be.
const (
	Fresh    Freshness = "fresh"    // of the last run that was due, or newer
	Late     Freshness = "late"     // one run was due since and did not bring it
	Breached Freshness = "BREACHED" // two were: somebody should look
)

// judgeFreshness says how fresh each stream is. One that no pipeline reads by a schedule or within a limit is not judged, and one that
// the workspace never had is not owed.
func (s *Status) judgeFreshness(config *config.Config, catalogue *schemas.Catalogue) {
	for i := range s.Streams {
		stream := &s.Streams[i]
		for _, p := range config.Pipelines {
			if ReadsStream(p, config, catalogue, stream.Workspace, stream.Stream) {
				read := stream.OK
				if read.IsZero() {
					read = stream.first // it is as old as the wish to have it
				}
				stream.Freshness = fresherOf(stream.Freshness, freshnessOf(p, read, s.Now))
			}
		}
	}
}

// fresherOf is the fresher of two judgements: of several pipelines that read a stream, one is enough.
func fresherOf(a, b Freshness) Freshness {
	order := []Freshness{Fresh, Late, Breached, ""}
	return order[min(slices.Index(order, a), slices.Index(order, b))]
}

// Stale are the streams whose freshness is breached.
func (s *Status) Stale() (names []string) {
	for _, stream := range s.Streams {
		if stream.Freshness == Breached {
			names = append(names, stream.Stream)
		}
	}
	return names
}

// freshnessOf judges a stream that was last read well at a time.
func freshnessOf(p *config.Pipeline, read, now time.Time) Freshness {
	if read.IsZero() {
		return ""
	}
	warn, breach := p.WarnAfter, p.ErrorAfter
	if p.Schedule != nil {
		// Not the distance of two times: that of a schedule of weekdays is three days over a weekend.
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

// ReadsStream says whether the pipeline reads a stream, or the dataset of a family, of a workspace.
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
