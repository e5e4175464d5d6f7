package facts

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// TableState is a stored table at one moment.
type TableState struct {
	Schema, Name string
	Rows         int64     // counted
	Shown        int64     // those of them that are not soft-deleted
	Masked       int64     // shown rows that maskings have removed since the table was made
	Recorded     int64     // the sum of what the commits counted
	ChangedAt    time.Time // when a row last changed
	VerifiedAt   time.Time // the ChangedAt that a publish last verified; equal to ChangedAt: nothing new to verify
}

// Snapshot is the content that a copy of the database must agree on.
type Snapshot struct {
	Tables      []TableState
	Checkpoints string // a checksum over all of them
	Erased      ErasedRows
}

// MaskedSince is the number of rows that maskings have removed since an older state of the table.
func (t TableState) MaskedSince(older TableState) int64 { return max(0, t.Masked-older.Masked) }

// TablesOf gives the tables of a schema by name.
func (s Snapshot) TablesOf(schema string) map[string]TableState {
	tables := map[string]TableState{}
	for _, t := range s.Tables {
		if t.Schema == schema {
			tables[t.Name] = t
		}
	}
	return tables
}

// Table gives a table by its schema and name.
func (s Snapshot) Table(name [2]string) (TableState, bool) {
	i := slices.IndexFunc(s.Tables, func(t TableState) bool { return [2]string{t.Schema, t.Name} == name })
	if i < 0 {
		return TableState{}, false
	}
	return s.Tables[i], true
}

// ErasedRows are the erasures that a database has applied, each with the rows that it changed or removed, by schema and
// table.
type ErasedRows map[string]map[[2]string]int64

// Since sums, by schema and table, the rows of the erasures that an older file lacks.
func (e ErasedRows) Since(older ErasedRows) map[[2]string]int64 {
	sum := map[[2]string]int64{}
	for step, tables := range e {
		if _, known := older[step]; known {
			continue
		}
		for table, rows := range tables {
			sum[table] += rows
		}
	}
	return sum
}

// Snapshot counts what the work database holds. of are the counts of the published file that it was copied from: a table that has not changed since
// is not counted again. nil: each is counted.
func (w *Facts) Snapshot(ctx context.Context, of *Snapshot) (s Snapshot, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		s, err = readSnapshot(ctx, db, func(t TableState, _ bool) (TableState, bool) {
			if of == nil {
				return t, false
			}
			same, known := of.Table([2]string{t.Schema, t.Name})
			return same, known && same.Recorded == t.Recorded && same.ChangedAt.Equal(t.ChangedAt)
		})
		return err
	})
	return s, err
}

// ReadSnapshot counts the content of a database.
func ReadSnapshot(ctx context.Context, db *duck.DB) (Snapshot, error) {
	return readSnapshot(ctx, db, func(t TableState, _ bool) (TableState, bool) { return t, false })
}

// ReadPublished is ReadSnapshot for an unchanged copy of a published file. Its publish has counted the rows and compared them with what the commits
// counted, so only shown rows are counted, where some may not be.
func ReadPublished(ctx context.Context, db *duck.DB) (Snapshot, error) {
	return readSnapshot(ctx, db, func(t TableState, gone bool) (TableState, bool) {
		t.Rows, t.Shown = t.Recorded, t.Recorded
		return t, !gone
	})
}

// readSnapshot is ReadSnapshot. known gives the counts of a table where they need no query; it also learns whether the table has soft deletes.
func readSnapshot(ctx context.Context, db *duck.DB, known func(t TableState, gone bool) (TableState, bool)) (Snapshot, error) {
	var s Snapshot
	query := "SELECT schema, table_name, rows, changed_at, verified_at FROM _sync.tables ORDER BY ALL"
	err := db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var t TableState
		var changed, verified sql.NullTime
		if err := rows.Scan(&t.Schema, &t.Name, &t.Recorded, &changed, &verified); err != nil {
			return err
		}
		if changed.Valid {
			t.ChangedAt = changed.Time.UTC()
		}
		if verified.Valid {
			t.VerifiedAt = verified.Time.UTC()
		}
		s.Tables = append(s.Tables, t)
		return nil
	})
	if err != nil {
		return s, fmt.Errorf("list the tables: %w", err)
	}
	gone, err := goneTables(ctx, db)
	if err != nil {
		return s, fmt.Errorf("list the tables with soft deletes: %w", err)
	}
	if err := s.countRows(ctx, db, gone, known); err != nil {
		return s, err
	}
	if err := s.readMasked(ctx, db); err != nil {
		return s, fmt.Errorf("read how many rows were removed by masking: %w", err)
	}
	if s.Erased, err = readErased(ctx, db); err != nil {
		return s, fmt.Errorf("read the erasures: %w", err)
	}
	err = db.Scan(ctx, `SELECT coalesce(md5(string_agg(c::VARCHAR, chr(10) ORDER BY c.schema, c.stream)), '')
		FROM _sync.checkpoints c`, nil, &s.Checkpoints)
	if err != nil {
		return s, fmt.Errorf("read the checkpoints: %w", err)
	}
	return s, nil
}

