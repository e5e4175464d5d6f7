package publish

import (
	"path/filepath"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestScatteredRowsAreCollectedOnceForManyGroups has a table in the order of its times, and one in another order. Only of the second are the rows of
// several groups copied together, and each group still gets its own. A group between them that stays as it is is not copied.
func TestScatteredRowsAreCollectedOnceForManyGroups(t *testing.T) {
	t.Parallel()
	for order, wanted := range map[string]bool{"i": false, "hash(i)": true} {
		db, err := duck.Open(t.Context(), duck.Options{Path: filepath.Join(t.TempDir(), "x.duckdb"), Reach: []string{t.TempDir()}})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if _, err := db.Exec(t.Context(), "CREATE TABLE t AS SELECT i AS id, make_timestamptz(i * 1000000) AS updated_at FROM range(1, 40001) r(i) ORDER BY "+order); err != nil {
			t.Fatal(err)
		}
		w := &partWriter{lakeWriter: &lakeWriter{schema: Schema{Name: "main"}}, db: db, group: 1000, from: "t", source: rowSource{table: `"main"."t"`, column: "updated_at"}}
		all, err := w.divide(t.Context(), timeRange{}, 40_000)
		if err == nil {
			all.units[4].write = nil
			err = w.noteScattered(t.Context(), all.units)
		}
		if err != nil {
			t.Fatal(err)
		}
		if (w.toWrite != nil) != wanted || len(all.units) < 30 {
			t.Errorf("ordered by %s: %d of %d groups are scattered", order, len(w.toWrite), len(all.units))
		}
		var copies int
		var rows, copied int64
		for _, u := range all.units {
			if u.write == nil {
				continue
			}
			table, err := w.stageRows(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			if len(w.staged) > 0 && w.staged[0] == u {
				copies++
				var n int64
				if err := db.Scan(t.Context(), "SELECT count(*) FROM "+table, nil, &n); err != nil {
					t.Fatal(err)
				}
				copied += n
			}
			var found int64
			if err := db.Scan(t.Context(), "SELECT count(*) FROM "+table+" WHERE "+u.write.condition(w.source.column), nil, &found); err != nil {
				t.Fatal(err)
			}
			rows += found
		}
		var kept int64
		if err := db.Scan(t.Context(), "SELECT count(*) FROM t WHERE "+timeRange{all.units[4].From, all.units[5].From}.condition("updated_at"), nil, &kept); err != nil {
			t.Fatal(err)
		}
		most, ofCopies := 0, int64(0)
		if wanted {
			most, ofCopies = (len(all.units)-1+stagedGroups-1)/stagedGroups, rows
		}
		if err := w.dropStaged(t.Context()); err != nil || kept == 0 || rows != 40_000-kept || copies != most || copied != ofCopies {
			t.Errorf("ordered by %s: %d rows, %d copies of %d, want %d, %d of %d; %v", order, rows, copies, copied, 40_000-kept, most, ofCopies, err)
		}
	}
}
