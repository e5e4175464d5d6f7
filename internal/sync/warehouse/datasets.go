package warehouse

import (
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// storedDatasets returns the datasets of known families that have a checkpoint: their states by stream, and the streams that have columns already,
// sorted by name.
func storedDatasets(states map[string]string, families []*schemas.Stream) (map[string]*extract.Export, []*schemas.Stream, error) {
	stored := map[string]*extract.Export{}
	var streams []*schemas.Stream
	for name, text := range states {
		state, err := extract.ParseState(text)
		if err != nil || state.Export == nil {
			continue // the run that reads this stream reports the unreadable checkpoint
		}
		at := slices.IndexFunc(families, func(s *schemas.Stream) bool { return s.IsExportFamily() && s.Name == state.Export.Family })
		if at < 0 {
			continue
		}
		stored[name] = state.Export
		if s := dictionary.DatasetStream(families[at], name, state.Export); len(s.Columns) > 0 {
			streams = append(streams, s)
		}
	}
	slices.SortFunc(streams, func(a, b *schemas.Stream) int { return strings.Compare(a.Name, b.Name) })
	return stored, streams, nil
}

func replaceTable(tables []transform.Table, t transform.Table) []transform.Table {
	tables = slices.Clone(tables)
	at := slices.IndexFunc(tables, func(other transform.Table) bool { return other.Name == t.Name })
	if at < 0 {
		return append(tables, t)
	}
	tables[at] = t
	return tables
}
