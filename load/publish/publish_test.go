package publish_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/sandbox"
	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/lakecheck"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/transform"
)

// publishFixture is a warehouse of a test that commits and publishes.
type publishFixture struct {
	t    *testing.T
	dir  layout.Dir
	work *load.Work
	now  time.Time
	runs int
}

// houseBegan is when the first run of a test begins, an hour after it.
var houseBegan = time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)

func newHouse(t *testing.T) *publishFixture {
	t.Helper()
	h := &publishFixture{t: t, dir: layout.Dir(filepath.Join(t.TempDir(), "data")), now: houseBegan}
	must(t, load.Prepare(h.dir))
	h.openRun()
	t.Cleanup(func() { must(t, h.work.Close()) })
	return h
}

func (h *publishFixture) openRun() {
	h.t.Helper()
	h.runs++
	h.now = h.now.Add(time.Hour)
	w, err := load.OpenWork(h.t.Context(), h.dir, load.Options{Now: func() time.Time { return h.now }, RunID: h.runName()})
	must(h.t, err)
	h.work = w
	_, err = w.Tables.Ensure(h.t.Context(), "main", transform.Tables(committest.Stream()))
	must(h.t, err)
}

func (h *publishFixture) runName() string { return fmt.Sprintf("run%02d", h.runs) }

func (h *publishFixture) commitPeople(people ...committest.Person) load.Written {
	h.t.Helper()
	base, err := h.work.Checkpoints.Checkpoint(h.t.Context(), "main", "people")
	must(h.t, err)
	next := base
	next.Seq++
	batches := committest.Batches(0, people...)
	defer committest.Release(batches)
	w, err := h.work.Commit(h.t.Context(), "main", "people", base, next, batches)
	must(h.t, err)
	return w
}

// runSpec is the one of the crash tests, of this run.
func (h *publishFixture) runSpec() publish.Spec {
	h.t.Helper()
	s := crashSpec()
	s.RunID, s.Now = h.runName(), func() time.Time { return h.now }
	program, err := sandbox.CurrentProgram()
	must(h.t, err)
	s.Program = program
	return s
}

// publishAndReopen publishes and begins the next run.
func (h *publishFixture) publishAndReopen() publish.Result {
	h.t.Helper()
	r := h.publishOnly(h.runSpec())
	h.openRun()
	return r
}

func (h *publishFixture) publishOnly(s publish.Spec) publish.Result {
	h.t.Helper()
	r, err := publish.Publish(h.t.Context(), h.dir, h.work, s)
	must(h.t, err)
	h.requireConsistent(true)
	return r
}

