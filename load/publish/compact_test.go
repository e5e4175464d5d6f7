package publish_test

import (
	"fmt"
	"testing"

	"aqueduck/load"
)

// TestUnchangedRunsAddNothingToTheFile publishes run after run that brings nothing but its own records: the file stays as large as after
// the first five, and each run's records are in it.
func TestUnchangedRunsAddNothingToTheFile(t *testing.T) {
	t.Parallel()
	const runs = 12
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x"), newPerson("2", "b"))
	sizes := map[int]int64{}
	for n := 1; n <= runs; n++ {
		streams := make([]load.StreamRun, 9)
		for i := range streams {
			streams[i] = load.StreamRun{Schema: "main", Stream: fmt.Sprint("stream ", i), Outcome: "ok", Started: h.now, Finished: h.now}
		}
		must(t, h.work.Records.SaveRun(t.Context(), load.Run{RunID: h.runName(), Started: h.now, Finished: h.now, Outcome: "OK"}, streams, nil, nil))
		sizes[n] = h.publishAndReopen().Bytes
	}
	const block = 256 << 10
	for n := 6; n <= runs; n++ {
		if grown := sizes[n] - sizes[5]; grown > 4*block {
			t.Errorf("after run %d the file is %d bytes larger than after run 5", n, grown)
		}
	}
	for query, want := range map[string]string{
		"SELECT count(DISTINCT run_id) FROM _sync.runs": fmt.Sprint(runs),
		"SELECT count(*) FROM _sync.stream_runs":        fmt.Sprint(9 * runs),
		"SELECT count(*) FROM _sync.publishes":          fmt.Sprint(runs),
		"SELECT count(*) FROM people":                   "2",
		"SELECT count(*) FROM duckdb_columns() WHERE schema_name = '_sync' AND coalesce(comment, '') = ''": "0",
	} {
		if got := firstColumn(t, h.dir, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v instead of %s", query, got, want)
		}
	}
}
