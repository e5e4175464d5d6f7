package facts

import (
	"context"
	"database/sql"
	"fmt"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Orphans counts, by table, the rows of nested lists whose record is not stored. It looks at the tables that changed
// since a publish last verified them. There should be none: a record and its lists come in one commit.
func (w *Facts) Orphans(ctx context.Context, schema string, tables []transform.Table) (found map[string]int64, err error) {
	err = w.db.Do("", func(db *duck.DB) error {
		changed, err := w.changedTables(ctx, schema)
		if err != nil {
			return fmt.Errorf("list the tables that changed: %w", err)
		}
		found = map[string]int64{}
		for _, t := range tables {
			for _, parent := range tables {
				if parent.Name != t.Parent || !changed[t.Name] && !changed[parent.Name] {
					continue
				}
				var n int64
				err := db.Scan(ctx, fmt.Sprintf("SELECT count(*) FROM %s t WHERE NOT EXISTS (SELECT 1 FROM %s p WHERE %s)",
					db.StoredName(ctx, schema, t.Name), db.StoredName(ctx, schema, parent.Name), clause.Matches("p.", parent.Key, "t.", t.ParentKey)), nil, &n)
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

func (w *Facts) changedTables(ctx context.Context, schema string) (map[string]bool, error) {
	changed := map[string]bool{}
	query := "SELECT table_name FROM _sync.tables WHERE schema = $1 AND changed_at IS DISTINCT FROM verified_at"
	return changed, w.db.DB.Each(ctx, query, []any{schema}, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		changed[name] = true
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