func (h *publishFixture) requireConsistent(want bool) {
	h.t.Helper()
	got, err := lakecheck.Consistent(h.t.Context(), h.dir)
	if err != nil || got != want {
		h.t.Errorf("consistent: %t, %v; want %t", got, err, want)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newPerson(id, name string, tags ...string) committest.Person {
	return committest.Person{Region: "eu", ID: id, Updated: 5, Name: name, Tags: tags}
}

func TestPublishGivesFileLakeAndRecords(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x", "y"), newPerson("2", "b"), committest.Person{Region: "eu", ID: "3", GoneAt: 9})
	r := h.publishAndReopen()
	if !r.Published || r.File != h.dir.Current() || r.Parts != 7 || r.Verified != 2 || r.Changed != 2 {
		t.Errorf("result %+v", r)
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM people":                                                                      "2",
		"SELECT count(*) FROM people_all":                                                                  "3",
		"SELECT string_agg(name || people, ' ' ORDER BY name) FROM people_names":                           "a1 b1",
		"SELECT string_agg(id) FROM people_tagged":                                                         "1",
		"SELECT value FROM _sync.meta WHERE key = 'run_id'":                                                "run01",
		"SELECT value FROM _sync.meta WHERE key = 'timezone'":                                              "UTC",
		"SELECT file FROM _sync.publishes":                                                                 "run01.duckdb",
		"SELECT stream FROM _sync.freshness":                                                               "people",
		"SELECT doc FROM _sync.dictionary WHERE table_name = 'people_tagged' AND column_name = 'name'":     "The name.",
		"SELECT doc FROM _sync.dictionary WHERE table_name = 'people_names' AND column_name = 'people'":    "How many.",
		"SELECT comment FROM duckdb_views() WHERE view_name = 'people_tagged'":                             "People with a tag.",
		"SELECT comment FROM duckdb_columns() WHERE table_name = 'people' AND column_name = 'name'":        "The name.",
		"SELECT comment FROM duckdb_columns() WHERE table_name = 'people_names' AND column_name = 'name'":  "The name.",
		"SELECT count(*) FROM duckdb_columns() WHERE schema_name = '_sync' AND coalesce(comment, '') = ''": "0",
		"SELECT count(*) FROM duckdb_views() WHERE NOT internal AND sql NOT LIKE '%main.people%'":          "0",
	} {
		if got := firstColumn(t, h.dir, query); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
	readme, err := os.ReadFile(filepath.Join(h.dir.Lake("main"), "README.md"))
	if err != nil || !strings.Contains(string(readme), "FROM read_parquet('lake/main/people/*.parquet');") {
		t.Errorf("README of the lake: %v\n%s", err, readme)
	}
}

// TestTheDictionaryAgreesWithTheCatalogue compares it with what DuckDB itself says of each table, view and column.
func TestTheDictionaryAgreesWithTheCatalogue(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x"))
	h.publishAndReopen()
	const dictionary, catalogue = "SELECT table_name, kind, column_name, position, type, doc FROM _sync.dictionary WHERE schema = 'main'", `SELECT c.table_name,
		if(v.view_name IS NULL, 'table', 'view'), c.column_name, c.column_index, c.data_type, c.comment FROM duckdb_columns() c
		LEFT JOIN duckdb_views() v ON (v.schema_name, v.view_name) = (c.schema_name, c.table_name) WHERE c.schema_name = 'main' AND NOT c.internal`
	for query, want := range map[string]string{
		"SELECT count(*) > 20 FROM (" + dictionary + ")":                           "true",
		"SELECT count(*) FROM (" + dictionary + " EXCEPT ALL (" + catalogue + "))": "0",
		"SELECT count(*) FROM (" + catalogue + " EXCEPT ALL (" + dictionary + "))": "0",
	} {
		if got := firstColumn(t, h.dir, query)[0]; got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
}

// TestOnlyChangedTablesAreWritten changes a table that has children which stay as they are.
func TestOnlyChangedTablesAreWritten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"), committest.Person{Region: "eu", ID: "2", Updated: 5, Visits: []committest.Visit{{ID: "v"}}})
	h.publishAndReopen()
	h.commitPeople(committest.Person{Region: "eu", ID: "2", GoneAt: 9})
	if r := h.publishAndReopen(); r.Changed != 1 || r.Parts != 3 || r.Reused != 4 {
		t.Errorf("result %+v, want people, people_all and people_names written: people_tagged has no other rows", r)
	}
	if n := firstColumn(t, h.dir, "SELECT sum(people) FROM people_names")[0]; n != "1" {
		t.Errorf("%s people in the relation that is a table, want 1", n)
	}
}

func TestSeveralPublishesOfOneRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var names []string
	for i := range 4 {
		h.commitPeople(newPerson(fmt.Sprint(i), "a"))
		names = append(names, filepath.Base(h.publishOnly(crashSpec()).File))
		h.openRun()
	}
	if diff := cmp.Diff([]string{"run.duckdb", "run-2.duckdb", "run-3.duckdb", "run.duckdb"}, names); diff != "" {
		t.Errorf("files: %s", diff)
	}
	if n := firstColumn(t, h.dir, "SELECT count(*) FROM people")[0]; n != "4" {
		t.Errorf("%s people, want 4", n)
	}
}

// Holds: S39.
func TestPublishKeepsOlderFilesForRollback(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 4 {
		h.commitPeople(newPerson(fmt.Sprint(i), "a"))
		s := h.runSpec()
		s.Keep = 2
		h.publishOnly(s)
		h.openRun()
	}
	h.requireFiles("four runs", "run02 run03 run04")
}

// requireFiles compares the names of the published files. Each has a checksum, and nobody may write to them.
func (h *publishFixture) requireFiles(after, want string) {
	h.t.Helper()
	var names []string
	entries, err := os.ReadDir(h.dir.Published())
	must(h.t, err)
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o444 {
			h.t.Errorf("%s has mode %v, %v; want 0444", e.Name(), info.Mode(), err)
		}
	}
	var files []string
	for _, run := range strings.Fields(want) {
		files = append(files, run+".duckdb", run+".sha256")
	}
	if diff := cmp.Diff(files, names); diff != "" {
		h.t.Errorf("published files after %s: %s", after, diff)
	}
}

// publishAs commits, publishes as a run or a command does, and opens the next run.
func (h *publishFixture) publishAs(replaces, undo bool) {
	h.t.Helper()
	h.commitPeople(newPerson(h.runName(), "a"))
	s := h.runSpec()
	s.Keep, s.Replaces, s.Undo, s.What = 2, replaces, undo, "test of "+h.runName()
	if undo {
		s.What = publish.MoveWord + "rewind"
	}
	h.publishOnly(s)
	h.openRun()
}

// TestFilesOfCommandsDoNotCount publishes as `erase` and `state rewind` do, among ordinary publishes. However many of them come, the files of
// two runs stay beside the current one.
func TestFilesOfCommandsDoNotCount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	run, erase, rewind := func() { h.publishAs(false, false) }, func() { h.publishAs(true, false) }, func() { h.publishAs(true, true) }
	for range 4 {
		run()
	}
	for range 3 {
		erase()
	}
	h.requireFiles("three erasures", "run02 run03 run07")
	rewind()
	h.requireFiles("a rewind, which a rollback may undo", "run02 run03 run07 run08")
	rewind()
	h.requireFiles("the next rewind", "run02 run03 run07 run09")
	erase()
	h.requireFiles("an erasure after it, which does not end the way back", "run02 run03 run07 run10")

	// A kill after the link was swapped leaves the file that was replaced.
	before := filepath.Join(t.TempDir(), "before")
	must(t, os.Link(h.dir.Current(), before))
	sum, err := os.ReadFile(layout.SumFile(h.dir.Current()))
	must(t, err)
	erase()
	must(t, os.Link(before, filepath.Join(h.dir.Published(), "run10.duckdb")))
	must(t, os.WriteFile(filepath.Join(h.dir.Published(), "run10.sha256"), sum, 0o444))
	h.requireFiles("a kill", "run02 run03 run07 run10 run11")
	run()
	h.requireFiles("the run after the kill", "run03 run11 run12")

	// What an interrupted run has committed is new to readers, whoever publishes it.
	h.commitPeople(newPerson("interrupted", "a"))
	must(t, h.work.Close())
	h.openRun()
	erase()
	h.requireFiles("an erasure after an interrupted run", "run11 run12 run14")
	const recorded = "SELECT string_agg(concat_ws(' ', what, replaces), ', ' ORDER BY file) FROM _sync.publishes WHERE file IN ('run08.duckdb', 'run12.duckdb', 'run14.duckdb')"
	if got := strings.Join(firstColumn(t, h.dir, recorded), ""); got != "state rewind run07.duckdb, test of run12, test of run14" {
		t.Errorf("recorded: %s", got)
	}
}

