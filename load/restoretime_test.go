package load_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/load"
	"aqueduck/load/committest"
)

// TestF24ALostWorkDatabaseIsRestoredWithinAMinute damages a work database of so many rows as AQUEDUCK_ROWS says, and opens it.
func TestF24ALostWorkDatabaseIsRestoredWithinAMinute(t *testing.T) {
	t.Parallel()
	rows, err := strconv.Atoi(os.Getenv("AQUEDUCK_ROWS"))
	if err != nil {
		rows = 10_000
	}
	w := newWarehouse(t, load.Options{})
	w.ensureStream(t, committest.Stream())
	w.commitPeople(t, 0, committest.Person{Region: "eu", ID: "0", Updated: 5})
	must(t, w.Plant(t.Context(), fmt.Sprintf(`INSERT INTO main.people_all BY NAME
		SELECT 'eu' AS region, i::VARCHAR AS id, now() AS updated_at, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS name, (hash(i) >> 1)::BIGINT AS _hash, now() AS _synced_at FROM range(1, %d) t(i)`, rows)))
	must(t, w.Fold(t.Context()))
	must(t, w.Close())
	file := w.publishFile(t, "run1")
	info, err := os.Stat(file)
	must(t, err)
	must(t, os.Truncate(w.dir.Database(), info.Size()/2))

	began := time.Now()
	w.openWork(t)
	took := time.Since(began)
	t.Logf("%d rows, %d MB: back after %.1f s", rows, info.Size()>>20, took.Seconds())
	if took > time.Minute || !strings.Contains(w.Restored, "restored from run1.duckdb") {
		t.Errorf("after %s: %q", took, w.Restored)
	}
	if c, err := w.Checkpoints.Checkpoint(t.Context(), "main", "people"); err != nil || c.Seq != 1 {
		t.Errorf("checkpoint %+v, %v; want that of the published file", c, err)
	}
}
