package load_test

import (
	"fmt"
	"slices"
	"testing"

	"aqueduck/load"
)

// TestNamesAreFoundInManyColumnsWithinTheMemoryOfARun: a workspace has names in some seventy columns. All of them are looked at with the memory that
// pipelines.yaml gives a run by default.
func TestNamesAreFoundInManyColumnsWithinTheMemoryOfARun(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t, load.Options{Memory: 200_000_000})
	const tables = 70
	var columns []string
	for i := range tables {
		table := fmt.Sprintf("t%02d", i)
		columns = append(columns, table+".name", table+".not_there")
		if err := w.Plant(t.Context(), fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS main; CREATE TABLE main.%s AS SELECT CASE WHEN i = 77 THEN 'Rosa Canary %d' ELSE 'Somebody ' || i END AS name FROM range(3000) r(i)", table, i)); err != nil {
			t.Fatal(err)
		}
	}
	texts := []string{"rosa canary 0", "ROSA CANARY 69", "Rosa Canary 70"}
	for i := range 60 {
		texts = append(texts, fmt.Sprint("word ", i))
	}
	for range 3 {
		values, err := w.Facts.ValuesAmong(t.Context(), "main", columns, texts)
		if err != nil || !slices.Equal(values, []string{"Rosa Canary 0", "Rosa Canary 69"}) {
			t.Fatalf("%q, %v", values, err)
		}
	}
}
