package facts

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestT33ColumnsThatNearlyEveryRowHas puts the rows without a value first, last and everywhere: a part of the table decides only what the whole would.
func TestT33ColumnsThatNearlyEveryRowHas(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{Path: filepath.Join(t.TempDir(), "columns.duckdb")})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = 10_000
	lacks := map[string]string{ // by column: the rows without a value
		"none": "false", "all": "true", "first_500": "i < 500", "first_501": "i < 501", "last_500": "i >= 9500", "last_501": "i >= 9501 OR i < 2",
		"every_20th": "i % 20 = 0", "every_19th": "i % 19 = 0", "all_but_first": "i > 0",
	}
	names := slices.Sorted(maps.Keys(lacks))
	var columns []string
	for _, name := range names {
		columns = append(columns, fmt.Sprintf("CASE WHEN %s THEN NULL ELSE i END AS %s", lacks[name], name))
	}
	if _, err := db.Exec(t.Context(), fmt.Sprintf("CREATE TABLE many AS SELECT '2.17' AS _api_version, %s FROM range(%d) r(i)", strings.Join(columns, ", "), rows)); err != nil {
		t.Fatal(err)
	}
	// Rows of another version count for nothing.
	if _, err := db.Exec(t.Context(), fmt.Sprintf("INSERT INTO many SELECT '2.16', * EXCLUDE (_api_version) FROM (SELECT '' AS _api_version%s FROM range(%d))", strings.Repeat(", NULL", len(names)), rows)); err != nil {
		t.Fatal(err)
	}
	want := []string{"every_20th", "first_500", "last_500", "none"}
	for _, stored := range []int64{rows, 2 * rows} {
		filled, err := nonNullColumns(t.Context(), db, "many", "2.17", names, stored)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range names {
			if filled[name] {
				got = append(got, name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("of %d rows: %v, want %v", stored, got, want)
		}
	}
	if filled, err := nonNullColumns(t.Context(), db, "many", "2.15", names, 2*rows); err != nil || slices.Contains(slices.Collect(maps.Values(filled)), true) {
		t.Errorf("of no row: %v, %v", filled, err)
	}
}
