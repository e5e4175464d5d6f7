package config

import (
	"slices"

	"aqueduck/schemas"
	"aqueduck/transform"
)

// NamesColumn says whether a column is hidden under the dataset's own name, not under a pattern.
func (c *Config) NamesColumn(stream, column string) bool {
	return slices.ContainsFunc(c.datasets, func(d datasetSettings) bool {
		return d.pattern == stream && (slices.Contains(d.settings.Hash, column) || slices.Contains(d.settings.Drop, column))
	})
}

// HasHashes reports whether anything is kept as a hash.
func (c *Config) HasHashes(catalogue *schemas.Catalogue) bool {
	return slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool { return len(c.Settings(s.Name).Hash) > 0 }) ||
		slices.ContainsFunc(c.datasets, func(d datasetSettings) bool { return len(d.settings.Hash) > 0 })
}

// MaskedColumns are the names of hash and drop that the stored rows of a stream are made with, by itself and by those that go into its tables:
// each with what it does before it, sorted.
func (c *Config) MaskedColumns(s *schemas.Stream, streams []*schemas.Stream) []string {
	var hash, drop []string
	for _, other := range streams {
		if other.Name == s.Name || other.Into == s.Name {
			settings := c.Settings(other.Name)
			hash, drop = slices.Concat(hash, maskableColumns(other, settings.Hash)), slices.Concat(drop, maskableColumns(other, settings.Drop))
		}
	}
	return slices.Concat(prefixNames("hash:", hash), prefixNames("drop:", drop))
}

// maskableColumns are the names that a stream has: those of a pattern are not all for each of its streams.
func maskableColumns(s *schemas.Stream, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := transform.MaskRules(s, name, false)
		return err != nil
	})
}

func prefixNames(kind string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, kind+name)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
