package dictionary

import (
	"path"
	"slices"

	"aqueduck/schemas"
	"aqueduck/transform"
)

// MatchesStream says whether a stream, or the one it goes with, is meant by one of the patterns.
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

// Tables are all tables of streams, with those of their copies.
func Tables(streams []*schemas.Stream) (all []transform.Table) {
	for _, s := range streams {
		if s.Read.Since.By == schemas.Export && len(s.Columns) == 0 || s.Into != "" {
			continue // a family, or a dataset that no file has come of yet; one whose tables are another's
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

// IsTable says whether a name is that of a table of streams, or of the view of its rows that are not gone.
func IsTable(streams []*schemas.Stream, name string) bool {
	return slices.ContainsFunc(Tables(streams), func(t transform.Table) bool { return name != "" && (t.Name == name || t.View == name) })
}
