package publish_test

import (
	"github.com/google/go-cmp/cmp"

	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/load/committest"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/load/read"
)

// openAsAnalyst opens a file as an analyst's tool does.
func openAsAnalyst(t *testing.T, path, options string) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", path+options)
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func queryCount(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	must(t, db.QueryRow(query).Scan(&n))
	return n
}

// TestT146ReadersStayOpenDuringPublishes keeps one session open, and asks in others, while new files come.
// Holds: F12.
func TestT146ReadersStayOpenDuringPublishes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("0", "a"))
	h.publishAndReopen()
	session := openAsAnalyst(t, h.dir.Current(), "?access_mode=READ_ONLY")
	if n := queryCount(t, session, "SELECT count(*) FROM people"); n != 1 {
		t.Fatalf("%d people, want 1", n)
	}
	stop, asked := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				asked <- nil
				return
			default:
			}
			if err := read.Query(t.Context(), h.dir.Readable(), "SELECT count(*) FROM people_tagged", func([]string, []any) error { return nil }); err != nil {
				asked <- err
				return
			}
		}
	}()
	for i := range 3 {
		h.commitPeople(newPerson(fmt.Sprint(i+1), "a", "x"))
		h.publishAndReopen()
	}
	close(stop)
	if err := <-asked; err != nil {
		t.Errorf("a reader during publishes: %v", err)
	}
	if n := queryCount(t, session, "SELECT count(*) FROM people"); n != 1 {
		t.Errorf("the open session sees %d people, want the 1 it began with", n)
	}
}

// TestT147NoLogIsPublished looks beside every published file.
func TestT147NoLogIsPublished(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	logs, err := filepath.Glob(filepath.Join(h.dir.Published(), "*.wal"))
	if err != nil || len(logs) > 0 {
		t.Errorf("logs %v, %v; want none", logs, err)
	}
}

// TestT149EachTableHasOneParquetFile publishes changed rows many times.
func TestT149EachTableHasOneParquetFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 3 {
		h.commitPeople(newPerson("1", fmt.Sprint(i)))
		h.publishAndReopen()
	}
	for path := range lakePartStates(t, h) {
		if filepath.Base(path) != "all.parquet" {
			t.Errorf("%s lies beside the one part", path)
		}
	}
}

// TestT153InstantsAreTheSameInEveryZone reads the published file in three sessions.
func TestT153InstantsAreTheSameInEveryZone(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(committest.Person{Region: "eu", ID: "1", Updated: 1_700_000_000})
	h.publishAndReopen()
	for _, zone := range []string{"Pacific/Kiritimati", "America/New_York", "Asia/Kathmandu"} {
		db := openAsAnalyst(t, h.dir.Current(), "?access_mode=READ_ONLY")
		_, err := db.Exec("SET TimeZone = '" + zone + "'")
		must(t, err)
		if n := queryCount(t, db, "SELECT epoch(updated_at)::BIGINT FROM people"); n != 1_700_000_000 {
			t.Errorf("in %s: %d", zone, n)
		}
		must(t, db.Close())
	}
}

// TestT157ReadWriteSessionAcrossAPublish lets an analyst make the file writable and change it while a publish comes.
// Holds: T147.
func TestT157ReadWriteSessionAcrossAPublish(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  string
	}{{"closed after", "CHECKPOINT"}, {"left a log behind", "SELECT 1"}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.commitPeople(newPerson("1", "a"), newPerson("2", "b"))
			h.publishAndReopen()
			old := h.dir.Current()
			must(t, os.Chmod(old, 0o644))
			session := openAsAnalyst(t, h.dir.Link(), "")
			for _, statement := range []string{"PRAGMA disable_checkpoint_on_shutdown", "DELETE FROM main.people_all WHERE id = '2'",
				"UPDATE main.people_all SET name = 'overwritten'", "CREATE TABLE main.notes (i INT)"} {
				_, err := session.Exec(statement)
				must(t, err)
			}
			h.commitPeople(newPerson("3", "c"))
			h.publishAndReopen()
			if n := queryCount(t, session, "SELECT count(*) FROM main.people"); n != 1 {
				t.Errorf("the session sees %d people, want the 1 it left", n)
			}
			_, err := session.Exec(c.end)
			must(t, err)
			must(t, session.Close())

			names := firstColumn(t, h.dir, "SELECT string_agg(name, '' ORDER BY id) FROM people")
			if names[0] != "abc" {
				t.Errorf("published names %v, want abc", names)
			}
			h.commitPeople(newPerson("4", "d"))
			h.publishAndReopen()
			h.publishAndReopen()
			if n := firstColumn(t, h.dir, "SELECT count(*) FROM people")[0]; n != "4" {
				t.Errorf("%s people in the end, want 4", n)
			}
			if _, err := os.Stat(old + ".wal"); err == nil {
				t.Error("the log of a removed file is left")
			}
		})
	}
}

