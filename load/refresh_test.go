package load_test

import (
	"slices"
	"strings"
	"testing"

	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/transform"
)

// refreshPeople merges people as a commit of a full refresh.
func (w *testWarehouse) refreshPeople(t testing.TB, people ...committest.Person) load.Written {
	t.Helper()
	return w.commitBatches(t, func(b *transform.Batch) { b.Refresh = true }, committest.Batches(0, people...))
}

// commitBatches is the next commit of the stream; change alters each batch first.
func (w *testWarehouse) commitBatches(t testing.TB, change func(*transform.Batch), batches []transform.Batch) load.Written {
	t.Helper()
	defer committest.Release(batches)
	for i := range batches {
		change(&batches[i])
	}
	base, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people")
	must(t, err)
	next := base
	next.Seq++
	written, err := w.Commit(t.Context(), "main", "people", base, next, batches)
	must(t, err)
	return written
}

// columnText gives some columns of the rows of a table, in order.
func (w *testWarehouse) columnText(t testing.TB, table string, columns ...string) string {
	t.Helper()
	var list []string
	for _, row := range w.Rows(t, "main", table) {
		var values []string
		for _, c := range columns {
			values = append(values, row[c])
		}
		list = append(list, strings.Join(values, "/"))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// TestT172AFullRefreshReplacesRowsWithNewerTimes has a source whose updated_at decreased, as after a restore at the
// source. An ordinary commit keeps the newer row. A full refresh takes what the source has now, with all lists inside. A
// copy older than one that the same refresh has read comes from a replica, and is dropped, also after a kill in between.
func TestT172AFullRefreshReplacesRowsWithNewerTimes(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	visit := func(note string) []committest.Visit {
		return []committest.Visit{{ID: "v1", Note: note, Photos: note[:1]}}
	}
	later := committest.Person{Region: "eu", ID: "1", Updated: 9, Name: "later", Tags: []string{"x", "y"}, Visits: visit("long")}
	earlier := committest.Person{Region: "eu", ID: "1", Updated: 5, Name: "earlier", Tags: []string{"z"}, Visits: visit("brief")}
	other := committest.Person{Region: "eu", ID: "2", Updated: 7, Name: "other", Tags: []string{"o"}}
	w.commitPeople(t, 0, later, other)
	if w.commitPeople(t, 0, earlier); w.columnText(t, "people_all", "name") != "later other" || w.columnText(t, "people_tags", "tag") != "o x y" {
		t.Errorf("an ordinary commit kept %s, tags %s", w.columnText(t, "people_all", "name"), w.columnText(t, "people_tags", "tag"))
	}
	if got := w.refreshPeople(t, earlier, other); got.Changed != 1 || got.New != 0 {
		t.Errorf("the refresh wrote %+v, want one record changed", got)
	}
	if w.columnText(t, "people_all", "name") != "earlier other" || w.columnText(t, "people_tags", "tag") != "o z" ||
		w.columnText(t, "people_visits", "note") != "brief" || w.columnText(t, "people_photos", "photo") != "b" {
		t.Errorf("the refresh left %s, tags %s, visits %s, photos %s", w.columnText(t, "people_all", "name"), w.columnText(t, "people_tags", "tag"),
			w.columnText(t, "people_visits", "note"), w.columnText(t, "people_photos", "photo"))
	}
	w.Restart(t)
	w.ensureStream(t, committest.Stream())
	stale := committest.Person{Region: "eu", ID: "2", Updated: 3, Name: "stale"}
	if got := w.refreshPeople(t, stale); got.Rows != 0 || w.columnText(t, "people_all", "name") != "earlier other" {
		t.Errorf("an older copy of what the refresh has met: %+v, %s", got, w.columnText(t, "people_all", "name"))
	}
	must(t, w.Sweeps.BeginRefresh(t.Context(), "main", "people_all"))
	if got := w.refreshPeople(t, stale); got.Changed != 1 || w.columnText(t, "people_all", "name") != "earlier stale" {
		t.Errorf("the next refresh: %+v, %s", got, w.columnText(t, "people_all", "name"))
	}
}

// TestT172AFullRefreshComparesValues changes rows without their hashes, as an earlier version did when a masking was
// removed. An ordinary commit trusts the hash. A full refresh compares the values of the record and of its lists.
func TestT172AFullRefreshComparesValues(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	people := []committest.Person{
		{Region: "eu", ID: "1", Updated: 5, Name: "a", Tags: []string{"x"}, Visits: []committest.Visit{{ID: "v1", Note: "n", Photos: "a"}}},
		{Region: "eu", ID: "2", Updated: 5, Name: "b", Tags: []string{"y"}, Visits: []committest.Visit{{ID: "v2", Note: "n", Photos: "b"}}},
		{Region: "eu", ID: "3", Updated: 5, Name: "c", Tags: []string{"z"}},
		{Region: "eu", ID: "4", Updated: 5, Name: "d"},
	}
	w.commitPeople(t, 0, people...)
	tables := map[string]string{"people_all": "name", "people_tags": "tag", "people_visits": "note", "people_photos": "photo"}
	whole := map[string]string{}
	for table, column := range tables {
		whole[table] = w.columnText(t, table, column)
	}
	for _, damage := range []string{"UPDATE main.people_all SET name = 'hidden' WHERE id = '1'", "UPDATE main.people_visits SET note = 'hidden' WHERE id = 'v1'",
		"UPDATE main.people_photos SET photo = 'hidden' WHERE visit_id = 'v2'", "UPDATE main.people_tags SET tag = 'hidden' WHERE person_id = '3'"} {
		must(t, w.Plant(t.Context(), damage))
	}
	if got := w.commitPeople(t, 0, people...); got.Rows > 4 { // the photo that is not in the answer is no longer there
		t.Errorf("an ordinary commit wrote %+v", got)
	}
	w.refreshPeople(t, people...)
	for table, column := range tables {
		if got := w.columnText(t, table, column); got != whole[table] {
			t.Errorf("%s: %s, was %s", table, got, whole[table])
		}
	}
	must(t, w.Sweeps.BeginRefresh(t.Context(), "main", "people_all"))
	if got := w.refreshPeople(t, people...); got.Rows != 0 {
		t.Errorf("a refresh that finds all as it is wrote %+v", got)
	}
}

// TestT173TheNewerOfTwoCopiesWins sends copies of records in one answer, in every order and with different lists. The
// newer copy wins, of equal ones the later. A stream without newest compares updated_at where it has one.
func TestT173TheNewerOfTwoCopiesWins(t *testing.T) {
	t.Parallel()
	var answer []committest.Person
	add := func(what, names string, updated ...int64) {
		for i, at := range updated {
			name := names[i : i+1]
			answer = append(answer, committest.Person{Region: "eu", ID: what, Updated: at, Name: name, Tags: []string{name},
				Visits: []committest.Visit{{ID: what, Note: name, Photos: name}}})
		}
	}
	add("the newer last", "ba", 5, 7)
	add("the newer first", "ab", 7, 5)
	add("the newer in the middle", "bac", 5, 7, 6)
	add("of equals the later", "bca", 7, 7, 7)
	add("equals before an older", "bac", 7, 7, 6)
	add("one without a time, then others", "cbad", 9, 0, 7, 6)
	for name, newest := range map[string]string{"with newest": "updated_at", "without": ""} {
		w := newWarehouse(t, load.Options{})
		s := committest.Stream()
		s.Newest = newest
		tables := transform.Tables(s)
		w.ensureStream(t, s)
		w.commitBatches(t, func(b *transform.Batch) {
			b.Table = tables[slices.IndexFunc(tables, func(t transform.Table) bool { return t.Name == b.Table.Name })]
		}, committest.Batches(0, answer...))
		for table, column := range map[string]string{"people_all": "name", "people_tags": "tag", "people_visits": "note", "people_photos": "photo"} {
			if got := w.columnText(t, table, column); got != "a a a a a a" {
				t.Errorf("%s: %s has the copies %s", name, table, got)
			}
		}
	}
}
