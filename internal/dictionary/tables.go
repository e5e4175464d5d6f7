package dictionary

import (
	"path"
	"slices"

	"aqueduck/schemas"
	"aqueduck/transform"
)

// MatchesStream reports whether one of the patterns matches a stream, or the stream that it is read along with.
func MatchesStream(patterns []string, s *schemas.Stream) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		for _, name := range []string{s.Name, s.With} {
			if ok, err := path.Match(pattern, name); err == nil && ok && name != "" {
				return true
			}
		}
		return false
	})
}

// Tables returns all tables of streams, including their daily snapshots.
func Tables(streams []*schemas.Stream) (all []transform.Table) {
	for _, s := range streams {
		if s.Read.Since.By == schemas.Export && len(s.Columns) == 0 || s.Into != "" {
			continue // a family, a dataset without any export yet, or a stream that writes into another one's tables
		}
		all = append(all, transform.Tables(s)...)
		if history, kept := transform.History(s); kept {
			all = append(all, history)
		}
		if copies, kept := transform.SnapshotTable(s); kept {
			all = append(all, copies)
		}
	}
	return all
}

// TableNames returns the names that IsTable knows.
func TableNames(streams []*schemas.Stream) (all []string) {
	for _, t := range Tables(streams) {
		all = append(all, t.Name)
		if t.View != "" {
			all = append(all, t.View)
		}
	}
	return all
}

// IsTable reports whether a name is a table of the streams, or the view of its rows that are not gone.
func IsTable(streams []*schemas.Stream, name string) bool {
	return slices.Contains(TableNames(streams), name)
}
