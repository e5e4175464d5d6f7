package publish_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/load/publish"
)

// TestNoLakeKeepsTheParquetFiles, until something is erased, which may be in them, or they are published again.
func TestNoLakeKeepsTheParquetFiles(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	alone := func() publish.Result {
		t.Helper()
		s := h.runSpec()
		s.NoLake = true
		r, err := publish.Publish(t.Context(), h.dir, h.work, s) // the manifest goes on naming the file before
		must(t, err)
		h.openRun()
		return r
	}
	h.commitPeople(newPerson("1", "a"))
	if r := alone(); !r.Published || r.Parts != 0 || len(lakePartStates(t, h)) != 0 {
		t.Errorf("result %+v, want a file and no Parquet", r)
	}
	h.publishAndReopen()
	before := lakePartStates(t, h)
	h.commitPeople(newPerson("1", "b"))
	r := alone()
	if diff := cmp.Diff(before, lakePartStates(t, h)); diff != "" || len(before) == 0 || firstColumn(t, h.dir, "SELECT name FROM people")[0] != "b" {
		t.Errorf("Parquet files changed: %s", diff)
	}
	must(t, h.dir.BeginErasing())
	if r = alone(); r.Parts == 0 || h.dir.Erasing() {
		t.Errorf("result %+v of a publish after an erasure, want Parquet files", r)
	}
}