// TestFailedPublishLeavesReadersAndWorkAlone breaks a relation.
func TestFailedPublishLeavesReadersAndWorkAlone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	current := h.dir.Current()
	h.commitPeople(newPerson("2", "b"))
	broken := h.runSpec()
	broken.Schemas[0].Relations = []publish.Relation{{Name: "broken", Kind: "view", SQL: "SELECT nothing FROM {schema}.people"}}
	if _, err := publish.Publish(t.Context(), h.dir, h.work, broken); err == nil || !strings.Contains(err.Error(), "view broken") {
		t.Fatalf("publish: %v, want it to name the view", err)
	}
	if h.dir.Current() != current || len(firstColumn(t, h.dir, "FROM people")) != 1 {
		t.Error("readers see something of the failed publish")
	}
	h.requireConsistent(true)
	h.openRun()
	h.publishAndReopen()
	if n := len(firstColumn(t, h.dir, "FROM people")); n != 2 {
		t.Errorf("%d people after the next publish, want 2", n)
	}
}

// TestDuplicateKeyIsNotPublished commits into a table behind the back of the merge.
// Holds: T143.
func TestDuplicateKeyIsNotPublished(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	batches := committest.Batches(0, newPerson("1", "a"), newPerson("1", "b"))
	defer committest.Release(batches)
	batches[0].Mode = transform.Add
	_, err := h.work.Commit(t.Context(), "main", "people", load.Checkpoint{}, load.Checkpoint{Seq: 1}, batches[:1])
	must(t, err)
	if _, err := publish.Publish(t.Context(), h.dir, h.work, h.runSpec()); err == nil || !strings.Contains(err.Error(), "has a key 2 times") {
		t.Errorf("publish: %v, want a refusal", err)
	}
	if h.dir.Current() != "" {
		t.Error("it was published")
	}
}

