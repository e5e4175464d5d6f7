package oracletest

import (
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

// readable leaves out what no answer holds any more: parts beyond the newest ones, whose stored rows, if there are any,
// are as they were when they were read last. The first two columns name the part.
func readable(got []string, rows []map[string]any, columns []string) (kept []string, want []map[string]any) {
	out := map[string]bool{}
	for _, row := range rows {
		if row["readable"] == false {
			out[join([]any{row[columns[0]], row[columns[1]]})] = true
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

func compare(t testing.TB, space *emulator.Workspace, file string, truths []truth, kept *memory) {
	t.Helper()
	f := open(t, file)
	defer f.close()
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
		got, rows := readable(f.rows(query), space.Oracle(truth.stream), theirs)
		var want []string
		for _, row := range rows {
			values := make([]any, len(theirs))
			for i, name := range theirs {
				values[i] = kept.value(truth.stream, name, row)
			}
			want = append(want, join(values))
		}
		Same(t, truth.stream, got, want)
	}
}
