package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/parquet-go/parquet-go"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/rowgroups"
)

// writeAuditedParts writes Parquet files of the given SELECTs, as a publish does, and audits them.
func writeAuditedParts(t *testing.T, db *duck.DB, dir string, queries ...string) []string {
	t.Helper()
	var files []string
	for i, query := range queries {
		table := fmt.Sprintf("part_%d", i)
		if _, err := db.Exec(t.Context(), "CREATE OR REPLACE TABLE "+table+" AS "+query); err != nil {
			t.Fatal(err)
		}
		columns, err := db.Columns(t.Context(), "main")
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, table+".parquet")
		wrote, err := copyOut(t.Context(), db, duck.Table("main", table), partFile{file, columns[table], partRows(len(columns[table]))})
		if err != nil {
			t.Fatal(err)
		}
		if err := auditPart(file, columns[table], auditedFile(t, file, wrote)); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// auditedFile is what DuckDB wrote into a whole file.
func auditedFile(t *testing.T, file string, wrote partCounts) []auditedRows {
	t.Helper()
	return []auditedRows{{partCounts: wrote, groups: segments(t, file)[0].End}}
}

// segments are all row groups of files.
func segments(t *testing.T, files ...string) (list []rowgroups.Segment) {
	t.Helper()
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		file, err := parquet.OpenFile(f, info.Size())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rowgroups.Segment{Path: path, End: len(file.RowGroups())})
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

func openScratch(t *testing.T) (*duck.DB, string) {
	t.Helper()
	dir := t.TempDir()
	db, err := duck.Open(context.Background(), duck.Options{Path: filepath.Join(dir, "x.duckdb"), Reach: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db, dir
}

const things = `SELECT i AS id, 'name ' || i AS name, CASE WHEN i % 3 = 0 THEN 'kind ' || i % 7 END AS "a kind",
	CASE WHEN i % 2 = 0 THEN to_timestamp(i) END AS at, NULL::JSON AS nothing FROM `

func TestJoinedPartsHaveTheRowsOfAll(t *testing.T) {
	t.Parallel()
	db, dir := openScratch(t)
	const columns = 5
	many := fmt.Sprintf("range(%d) r(i)", 2*partRows(columns)+10)
	for name, queries := range map[string][]string{
		"two":            {things + many, things + "range(1000000, 1000500) r(i)"},
		"empty first":    {things + "range(0) r(i)", things + many},
		"empty last":     {things + many, things + "range(0) r(i)"},
		"nothing at all": {things + "range(0) r(i)", things + "range(0) r(i)"},
		"one":            {things + many},
	} {
		files := writeAuditedParts(t, db, dir, queries...)
		to := filepath.Join(dir, "joined.parquet")
		from := segments(t, files...)
		if err := rowgroups.JoinFiles(to, from); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stored, err := db.Columns(t.Context(), "main")
		if err != nil {
			t.Fatal(err)
		}
		var rows, differ, found int64
		all := "(FROM part_0)"
		if len(files) == 2 {
			all = "(FROM part_0 UNION ALL FROM part_1)"
		}
		joined := "read_parquet(" + duck.Text(to) + ")"
		for query, into := range map[string]*int64{
			"SELECT count(*) FROM " + all: &rows,
			"SELECT count(*) FROM (FROM ((FROM " + all + ") EXCEPT ALL (FROM " + joined + ")) UNION ALL FROM ((FROM " + joined + ") EXCEPT ALL (FROM " + all + ")))": &differ,
			// Filters go by the statistics of row groups.
			"SELECT abs((SELECT count(*) FROM " + all + ` WHERE "a kind" = 'kind 3') - (SELECT count(*) FROM ` + joined + ` WHERE "a kind" = 'kind 3'))`: &found,
		} {
			if err := db.Scan(t.Context(), query, nil, into); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if differ != 0 || found != 0 {
			t.Errorf("%s: %d rows differ, %d by a filter", name, differ, found)
		}
		copied := []auditedRows{{partCounts: partCounts{rows: rows}, copied: true}}
		for _, s := range from {
			copied[0].groups += s.End
		}
		if err := auditPart(to, stored["part_0"], copied); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPartsOfOtherColumnsAreNotJoined(t *testing.T) {
	t.Parallel()
	db, dir := openScratch(t)
	files := writeAuditedParts(t, db, dir, "SELECT 1 AS id, 'x' AS name", "SELECT 1 AS id, 2 AS name")
	if err := rowgroups.JoinFiles(filepath.Join(dir, "joined.parquet"), segments(t, files...)); err == nil {
		t.Error("files of other columns were joined")
	}
}

// Holds: T151.
func TestAuditFindsMissingValuesOfAPart(t *testing.T) {
	t.Parallel()
	db, dir := openScratch(t)
	file := writeAuditedParts(t, db, dir, things+"range(5000) r(i)")[0]
	columns, err := db.Columns(t.Context(), "main")
	if err != nil {
		t.Fatal(err)
	}
	wrote := partCounts{rows: 5000, values: []int64{5000, 5000, 1667, 2500, 0}}
	if err := auditPart(file, columns["part_0"], []auditedRows{{partCounts: wrote, groups: 1}}); err != nil {
		t.Fatal(err)
	}
	for name, by := range map[string]int64{"one more": -1, "one less": 1} {
		wrote.values[2] += by
		if err := auditPart(file, columns["part_0"], []auditedRows{{partCounts: wrote, groups: 1}}); err == nil {
			t.Errorf("the file has %s value than was written, which was not noticed", name)
		}
		wrote.values[2] -= by
	}
	if err := os.Truncate(file, 2000); err != nil {
		t.Fatal(err)
	}
	if err := auditPart(file, columns["part_0"], []auditedRows{{partCounts: wrote, groups: 1}}); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that was cut off: %v", err)
	}
}
