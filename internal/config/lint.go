package config

import (
	"errors"
	"fmt"
	"time"

	"aqueduck/internal/grammar"
	"aqueduck/internal/schedule"
)

// schedule gives the times of a pipeline; nil where it has none.
func (l *loader) schedule(cron *grammar.Value, zone *time.Location) *schedule.Schedule {
	if !cron.Set() {
		return nil
	}
	times, err := schedule.Parse(cron.Text(), zone)
	if err != nil {
		hint := `five fields: minute hour day month weekday, e.g. "0 2 * * *"`
		if errors.Is(err, schedule.ErrNever) || errors.Is(err, schedule.ErrZone) {
			hint = ""
		}
		cron.Wrong(hint, "%v", err)
		return nil
	}
	if skipped, instead := times.Skipped(time.Now()); skipped != "" {
		cron.Warn("an hour that every day has runs at its time", "once a year %s has no %s: the clocks go forward, and the run begins at %s", zone, skipped, instead)
	}
	return times
}

// versions warns of a stream that is named and that the API version of a workspace does not have: it would be unavailable.
func (l *loader) versions(c *Config, p *Pipeline, stream *grammar.Value) {
	s, ok := l.catalogue.Stream(stream.Text())
	if !ok || s.Needs.Version == "" {
		return
	}
	for _, name := range p.Workspaces(c) {
		w, there := c.Workspaces[name]
		if there && OlderVersion(w.APIVersion, s.Needs.Version) {
			stream.Warn(fmt.Sprintf("api_version: %q, or later", s.Needs.Version), "%q needs API version %s, and workspace %s asks for %s: it will be unavailable",
				s.Name, s.Needs.Version, name, w.APIVersion)
		}
	}
}