// countRows counts the rows of all tables, and those that are not soft-deleted, in one statement: one for each table
// costs four times as much. Only where it fails each table is counted alone, to name the one that fails.
func (s *Snapshot) countRows(ctx context.Context, db *duck.DB, gone map[[2]string]bool, known func(t TableState, gone bool) (TableState, bool)) error {
	var counts []string
	var counted []TableState
	for i, t := range s.Tables {
		shown, soft := "count(*)", gone[[2]string{t.Schema, t.Name}]
		if same, ok := known(t, soft); ok {
			s.Tables[i].Rows, s.Tables[i].Shown = same.Rows, same.Shown
			continue
		}
		if soft {
			shown += " FILTER (" + transform.GoneColumn + " IS NULL)"
		}
		counts, counted = append(counts, fmt.Sprintf("SELECT %d, count(*), %s FROM %s", i, shown, db.StoredName(ctx, t.Schema, t.Name))), append(counted, t)
	}
	ask := func(query string) error {
		return db.Each(ctx, query, nil, func(rows *sql.Rows) error {
			var i int
			var stored, shown int64
			if err := rows.Scan(&i, &stored, &shown); err != nil {
				return err
			}
			s.Tables[i].Rows, s.Tables[i].Shown = stored, shown
			return nil
		})
	}
	if len(counts) == 0 {
		return nil
	}
	all := ask(strings.Join(counts, " UNION ALL "))
	if all == nil {
		return nil
	}
	for i, t := range counted {
		if err := ask(counts[i]); err != nil {
			return fmt.Errorf("count %s.%s: %w", t.Schema, t.Name, err)
		}
	}
	return fmt.Errorf("count the rows: %w", all)
}

// readMasked reads how many rows maskings have removed.
func (s *Snapshot) readMasked(ctx context.Context, db *duck.DB) (err error) {
	for i, t := range s.Tables {
		if s.Tables[i].Masked, err = workdb.ReadMaskedRows(ctx, db, t.Schema, t.Name); err != nil {
			return err
		}
	}
	return nil
}

// goneTables gives the stored tables that have the column of soft deletes. Their definitions are searched for it: the first
// list of columns in each DuckDB costs 8 milliseconds, because DuckDB then makes its own views.
func goneTables(ctx context.Context, db *duck.DB) (map[[2]string]bool, error) {
	return duck.Remember(db, "tables with soft deletes", duck.Definitions, func() (map[[2]string]bool, error) { return readGoneTables(ctx, db) })
}

func readGoneTables(ctx context.Context, db *duck.DB) (map[[2]string]bool, error) {
	tables := map[[2]string]bool{}
	query := "SELECT t.schema, t.table_name FROM " + duck.StoredTables + " WHERE d.database_name = $1 AND regexp_matches(d.sql, '[(,] *' || $2 || ' TIMESTAMP WITH TIME ZONE *[,)]')"
	err := db.Each(ctx, query, []any{duck.Catalog, transform.GoneColumn}, func(rows *sql.Rows) error {
		var name [2]string
		if err := rows.Scan(&name[0], &name[1]); err != nil {
			return err
		}
		tables[name] = true
		return nil
	})
	return tables, err
}

// readErased reads the erasures. All certificates of one step are equal, so each step is read once.
func readErased(ctx context.Context, db *duck.DB) (ErasedRows, error) {
	all := ErasedRows{}
	query := "SELECT DISTINCT schema, concat_ws(' ', schema, run_id, reason, epoch_us(recorded_at), tables::VARCHAR), tables::VARCHAR FROM _sync.erasures"
	return all, db.Each(ctx, query, nil, func(rows *sql.Rows) error {
		var schema, step, text string
		if err := rows.Scan(&schema, &step, &text); err != nil {
			return err
		}
		var counts map[string]int64
		if err := json.Unmarshal([]byte(text), &counts); err != nil {
			return err
		}
		all[step] = map[[2]string]int64{}
		for table, rows := range counts {
			all[step][[2]string{schema, table}] = rows
		}
		return nil
	})
}
