package publish_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"
	"time"

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

// TestParquetFollowsEverySoOften publishes four times within six hours, and once after them. An erasure does not wait.
func TestParquetFollowsEverySoOften(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	follow := func(s publish.Spec) publish.Result {
		t.Helper()
		s.LakeEvery = 6 * time.Hour
		r, err := publish.Publish(t.Context(), h.dir, h.work, s)
		must(t, err)
		h.openRun() // an hour later
		return r
	}
	for i := range 7 {
		h.commitPeople(newPerson("1", fmt.Sprint(i)))
		r := follow(h.runSpec())
		if written := i == 0 || i == 6; !r.Published || (r.Parts > 0) != written {
			t.Errorf("publish %d: result %+v, want Parquet files: %t", i, r, written)
		}
	}
	if r := follow(h.runSpec()); r.Published {
		t.Errorf("result %+v, want nothing published: no row changed, and the Parquet files are not due", r)
	}
	h.commitPeople(newPerson("1", "last"))
	follow(h.runSpec())
	for range 5 {
		h.openRun()
	}
	if r := follow(h.runSpec()); !r.Published || r.Parts == 0 {
		t.Errorf("result %+v, want the Parquet files, which are due, although no row changed", r)
	}
	h.commitPeople(newPerson("1", "erased"))
	must(t, h.dir.BeginErasing())
	if r := follow(h.runSpec()); r.Parts == 0 {
		t.Errorf("result %+v after an erasure", r)
	}
	h.requireConsistent(true)
}

// TestParquetThatIsNotWantedIsRemoved, and is there again when it is wanted again.
func TestParquetThatIsNotWantedIsRemoved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	s := h.runSpec()
	s.DropLake = true
	for _, want := range []bool{true, false} { // the second run has nothing to do
		r, err := publish.Publish(t.Context(), h.dir, h.work, s)
		must(t, err)
		if _, err := os.Stat(h.dir.Lake("main")); r.Published != want || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("result %+v, the directory: %v", r, err)
		}
		h.openRun()
	}
	if r := h.publishAndReopen(); r.Parts != 7 {
		t.Errorf("result %+v, want all Parquet files", r)
	}
}