// TestRelationsMayChangeTheirKind replaces a view by a table and back, and drops what is not asked for from the lake.
func TestRelationsMayChangeTheirKind(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	for i, kind := range []string{"view", "table", "view"} {
		s := h.runSpec()
		s.Schemas[0].Relations = []publish.Relation{{Name: "r", Kind: kind, SQL: fmt.Sprintf("SELECT %d AS n FROM {schema}.people", i)}}
		h.publishOnly(s)
		if n := firstColumn(t, h.dir, "SELECT n FROM r")[0]; n != fmt.Sprint(i) {
			t.Errorf("as a %s: %s, want %d", kind, n, i)
		}
		h.openRun()
	}
	s := h.runSpec()
	s.Schemas[0].Relations = nil
	s.Schemas[0].Internal = []string{"people_visits"}
	h.publishOnly(s)
	for _, name := range []string{"r", "people_visits"} {
		if _, err := os.Stat(filepath.Join(h.dir.Lake("main"), name)); err == nil {
			t.Errorf("the lake still has %s", name)
		}
	}
	h.openRun()
}

// TestS24TheSQLOfARelationReachesNothing has a relation read a file, write one, and bring a second statement: nothing of it is
// done, nothing is published, and what readers have stays.
func TestS24TheSQLOfARelationReachesNothing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishOnly(h.runSpec())
	before := h.dir.Current()
	out := filepath.Join(t.TempDir(), "out.csv")
	for _, query := range []string{
		"SELECT content FROM read_text('/etc/passwd')",
		"SELECT 1; COPY {schema}.people TO '" + out + "'",
		"SELECT 1; DELETE FROM {schema}.people",
		"FROM glob('/etc/*')",
	} {
		for _, kind := range []string{"view", "table"} {
			h.openRun()
			h.commitPeople(newPerson("2", "b"))
			s := h.runSpec()
			s.Schemas[0].Relations = []publish.Relation{{Name: "r", Kind: kind, SQL: query}}
			if _, err := publish.Publish(t.Context(), h.dir, h.work, s); err == nil {
				t.Errorf("%s as a %s was published", query, kind)
			}
			must(t, h.work.Close())
		}
	}
	if _, err := os.Stat(out); err == nil || h.dir.Current() != before {
		t.Errorf("a file was written, or another one published: %v", err)
	}
	h.openRun()
}

// lakePartStates gives size and time of every Parquet file.
func lakePartStates(t *testing.T, h *publishFixture) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir.Lake("main"), "*", "*.parquet"))
	must(t, err)
	found := map[string]string{}
	for _, file := range files {
		info, err := os.Stat(file)
		must(t, err)
		found[file] = fmt.Sprint(info.Size(), info.ModTime())
	}
	return found
}
