package oracletest

import (
	"strings"

	"aqueduck/internal/emulator"
)

// dropUnreadable removes rows that no answer of the API contains any more: parts beyond the newest ones. Their stored rows, if any, are as they
// were last read. The first two columns identify the part.
func dropUnreadable(got []string, rows []map[string]any, columns []string) (kept []string, want []map[string]any) {
	out := map[string]bool{}
	for _, row := range rows {
		if row["readable"] == false {
			out[joinValues([]any{row[columns[0]], row[columns[1]]})] = true
			continue
		}
		want = append(want, row)
	}
	for _, line := range got {
		if values := strings.SplitN(line, "|", 3); len(values) < 3 || !out[values[0]+"|"+values[1]] {
			kept = append(kept, line)
		}
	}
	return kept, want
}

func (f publishedFile) compareTruths(space *emulator.Workspace, truths []streamTruth, kept *erasedRecords) {
	f.Helper()
	for _, truth := range truths {
		var ours, theirs []string
		for _, c := range truth.columns {
			theirName, ourName, found := strings.Cut(c, ":")
			if !found {
				ourName = theirName
			}
			theirs, ours = append(theirs, theirName), append(ours, ourName)
		}
		query := "SELECT " + strings.Join(ours, ", ") + " FROM " + truth.relation
		got, rows := dropUnreadable(f.selectRows(query), space.Oracle(truth.stream), theirs)
		var want []string
		for _, row := range rows {
			values := make([]any, len(theirs))
			for i, name := range theirs {
				values[i] = kept.storedValue(truth.stream, name, row)
			}
			want = append(want, joinValues(values))
		}
		CompareRows(f.TB, truth.stream, got, want)
	}
}
