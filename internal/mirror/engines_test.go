//go:build mirror

package mirror

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOtherEnginesReadTheSameRows has engines read every table after three nights and an erasure. `make engines` installs them and names their Python.
func TestOtherEnginesReadTheSameRows(t *testing.T) {
	python := os.Getenv("AQUEDUCK_ENGINES")
	if python == "" {
		t.Skip("make engines runs it")
	}
	y := newYard(t)
	y.publish(first)
	y.mirror()
	nights := []string{night, "DELETE FROM tags; INSERT INTO nothing VALUES ('x', '2026-02-03 04:05:06.789Z')", "ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 9", night}
	for i, statements := range nights {
		if i == len(nights)-1 {
			must(t, os.WriteFile(y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n"), 0o600))
		}
		y.publish(statements)
		y.mirror()
		for _, engine := range []string{"pyiceberg", "polars", "duckdb", "chdb"} {
			c := exec.CommandContext(t.Context(), python, "testdata/engines.py", engine, strings.TrimPrefix(y.options.Catalog, "sqlite:"), "ws_ws1", y.dir.Current(), os.Getenv("AWS_ENDPOINT_URL_S3"))
			out, err := c.CombinedOutput()
			if err != nil {
				t.Errorf("night %d: %s: %v\n%s", i, engine, err, out)
			} else {
				t.Logf("night %d: %s", i, out)
			}
		}
	}
}
