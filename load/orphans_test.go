package load_test

import (
	"maps"
	"testing"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/transform"
)

// TestOrphansAreRowsOfListsWhoseRecordIsNotStored: of a table that changed, or whose records did.
func TestOrphansAreRowsOfListsWhoseRecordIsNotStored(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0,
		committest.Person{Region: "eu", ID: "1", Name: "a", Tags: []string{"x", "y"}},
		committest.Person{Region: "eu", ID: "2", Name: "b", Tags: []string{"x"}, Visits: []committest.Visit{{ID: "v", Note: "n"}}})
	orphans := func() map[string]int64 {
		t.Helper()
		found, err := w.Facts.Orphans(t.Context(), "main", transform.Tables(committest.Stream()))
		must(t, err)
		return found
	}
	if got := orphans(); len(got) > 0 {
		t.Errorf("of what was committed: %v", got)
	}
	must(t, w.Plant(t.Context(), "DELETE FROM main.people_all WHERE id = '1'"))
	if got := orphans(); !maps.Equal(got, map[string]int64{"people_tags": 2}) {
		t.Errorf("without one record: %v", got)
	}
	must(t, w.Plant(t.Context(), "UPDATE _sync.tables SET verified_at = changed_at"))
	if got := orphans(); len(got) > 0 {
		t.Errorf("tables that did not change are looked through again: %v", got)
	}
}
