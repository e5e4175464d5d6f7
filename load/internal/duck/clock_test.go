package duck

import (
	"path/filepath"
	"testing"
	"time"
)

// TestSQLAsksAFixedClock asks for the time in each way that DuckDB has, in a statement and in a view that was stored earlier.
func TestSQLAsksAFixedClock(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.duckdb")
	const asked = `SELECT now() = shown AND current_timestamp = shown AND transaction_timestamp() = shown AND get_current_timestamp() = shown
		AND today() = DATE '2026-11-20' AND current_date = DATE '2026-11-20' AND localtimestamp = TIMESTAMP '2026-11-20 00:30:00'
		AND localtime = TIME '00:30:00' AND current_time::TIME = TIME '00:30:00' AND age(TIMESTAMP '2026-11-01 00:00:00') = INTERVAL 19 DAYS
		AND age(TIMESTAMPTZ '2026-11-01 00:00:00+01') = INTERVAL 19 DAYS AND age(DATE '2026-11-03', DATE '2026-11-01') = INTERVAL 2 DAYS AS fixed
		FROM (SELECT TIMESTAMPTZ '2026-11-19 23:30:00+00' AS shown)`
	db, err := Open(t.Context(), Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(t.Context(), "CREATE VIEW stored AS "+asked); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, o := range []struct {
		now  time.Time
		want bool
	}{{time.Date(2026, 11, 19, 23, 30, 0, 0, time.UTC), true}, {time.Time{}, false}} {
		if db, err = Open(t.Context(), Options{Path: file, ReadOnly: true, Timezone: "Europe/Berlin", Now: o.now}); err != nil {
			t.Fatal(err)
		}
		for _, statement := range []string{asked, "FROM stored"} {
			var fixed bool
			if ok, err := db.Reads(statement); err != nil || !ok {
				t.Errorf("users may ask %s: %t, %v", statement, ok, err)
			}
			if err := db.Scan(t.Context(), statement, nil, &fixed); err != nil || fixed != o.want {
				t.Errorf("at %s %s gives %t, %v; want %t", o.now, statement, fixed, err, o.want)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
