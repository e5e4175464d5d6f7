package config

import (
	"fmt"
	"slices"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/maskrule"
)

// NamesColumn reports whether a column is masked under the dataset's own name, and not only under a pattern.
func (c *Config) NamesColumn(stream, column string) bool {
	return slices.ContainsFunc(c.datasets, func(d datasetSettings) bool {
		return d.pattern == stream && (slices.Contains(d.settings.Hash, column) || slices.Contains(d.settings.Drop, column))
	})
}

// HasHashes reports whether any column is stored as a hash.
func (c *Config) HasHashes(catalogue *schemas.Catalogue) bool {
	return c.personal == maskHash || slices.ContainsFunc(catalogue.Streams(), func(s *schemas.Stream) bool { return len(c.Settings(s.Name).Hash) > 0 }) ||
		slices.ContainsFunc(c.datasets, func(d datasetSettings) bool { return len(d.settings.Hash) > 0 })
}

// The two ways of masking, as in the file.
const (
	maskHash = "hash"
	maskDrop = "drop"
)

// MaskedNames returns what of a stream is hashed or dropped: the names under streams, and with personal each other personal column. A personal
// column that cannot be hashed, because it is no text, is dropped.
func (c *Config) MaskedNames(s *schemas.Stream) (hash, drop []string) {
	settings := c.Settings(s.Name)
	hash, drop = settings.Hash, settings.Drop
	if c.personal == "" {
		return hash, drop
	}
	for _, name := range s.PersonalColumns() {
		switch {
		case slices.Contains(hash, name) || slices.Contains(drop, name):
		case c.personal == maskHash && checkMask(s, name, maskHash) == nil:
			hash = append(slices.Clip(hash), name)
		default:
			drop = append(slices.Clip(drop), name)
		}
	}
	return hash, drop
}

// checkMask is nil for a column that can be masked in this way.
func checkMask(s *schemas.Stream, column, way string) error {
	if way == maskHash {
		return transform.CheckMasking(s, []string{column}, nil)
	}
	return transform.CheckMasking(s, nil, []string{column})
}

// checkAsked refuses to mask a column whose values a child stream sends to the source: it would ask for hashes, or for nothing.
func (l *configLoader) checkAsked(s *schemas.Stream, name, way string) error {
	if checkMask(s, name, way) != nil {
		return nil // refused anyway, or no column of this stream
	}
	for _, child := range l.catalogue.Streams() {
		if over := child.Read.Over; child.Read.UsesPendingIDs() && (slices.Contains(over.Streams, s.Name) || slices.Contains(over.Streams, s.Owner())) {
			asked := *s
			asked.Key = append(slices.Clone(s.Key), over.Where) // what holds for a key holds for such a column
			if checkMask(&asked, name, way) != nil {
				return fmt.Errorf("stream %s asks the source for the values of %s.%s (over: where)", child.Name, s.Name, over.Where)
			}
		}
	}
	return nil
}

// takePersonal masks the personal columns of every stream. A column that cannot be masked is a mistake, because it would stay readable.
func (l *configLoader) takePersonal(v *grammar.Value) {
	if v.Text() == "keep" {
		return
	}
	l.config.personal = v.Text()
	for _, s := range l.catalogue.Streams() {
		if s.IsExportFamily() {
			continue
		}
		hash, drop := l.config.MaskedNames(s)
		if err := transform.CheckMasking(s, hash, drop); err != nil {
			v.Wrong("give streams."+s.Name+" its own hash and drop", "%v", err)
		}
		for i, name := range slices.Concat(hash, drop) {
			way := maskHash
			if i >= len(hash) {
				way = maskDrop
			}
			if err := l.checkAsked(s, name, way); err != nil {
				v.Wrong("remove pii from that column, or name another one in where", "%v", err)
			}
		}
	}
}

// MaskedColumns returns the masking of a stream's table, by the stream and by those that write into its table: sorted names with their rule before
// them, as hash:email.
func (c *Config) MaskedColumns(s *schemas.Stream, streams []*schemas.Stream) []string {
	var hash, drop []string
	for _, other := range streams {
		if other.Name == s.Name || other.Into == s.Name {
			h, d := c.MaskedNames(other)
			hash, drop = slices.Concat(hash, maskableColumns(other, h)), slices.Concat(drop, maskableColumns(other, d))
		}
	}
	return slices.Concat(prefixNames("hash:", hash), prefixNames("drop:", drop))
}

// maskableColumns returns those of some names that the stream has as columns. A pattern's names need not exist in each of its streams.
func maskableColumns(s *schemas.Stream, names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		_, err := maskrule.SourcePaths(s, name)
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