// TestT158OpeningAgainSeesTheNewRows asks through one path before and after publishes, with an older file still open.
func TestT158OpeningAgainSeesTheNewRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for i := range 3 {
		h.commitPeople(newPerson(fmt.Sprint(i), "a"))
		h.publishAndReopen()
		open := openAsAnalyst(t, h.dir.Current(), "?access_mode=READ_ONLY")
		must(t, open.Ping())
		for _, path := range []string{h.dir.Link(), h.dir.Current()} {
			err := read.Query(t.Context(), path, "SELECT count(*)::INTEGER FROM people", func(_ []string, row []any) error {
				if row != nil && row[0] != int32(i+1) {
					t.Errorf("%s has %v people after publish %d", path, row[0], i+1)
				}
				return nil
			})
			must(t, err)
		}
	}
}

// TestAttachedFileReadsItsOwnTables attaches the warehouse to a database that has tables of the same names.
func TestAttachedFileReadsItsOwnTables(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "x"), newPerson("2", "b"))
	h.publishAndReopen()
	db := openAsAnalyst(t, "", "")
	for _, statement := range []string{"CREATE TABLE people (id INT)", "CREATE TABLE people_all (id INT)", "CREATE TABLE people_tags (id INT)",
		"ATTACH '" + h.dir.Link() + "' AS wh (READ_ONLY)"} {
		_, err := db.Exec(statement)
		must(t, err)
	}
	if n := queryCount(t, db, "SELECT count(*) FROM wh.main.people"); n != 2 {
		t.Errorf("wh.main.people has %d rows, want 2", n)
	}
	if n := queryCount(t, db, "SELECT count(*) FROM wh.main.people_tagged"); n != 1 {
		t.Errorf("wh.main.people_tagged has %d rows, want 1", n)
	}
}

// TestF10AChangedLakeIsWrittenAgain damages parts and manifest.
// Holds: T148, S26.
func TestF10AChangedLakeIsWrittenAgain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		damage  func(dir string) error
		seen    bool // without reading the parts
		written int
	}{
		{"manifest cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "_manifest.json"), 100) }, true, 7},
		{"manifest gone", func(dir string) error { return os.Remove(filepath.Join(dir, "_manifest.json")) }, true, 7},
		{"part gone", func(dir string) error { return os.Remove(filepath.Join(dir, "people", "all.parquet")) }, true, 1},
		{"part cut", func(dir string) error { return os.Truncate(filepath.Join(dir, "people", "all.parquet"), 50) }, true, 1},
		{"part changed", func(dir string) error {
			path := filepath.Join(dir, "people", "all.parquet")
			text, err := os.ReadFile(path)
			text[100] ^= 1
			return errors.Join(err, os.WriteFile(path, text, 0o644))
		}, true, 1},
		{"lake gone", os.RemoveAll, true, 7},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.commitPeople(newPerson("1", "a"))
			h.publishAndReopen()
			must(t, c.damage(h.dir.Lake("main")))
			h.requireConsistent(!c.seen)
			if r := h.publishAndReopen(); r.Parts != c.written {
				t.Errorf("%d parts written, want %d", r.Parts, c.written)
			}
			checkLake(t, h.dir)
		})
	}
}

