//go:build mirror

package mirror

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// TestOtherEnginesReadTheSameRows has engines read every table: fresh, after nights with a new column, a new table and an erasure, and after thirty more, in which files were
// merged. `make engines` installs them and names their Python.
// Holds: P6.
func TestOtherEnginesReadTheSameRows(t *testing.T) {
	python := os.Getenv("AQUEDUCK_ENGINES")
	if python == "" {
		t.Skip("make engines runs it")
	}
	y := newYard(t)
	if os.Getenv("AQUEDUCK_REST_SERVER") != "" {
		y.options.Catalog = startRESTServer(t)
	}
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}}
	y.publish(first)
	y.mirror()
	read := func(when, engine string, compacts ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), python, append([]string{"testdata/engines.py", engine, y.options.Catalog, "ws_ws1", y.dir.Current(), os.Getenv("AWS_ENDPOINT_URL_S3")}, compacts...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %s: %v\n%s", when, engine, err, out)
		} else {
			t.Logf("%s: %s", when, out)
		}
	}
	t.Logf("the catalog is %s", y.options.Catalog)
	engines := []string{"pyiceberg", "polars", "duckdb", "chdb"}
	hasSpark := os.Getenv("AQUEDUCK_SPARK_JARS") != ""
	if hasSpark { // it needs Java
		engines = append(engines, "spark")
	}
	compare := func(when string) {
		t.Helper()
		for _, engine := range engines {
			read(when, engine)
		}
	}
	compare("fresh")
	nights := []string{night, "DELETE FROM tags; INSERT INTO nothing VALUES ('x', '2026-02-03 04:05:06.789Z')",
		"ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 9; CREATE TABLE later AS SELECT id, score FROM contacts", night}
	for i, statements := range nights {
		if i == len(nights)-1 {
			must(t, os.WriteFile(y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n"), 0o600))
		}
		y.publish(statements)
		y.mirror()
		compare(fmt.Sprint("night ", i+1))
	}
	most := 0
	for n := range 30 {
		y.publish(fmt.Sprintf("UPDATE contacts SET score = score + 1 WHERE age %% 40 = %d; INSERT INTO nothing VALUES ('%[1]d', now())", n))
		y.mirror()
		most = max(most, y.deleteFiles("contacts"))
	}
	if now := y.deleteFiles("contacts"); most < mostDeletes-1 || now >= most {
		t.Errorf("%d files of deletes, at most %d: no files were merged", now, most)
	}
	compare("thirty nights later")
	if !hasSpark {
		return
	}
	_, _, before := y.library("contacts")
	read("compacting", "spark", "contacts", "nothing")
	if _, _, now := y.library("contacts"); snapshotOf(now) == snapshotOf(before) {
		t.Error("nothing was compacted")
	}
	compare("compacted by Spark")
	y.publish(night)
	if r := y.mirror(); len(r.Notes) > 0 {
		t.Errorf("the night after the compaction: %q", r.Notes)
	}
	compare("a night after the compaction")
}
