package config

import (
	"path"
	"slices"
	"strings"
	"time"

	"aqueduck/schemas"
)

// UsualRefresh is how long after its day a row of a report may still change, as far as is known, and a few days.
const UsualRefresh = 35 * 24 * time.Hour

// Settings gives what is wanted different for a stream; the zero value when nothing is.
func (c *Config) Settings(stream string) Settings {
	settings := c.settings[stream]
	for _, d := range c.datasets {
		if !slices.ContainsFunc(d.families, func(family string) bool { return MatchesDataset(d.pattern, family, stream) }) {
			continue
		}
		if !d.settings.Start.IsZero() {
			settings.Start = d.settings.Start
		}
		if d.settings.Refresh > 0 {
			settings.Refresh = d.settings.Refresh
		}
		settings.Hash = slices.Concat(settings.Hash, d.settings.Hash)
		settings.Drop = slices.Concat(settings.Drop, d.settings.Drop)
	}
	return settings
}

// MatchesFamily says whether a name or pattern can mean datasets of a family: it is the family's own, begins as their names
// do, or would take any of them.
func MatchesFamily(pattern, family string) bool {
	any, err := path.Match(pattern, family+"_")
	return err == nil && (any || pattern == family || strings.HasPrefix(pattern, family+"_") && len(pattern) > len(family)+1)
}

// MatchesAny says whether any of some names and patterns can mean datasets of a family.
func MatchesAny(patterns []string, family *schemas.Stream) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return MatchesFamily(p, family.Name) })
}

// MatchesDataset says whether a name or pattern means one dataset.
func MatchesDataset(pattern, family, stream string) bool {
	if !strings.HasPrefix(stream, family+"_") {
		return false
	}
	matches, err := path.Match(pattern, stream)
	return err == nil && matches || pattern == family
}

// matchingFamilies names the families of exports whose datasets a name or pattern can mean. Which there are only the source knows.
func (l *configLoader) matchingFamilies(pattern string) (names []string) {
	for _, s := range l.catalogue.Streams() {
		if s.IsExportFamily() && MatchesFamily(pattern, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}