// TestF10DamageFoundByAPublishIsRepairedByTheNextRun damages rows that no commit reads, and has all rows written again.
func TestF10DamageFoundByAPublishIsRepairedByTheNextRun(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	var list []committest.Person
	for i := range 20_000 {
		list = append(list, committest.Person{Region: "eu", ID: strconv.Itoa(i), Updated: 1, Name: strings.Repeat(strconv.Itoa(i*i), 20)})
	}
	h.commitPeople(list...)
	h.publishAndReopen()
	h.commitPeople(newPerson("new", "b"))
	spoilMiddle(t, h.dir.Database())
	s := h.runSpec()
	s.Rebuild = true
	_, err := publish.Publish(t.Context(), h.dir, h.work, s)
	if !errors.Is(err, failure.ErrDamaged) || !strings.Contains(err.Error(), h.dir.Database()) {
		t.Fatalf("publish: %v; want ErrDamaged, and the file's name", err)
	}
	h.requireConsistent(true)
	h.openRun()
	if !strings.Contains(h.work.Restored, "was set aside") || !strings.Contains(h.work.Restored, "run01.duckdb") {
		t.Errorf("restored: %q, want to hear what was done", h.work.Restored)
	}
	h.commitPeople(newPerson("new", "b"))
	h.publishAndReopen()
	if n := firstColumn(t, h.dir, "SELECT count(*) FROM people")[0]; n != "20001" {
		t.Errorf("%s people, want 20001", n)
	}
}

// spoilMiddle turns over the bits of a few bytes in every block of the middle of a database.
func spoilMiddle(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	const block = 256 << 10
	for at := len(text) / 4; at < len(text)*3/4; at += block {
		for i := range 64 {
			text[at+i] ^= 0xff
		}
	}
	must(t, os.WriteFile(path, text, 0o600))
}

// TestF11LakeOfAnotherRunIsNoticed puts back what an older run left.
// Holds: T145.
func TestF11LakeOfAnotherRunIsNoticed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	first := h.publishAndReopen()
	h.commitPeople(newPerson("2", "a"))
	h.publishAndReopen()
	must(t, h.dir.SwapLink(first.File))
	h.requireConsistent(false)
	must(t, os.Remove(h.dir.Link()))
	h.requireConsistent(false)
}

// TestRebuildLeavesNoBytesOfDeletedRows looks for a deleted text in the file itself.
// Holds: T34, F18.
func TestRebuildLeavesNoBytesOfDeletedRows(t *testing.T) {
	t.Parallel()
	const canary = "canary-7c1f0e55"
	h := newHouse(t)
	h.commitPeople(newPerson("1", canary), newPerson("2", "b"))
	h.publishAndReopen()
	h.commitPeople(committest.Person{Region: "eu", ID: "1", Updated: 6, Name: "c"})
	s := h.runSpec()
	s.Rebuild, s.Keep = true, 0
	r := h.publishOnly(s)
	text, err := os.ReadFile(r.File)
	must(t, err)
	if !r.Rebuilt || strings.Contains(string(text), canary) {
		t.Errorf("rebuilt %t, the deleted text is in the file: %t", r.Rebuilt, strings.Contains(string(text), canary))
	}
	for query, want := range map[string]string{
		"SELECT string_agg(name, '' ORDER BY id) FROM people":                 "cb",
		"SELECT comment FROM duckdb_tables() WHERE table_name = 'people_all'": "One row per person.",
		"SELECT sum(people) FROM people_names":                                "2",
	} {
		if got := firstColumn(t, h.dir, query); got[0] != want {
			t.Errorf("%s: %s, want %s", query, got[0], want)
		}
	}
	h.openRun()
	h.commitPeople(newPerson("9", "d"))
	h.publishAndReopen()
}

