package load_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// TestAnAnswerKeepsItsTypesAndRowsInParquet writes what warehouses hold, reads it back by DuckDB and compares. Only whole numbers of 128
// bits become decimals, of as many digits.
func TestAnAnswerKeepsItsTypesAndRowsInParquet(t *testing.T) {
	t.Parallel()
	const all = `SELECT range AS n, '2024-02-29 10:00:00.5+02'::TIMESTAMPTZ + range * INTERVAL 1 DAY AS at, TIMESTAMP '2024-02-29 10:00:00.5' AS local,
		DATE '2024-02-29' AS day, 12345678901234567890.12::DECIMAL(38, 2) + range AS exact, sum(range) OVER ()::HUGEINT * 1000000000000000000000 AS total,
		('{"n": 9007199254740993, "s": "' || range || '"}')::JSON AS free, CASE WHEN range % 3 > 0 THEN [range, NULL] END AS list,
		[{'a': range, 'b': ['{"x": 1}'::JSON]}] AS nested, [range::HUGEINT] AS sums, MAP {'k': 1.50::DECIMAL(5, 2)} AS map, md5(range::VARCHAR)::UUID AS id,
		NULLIF(range % 2 = 0, true) AS yes, CASE WHEN range = 0 THEN 'nan'::DOUBLE ELSE range / 3 END AS f, 'é' || range AS "x""y", NULL AS nothing
		FROM range(5000)`
	w := publishedWarehouse(t)
	var text bytes.Buffer
	ready := false
	if err := read.Parquet(t.Context(), w.dir.Current(), all, func() { ready = true }, &text); err != nil || !ready {
		t.Fatal(ready, err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "answer.parquet")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := duck.Open(t.Context(), duck.Options{Path: ":memory:", Reach: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	kinds := func(what string) (all []string) {
		t.Helper()
		var text string
		if err := db.Scan(t.Context(), "SELECT string_agg(column_name || ' ' || column_type, chr(10)) FROM (DESCRIBE "+what+")", nil, &text); err != nil {
			t.Fatal(err)
		}
		return strings.Split(text, "\n")
	}
	want := strings.Split(strings.NewReplacer("HUGEINT", "DECIMAL(38,0)").Replace(strings.Join(kinds(all), "\n")), "\n")
	if diff := cmp.Diff(want, kinds("FROM "+duck.Text(file))); diff != "" {
		t.Errorf("types (-asked +read back):\n%s", diff)
	}
	var differ, rows int
	err = db.Scan(t.Context(), "SELECT (SELECT count(*) FROM ((SELECT * FROM ("+all+") EXCEPT ALL FROM "+duck.Text(file)+"))), (SELECT count(*) FROM "+duck.Text(file)+")", nil, &differ, &rows)
	if err != nil || differ != 0 || rows != 5000 {
		t.Errorf("%d of %d rows differ: %v", differ, rows, err)
	}
}

// fullDisk is a disk without room.
type fullDisk struct{}

var errFull = errors.New("no room")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestColumnsWithTheSameNameAreAllInParquet asks for two columns of one name, which a table cannot have.
func TestColumnsWithTheSameNameAreAllInParquet(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := read.Parquet(t.Context(), publishedWarehouse(t).dir.Current(), "SELECT 1 AS a, 2 AS a, 3 AS A, 4 AS a_1", func() {}, &text); err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(text.Bytes()), int64(text.Len()))
	if err != nil {
		t.Fatal(err)
	}
	row := make([]parquet.Row, 1)
	if n, err := parquet.NewReader(file).ReadRows(row); n != 1 || err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(n, err)
	}
	if got := fmt.Sprintf("%+v %+v", file.Schema().Columns(), row[0]); got != "[[a] [a_1] [A_2] [a_1_1]] [C:0 D:1 R:0 V:1 C:1 D:1 R:0 V:2 C:2 D:1 R:0 V:3 C:3 D:1 R:0 V:4]" {
		t.Error(got)
	}
}

func TestAFailedParquetWriteIsReported(t *testing.T) {
	t.Parallel()
	w := publishedWarehouse(t)
	err := read.Parquet(t.Context(), w.dir.Current(), "SELECT range, random() FROM range(1000000)", func() {}, fullDisk{})
	if !errors.Is(err, errFull) || strings.Contains(err.Error(), "IO Error") {
		t.Errorf("got %v", err)
	}
	if err := read.Parquet(t.Context(), w.dir.Current(), "SELECT 170141183460469231731687303715884105727 AS n", func() {}, &bytes.Buffer{}); err == nil {
		t.Error("a number of 39 digits is no decimal of 38")
	}
}
