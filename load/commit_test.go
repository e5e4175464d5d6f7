package load_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/lane"
	"aqueduck/load"
	"aqueduck/load/committest"
	"aqueduck/load/layout"
	"aqueduck/transform"
)

// TestCommitKeepsItsContract runs the contract of every destination against the work database.
// Holds: T7, T8, T18, T45, T139.
func TestCommitKeepsItsContract(t *testing.T) {
	t.Parallel()
	if err := flag.Set("rapid.checks", strconv.Itoa(lane.Cases(40, 100))); err != nil {
		t.Fatal(err)
	}
	committest.Run(t, func(tb testing.TB) committest.Committer { return newWarehouse(tb, load.Options{}) })
}

// testWarehouse is a work database of a test, its clock standing still unless moved.
type testWarehouse struct {
	*load.Work
	dir     layout.Dir
	options load.Options
	now     time.Time
}

func newWarehouse(tb testing.TB, o load.Options) *testWarehouse {
	tb.Helper()
	w := &testWarehouse{dir: layout.Dir(tb.TempDir() + "/data"), now: time.Date(2026, 11, 1, 2, 0, 0, 0, time.UTC)}
	o.Now = func() time.Time { return w.now }
	o.RunID = "run"
	w.options = o
	if err := load.Prepare(w.dir); err != nil {
		tb.Fatal(err)
	}
	w.openWork(tb)
	tb.Cleanup(func() {
		if err := w.Close(); err != nil {
			tb.Error(err)
		}
	})
	return w
}

func (w *testWarehouse) openWork(tb testing.TB) {
	tb.Helper()
	opened, err := load.OpenWork(tb.Context(), w.dir, w.options)
	if err != nil {
		tb.Fatal(err)
	}
	w.Work = opened
}

// Ensure makes tables, as the contract has it.
func (w *testWarehouse) Ensure(ctx context.Context, schema string, tables []transform.Table) ([]load.Change, error) {
	return w.Tables.Ensure(ctx, schema, tables)
}

// Checkpoint gives the stored checkpoint, as the contract has it.
func (w *testWarehouse) Checkpoint(ctx context.Context, workspace, stream string) (load.Checkpoint, error) {
	return w.Checkpoints.Checkpoint(ctx, workspace, stream)
}

// Restart is a new process on the same directory.
func (w *testWarehouse) Restart(tb testing.TB) {
	tb.Helper()
	if err := w.Close(); err != nil {
		tb.Fatal(err)
	}
	w.openWork(tb)
}

// Rows reads a table through the door for ids: each row is one text.
func (w *testWarehouse) Rows(tb testing.TB, schema, table string) []committest.Row {
	tb.Helper()
	return rowsOf(tb, w.Work, schema, table)
}

func rowsOf(tb testing.TB, w *load.Work, schema, table string) []committest.Row {
	tb.Helper()
	texts, err := w.Facts.IDs(tb.Context(), schema, fmt.Sprintf("SELECT to_json(t)::VARCHAR || chr(0) || row_number() OVER () FROM {schema}.%s t", table))
	if err != nil {
		tb.Fatal(err)
	}
	rows := make([]committest.Row, len(texts))
	for i, text := range texts {
		text, _, _ = strings.Cut(text, "\x00")
		values := map[string]any{}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&values); err != nil {
			tb.Fatal(err)
		}
		rows[i] = committest.Row{}
		for name, value := range values {
			if value == nil {
				continue
			}
			rows[i][name] = fmt.Sprint(value)
			if strings.HasSuffix(name, "_at") {
				rows[i][name] = formatInstant(rows[i][name])
			}
		}
	}
	return rows
}

// formatInstant brings DuckDB's text of an instant into the form of the contract's tests.
func formatInstant(text string) string {
	text = strings.TrimSuffix(strings.Replace(text, " ", "T", 1), "+00")
	whole, fraction, found := strings.Cut(text, ".")
	if !found {
		return whole
	}
	return whole + "." + (fraction + "000000")[:6]
}
