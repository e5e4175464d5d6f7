package publish_test

import (
	"fmt"
	"os"
	"testing"

	"aqueduck/load"
)

// TestTheRecordsOfRunsTakeNoBlockEach publishes run after run that changes one row: the file stays about as large as after the first
// five, and each run's records are in it. AQUEDUCK_LONG makes it a year of nightly runs, which add at most 2 MB.
func TestTheRecordsOfRunsTakeNoBlockEach(t *testing.T) {
	t.Parallel()
	const block = 256 << 10
	runs, most := 12, int64(4*block)
	if os.Getenv("AQUEDUCK_LONG") != "" {
		runs, most = 365, 2<<20
	}
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x"), newPerson("2", "b"))
	sizes := map[int]int64{}
	for n := 1; n <= runs; n++ {
		h.commitPeople(newPerson("1", fmt.Sprint("name ", n), "x"))
		saveRun(h, 9)
		sizes[n] = h.publishAndReopen().Bytes
		if grown := sizes[n] - sizes[5]; n > 5 && grown > most {
			t.Errorf("after run %d the file is %d bytes larger than after run 5", n, grown)
		}
	}
	t.Log("bytes after publish 1, 5 and the last: ", sizes[1], sizes[5], sizes[runs])
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

// saveRun saves the records of the present run, with those of so many streams.
func saveRun(h *publishFixture, n int) {
	h.t.Helper()
	streams := make([]load.StreamRun, n)
	for i := range streams {
		streams[i] = load.StreamRun{Schema: "main", Stream: fmt.Sprint("stream ", i), Outcome: "ok", Started: h.now, Finished: h.now}
	}
	must(h.t, h.work.Records.SaveRun(h.t.Context(), load.Run{RunID: h.runName(), Started: h.now, Finished: h.now, Outcome: "OK"}, streams, nil, nil))
}