// TestARebuildKeepsTheViewsOfOtherPipelines writes a file again for a pipeline whose workspace is another one. The views and the comments of the
// first workspace stay, and a later publish of it finds them as it made them.
func TestARebuildKeepsTheViewsOfOtherPipelines(t *testing.T) {
	t.Parallel()
	const content = `SELECT concat_ws(' ', 'view', schema_name, view_name, sql, comment) FROM duckdb_views() WHERE NOT internal
		UNION ALL SELECT concat_ws(' ', 'column', schema_name, table_name, column_name, data_type, comment) FROM duckdb_columns() WHERE NOT internal
		UNION ALL SELECT concat_ws(' ', 'table', schema_name, table_name, comment) FROM duckdb_tables() ORDER BY ALL`
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a", "vip"))
	// The first one is made last, from the second one: views have no order by name.
	models := []publish.Relation{testModel("first", "view", "SELECT n FROM {models}.second"), testModel("second", "view", "SELECT count(*) AS n FROM {schema}.people"),
		testModel("third", "table", "SELECT n FROM {models}.first")}
	h.withModels(models...)
	want := firstColumn(t, h.dir, content)
	s := h.runSpec()
	s.Schemas, s.Rebuild = nil, true
	if r, err := publish.Publish(t.Context(), h.dir, h.work, s); err != nil || !r.Rebuilt {
		t.Fatalf("the file was not written again: %v", err)
	}
	if diff := cmp.Diff(want, firstColumn(t, h.dir, content)); diff != "" {
		t.Errorf("what the other pipeline made is not as it was:\n%s", diff)
	}
	h.openRun()
	h.withModels(models...)
	if diff := cmp.Diff(want, firstColumn(t, h.dir, content)); diff != "" {
		t.Errorf("after the next publish of the other pipeline:\n%s", diff)
	}
}

// TestWornFileIsRebuilt replaces most rows a few times.
// Holds: F17.
func TestWornFileIsRebuilt(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	rebuilt := false
	for round := range 5 {
		var list []committest.Person
		for i := range 20_000 {
			list = append(list, committest.Person{Region: "eu", ID: strconv.Itoa(i), Updated: int64(round + 1), Name: strings.Repeat(strconv.Itoa(i*round), 40)})
		}
		h.commitPeople(list...)
		r := h.publishAndReopen()
		rebuilt = rebuilt || r.Rebuilt
		t.Logf("round %d: %d KiB, rebuilt %t", round, r.Bytes>>10, r.Rebuilt)
	}
	if !rebuilt {
		t.Error("the file was never rebuilt")
	}
	if n := firstColumn(t, h.dir, "SELECT count(*) FROM people")[0]; n != "20000" {
		t.Errorf("%s people, want 20000", n)
	}
}

// TestF5FullDiskLosesNothing runs a process whose files may not grow beyond some size, for several sizes, then once with room.
// Holds: T150, T151.
func TestF5FullDiskLosesNothing(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts twelve processes: make test runs it")
	}
	full, sizes := 0, lane.Cases(6, 12)
	for i := range sizes {
		size := (i + 1) * 2400 / sizes // the files of the six rounds end between 1 and 2 MB
		dir := layout.Dir(filepath.Join(t.TempDir(), "data"))
		order := fmt.Sprintf("%s|6|%d", dir, size<<10)
		err := startChild(t, testBinary(t), order).Wait()
		var exit interface{ ExitCode() int }
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 28) {
			t.Errorf("with files of %d KiB: %v, want success or a full disk", size, err)
		}
		if err != nil {
			full++
		}
		checkPublished(t, dir)
		finishUndisturbed(t, testBinary(t), dir)
	}
	if full == 0 || full == sizes {
		t.Errorf("%d of %d sizes were too small, want some and not all", full, sizes)
	}
}

// TestT155NobodyElseCanOpenTheWorkDatabase checks that no other use of the file in this process drops DuckDB's lock.
func TestT155NobodyElseCanOpenTheWorkDatabase(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.commitPeople(newPerson("1", "a"))
	h.publishAndReopen()
	h.commitPeople(newPerson("2", "b"))
	h.requireConsistent(true)
	if _, err := h.work.Facts.Snapshot(t.Context(), nil); err != nil || h.work.LogSize() == 0 {
		t.Fatalf("snapshot: %v, log of %d bytes", err, h.work.LogSize())
	}
	err := startChild(t, testBinary(t), "open "+h.dir.Database()).Wait()
	var exit interface{ ExitCode() int }
	if !errors.As(err, &exit) || exit.ExitCode() != 5 {
		t.Errorf("another process on the work database: %v, want that it finds it locked", err)
	}
}
