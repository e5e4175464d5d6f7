package facts

import (
	"context"
	"database/sql"
	"fmt"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Orphans counts, by table, the rows of nested lists whose record is not stored. It looks at the tables that changed
// since a publish last verified them. There should be none: a record and its lists come in one commit.
func (w *Facts) Orphans(ctx context.Context, schema string, tables []transform.Table) (found map[string]int64, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		changed, rows, err := w.changedTables(ctx, schema)
		if err != nil {
			return fmt.Errorf("list the tables that changed: %w", err)
		}
		found = map[string]int64{}
		for _, t := range tables {
			for _, parent := range tables {
				if parent.Name != t.Parent || !changed[t.Name] && !changed[parent.Name] {
					continue
				}
				n, err := countOrphans(ctx, db, hashesOf(db.StoredName(ctx, schema, t.Name), t.ParentKey), hashesOf(db.StoredName(ctx, schema, parent.Name), parent.Key), rows[parent.Name])
				if err != nil {
					return fmt.Errorf("find rows of %s without their record: %w", t.Name, err)
				}
				if n > 0 {
					found[t.Name] = n
				}
			}
		}
		return nil
	})
	return found, err
}

// recordsAtOnce limits the records whose keys are in memory while orphans are looked for. At the end of a run over ten million parts, the keys of
// 800,000 conversations did not fit.
const recordsAtOnce = 1_500_000

func hashesOf(stored string, key []string) string {
	return fmt.Sprintf("SELECT hash(%s) AS h FROM %s", duck.Names("", key), stored)
}

// countOrphans counts the hashes of one query that another lacks, which has so many rows. Hashes need a third of the keys' memory.
func countOrphans(ctx context.Context, db *duck.DB, children, records string, rows int64) (all int64, err error) {
	parts := rows/recordsAtOnce + 1
	for part := int64(0); part < parts && err == nil; part++ {
		in := fmt.Sprintf(") WHERE h %% %d = %d)", parts, part)
		var n int64
		err = db.Scan(ctx, "SELECT count(*) FROM (FROM ("+children+in+" ANTI JOIN (FROM ("+records+in+" USING (h)", nil, &n)
		all += n
	}
	return all, err
}

// changedTables are the tables that changed since a publish last verified them, and how many rows each table has.
func (w *Facts) changedTables(ctx context.Context, schema string) (changed map[string]bool, stored map[string]int64, err error) {
	changed, stored = map[string]bool{}, map[string]int64{}
	query := "SELECT table_name, changed_at IS DISTINCT FROM verified_at, coalesce(rows, 0) FROM _sync.tables WHERE schema = $1"
	return changed, stored, w.db.DB.Each(ctx, query, []any{schema}, func(rows *sql.Rows) error {
		var name string
		var other bool
		var n int64
		err := rows.Scan(&name, &other, &n)
		changed[name], stored[name] = other, n
		return err
	})
}

// EarlierFindings gives the findings of earlier runs, by schema, stream and name.
func (w *Facts) EarlierFindings(ctx context.Context) (earlier map[[3]string]bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		earlier = map[[3]string]bool{}
		query := "SELECT DISTINCT coalesce(schema, ''), coalesce(stream, ''), name FROM _sync.audit WHERE run_id <> $1"
		return db.Each(ctx, query, []any{w.db.RunID()}, func(rows *sql.Rows) error {
			var name [3]string
			err := rows.Scan(&name[0], &name[1], &name[2])
			earlier[name] = true
			return err
		})
	})
	return earlier, err
}
