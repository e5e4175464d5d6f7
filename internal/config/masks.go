package config

import (
	"slices"

	"aqueduck/schemas"
	"aqueduck/transform"
)

// NamesColumn reports whether a column is masked under the dataset's own name, and not only under a pattern.
func (c *Config) NamesColumn(stream, column string) bool {
	return slices.ContainsFunc(c.datasets, func(d datasetSettings) bool {
		return d.pattern == stream && (slices.Contains(d.settings.Hash, column) || slices.Contains(d.settings.Drop, column))
	})
}

// HasHashes reports whether any column is stored as a hash.
func (c *Config) HasHashes(catalogue *schemas.Catalogue) bool {
	return slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool { return len(c.Settings(s.Name).Hash) > 0 }) ||
		slices.ContainsFunc(c.datasets, func(d datasetSettings) bool { return len(d.settings.Hash) > 0 })
}

// MaskedColumns returns the masking of a stream's table, by the stream and by those that write into its table: sorted names with their rule before
// them, as hash:email.
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

// maskableColumns returns those of some names that the stream has as columns. A pattern's names need not exist in each of its streams.
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
