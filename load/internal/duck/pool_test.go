package duck_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/load/internal/duck"
)

// openFile opens a file, and ends the test if that fails.
func openFile(t *testing.T, o duck.Options) *duck.DB {
	t.Helper()
	db, err := duck.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// closeFile closes a file, and ends the test if that fails.
func closeFile(t *testing.T, db *duck.DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// run runs statements, and ends the test at the first error.
func run(t *testing.T, db *duck.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// read gives the single value of a query as text.
func read(t *testing.T, db *duck.DB, query string) (text string) {
	t.Helper()
	if err := db.Scan(t.Context(), query, nil, &text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// TestAnEngineGoesFromFileToFile opens files one after the other in one engine: each has its own rows, zone and clock, and nothing of the one before.
func TestAnEngineGoesFromFileToFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := duck.NewPool(dir)
	defer pool.Close()
	first, second := filepath.Join(dir, "first.duckdb"), filepath.Join(dir, "second.duckdb")
	at := time.Date(2024, 6, 15, 12, 0, 0, 0, time.UTC)
	o := duck.Options{Path: first, Pool: pool, Timezone: "Asia/Tokyo", Now: at}
	db := openFile(t, o)
	run(t, db, "CREATE TABLE kept AS SELECT 1 AS n", "CREATE TEMP TABLE passing AS SELECT 2 AS n", "BEGIN TRANSACTION", "INSERT INTO kept VALUES (2)")
	if zone, now := read(t, db, "SELECT current_setting('TimeZone')"), read(t, db, "SELECT extract(epoch FROM now())::BIGINT"); zone != "Asia/Tokyo" || now != "1718452800" {
		t.Errorf("zone %s, now %s", zone, now)
	}
	closeFile(t, db)
	log, err := os.Stat(first + ".wal")
	if err != nil || log.Size() == 0 {
		t.Errorf("closing a file has merged its log: %v", err)
	}

	o.Path, o.Now = second, time.Time{}
	db = openFile(t, o)
	for _, name := range []string{"kept", "passing"} {
		if _, err := db.Exec(t.Context(), "SELECT * FROM "+name); err == nil {
			t.Errorf("the second file has %s of the first", name)
		}
	}
	if zone, same := read(t, db, "SELECT current_setting('TimeZone')"), read(t, db, "SELECT now() > TIMESTAMPTZ '2026-01-01'"); zone != "Asia/Tokyo" || same != "true" {
		t.Errorf("in the second file the zone is %s, and the clock of this machine counts: %s", zone, same)
	}
	run(t, db, "CREATE TABLE other AS SELECT 3 AS n")
	closeFile(t, db)

	// What was not committed when the first file was closed is not in it. Another program may have replaced the file meanwhile.
	o.Path = first
	db = openFile(t, o)
	if rows := read(t, db, "SELECT string_agg(n::VARCHAR, ' ') FROM kept"); rows != "1" {
		t.Errorf("the first file has %s", rows)
	}
	closeFile(t, db)
	if err := os.Rename(second, first); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(second+".wal", first+".wal"); err != nil {
		t.Fatal(err)
	}
	db = openFile(t, o)
	if rows := read(t, db, "SELECT n::VARCHAR FROM other"); rows != "3" {
		t.Errorf("the file in its place has %s", rows)
	}
	closeFile(t, db)
}

// TestAClosedFileIsFree opens a file that an idle engine had open in an engine of its own, and removes its directory.
func TestAClosedFileIsFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := duck.NewPool(dir)
	o := duck.Options{Path: filepath.Join(dir, "a.duckdb"), Pool: pool}
	db := openFile(t, o)
	run(t, db, "CREATE TABLE kept AS SELECT 1 AS n")
	closeFile(t, db)
	if open := openPaths(t, dir); len(open) > 0 {
		t.Errorf("still open: %q", open)
	}
	alone := openFile(t, duck.Options{Path: o.Path})
	run(t, alone, "INSERT INTO kept VALUES (2)")
	closeFile(t, alone)
	db = openFile(t, o)
	if rows := read(t, db, "SELECT string_agg(n::VARCHAR, ' ' ORDER BY n) FROM kept"); rows != "1 2" {
		t.Errorf("the file has %s", rows)
	}
	// A pool that is closed while a file is open gets no engine back.
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	closeFile(t, db)
	if _, err := db.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("a closed file answers")
	}
}

// openPaths are the files below a directory that this process has open.
func openPaths(t *testing.T, dir string) (paths []string) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	for _, e := range entries {
		if path, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && strings.HasPrefix(path, dir) {
			paths = append(paths, path)
		}
	}
	return paths
}

// TestAFileThatCannotBeOpenedLeavesThePoolWhole opens files that are damaged, or out of reach.
func TestAFileThatCannotBeOpenedLeavesThePoolWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := duck.NewPool(dir)
	defer pool.Close()
	whole, damaged, outside := filepath.Join(dir, "whole.duckdb"), filepath.Join(dir, "damaged.duckdb"), filepath.Join(t.TempDir(), "outside.duckdb")
	if err := os.WriteFile(damaged, make([]byte, 1<<16), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		db := openFile(t, duck.Options{Path: whole, Pool: pool})
		run(t, db, "CREATE OR REPLACE TABLE kept AS SELECT 1 AS n")
		closeFile(t, db)
		for _, path := range []string{damaged, outside} {
			if db, err := duck.Open(t.Context(), duck.Options{Path: path, Pool: pool}); err == nil {
				t.Errorf("%s was opened: %v", path, db.Close())
			}
			db := openFile(t, duck.Options{Path: whole, Pool: pool})
			if rows := read(t, db, "SELECT n::VARCHAR FROM kept"); rows != "1" {
				t.Errorf("after %s the file has %s", path, rows)
			}
			closeFile(t, db)
		}
	}
}

// TestFullRowGroupsAreInTheFileBeforeTheCommit keeps a large transaction out of the memory: what is written needs none.
func TestFullRowGroupsAreInTheFileBeforeTheCommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "some.duckdb")
	db := openFile(t, duck.Options{Path: path, RowGroup: 2048})
	defer closeFile(t, db)
	run(t, db, "CREATE TABLE texts (text VARCHAR)", "CHECKPOINT", "BEGIN TRANSACTION",
		"INSERT INTO texts SELECT array_to_string(list_transform(range(40), x -> md5((i * 40 + x)::VARCHAR)), '') FROM range(5000) r(i)")
	const least = 2 * 2048 * 40 * 32 / 2 // of two full groups; a digit has four bits
	if info, err := os.Stat(path); err != nil || info.Size() < least {
		t.Errorf("the file has %d bytes before the commit, want %d: %v", info.Size(), least, err)
	}
	run(t, db, "COMMIT")
	if n := read(t, db, "SELECT count(*) FROM texts"); n != "5000" {
		t.Errorf("%s rows, want 5000", n)
	}
}
