package config

import (
	"path"
	"slices"
	"strings"
	"time"

	"aqueduck/schemas"
)

// UsualRefresh is how far back exports are read again each day. Rows of a report may change for about a month after their day.
const UsualRefresh = 35 * 24 * time.Hour

// Settings returns the settings of a stream; the zero value when there are none.
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

// MatchesFamily reports whether a name or pattern can match datasets of a family: it is the family's name, begins with it, or is a pattern that
// could match such a name.
func MatchesFamily(pattern, family string) bool {
	any, err := path.Match(pattern, family+"_")
	return err == nil && (any || pattern == family || strings.HasPrefix(pattern, family+"_") && len(pattern) > len(family)+1)
}

// MatchesAny reports whether one of the names and patterns can match datasets of a family.
func MatchesAny(patterns []string, family *schemas.Stream) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return MatchesFamily(p, family.Name) })
}

// MatchesDataset reports whether a name or pattern matches one dataset.
func MatchesDataset(pattern, family, stream string) bool {
	if !strings.HasPrefix(stream, family+"_") {
		return false
	}
	matches, err := path.Match(pattern, stream)
	return err == nil && matches || pattern == family
}

// matchingFamilies returns the families of exports whose datasets a name or pattern can match. Only the source knows which datasets exist.
func (l *configLoader) matchingFamilies(pattern string) (names []string) {
	for _, s := range l.catalogue.Streams() {
		if s.IsExportFamily() && MatchesFamily(pattern, s.Name) {
			names = append(names, s.Name)
		}
	}
	return names
}
