package load

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"aqueduck/load/erase"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Commit merges batches and moves the checkpoint of their stream, in one transaction. When next is already stored, Commit
// succeeds and writes nothing. When the stored checkpoint is not base, it returns ErrFenced. The caller keeps the batches
// and releases them.
func (w *Work) Commit(ctx context.Context, workspace, stream string, base, next Checkpoint, batches []transform.Batch) (written Written, err error) {
	err = w.db.Do(fmt.Sprintf("commit %s", stream), func(*duck.DB) error {
		m := &commitMerger{work: w.db, schema: workspace, stream: stream, hook: erase.NewArrival(w.Erasures, workspace)}
		defer m.dropStaged(ctx)
		if err := m.stageBatches(ctx, batches); err != nil {
			return err
		}
		written, err = w.Checkpoints.moveCheckpoint(ctx, workspace, stream, base, next, func(stamp time.Time) (Written, error) {
			m.stamp = stamp
			for _, b := range batches {
				if err := w.recordSchemaDrift(ctx, workspace, stream, b.SchemaDrift); err != nil {
					return Written{}, err
				}
			}
			return m.mergeGroups(ctx)
		})
		if err != nil {
			return err
		}
		m.hook.AfterCommit()
		return nil
	})
	return written, err
}

// recordSchemaDrift records each field and each kind of value that no column of the stream file takes, and each word that it does not name, once
// for ever.
func (w *Work) recordSchemaDrift(ctx context.Context, schema, stream string, drift []transform.SchemaDrift) error {
	if len(drift) == 0 {
		return nil
	}
	type known struct{ table, column, path, change, kind string }
	recorded, err := duck.Remember(w.db.DB, "drift of "+schema+"."+stream, duck.SystemTable("schema_changes"), func() (map[known]bool, error) {
		all := map[known]bool{}
		return all, w.db.DB.Each(ctx, "SELECT table_name, column_name, path, change, coalesce(example_type, '') FROM _sync.schema_changes WHERE schema = $1 AND stream = $2 AND path IS NOT NULL", []any{schema, stream},
			func(rows *sql.Rows) error {
				var k known
				err := rows.Scan(&k.table, &k.column, &k.path, &k.change, &k.kind)
				all[k] = true
				return err
			})
	})
	if err != nil {
		return fmt.Errorf("list the fields that were noted of %s: %w", stream, err)
	}
	for _, n := range drift {
		change := "a field without a column: it is in _extra"
		switch {
		case n.Type == transform.DriftWord:
			change = "a new word: " + n.Word
		case n.Column != "":
			change = "a value that does not fit the column: it is in _extra"
		}
		if recorded[known{n.Table, n.Column, n.Path, change, n.Type}] {
			continue
		}
		_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.schema_changes (run_id, recorded_at, schema, table_name, column_name, change, stream, path, example_type)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9 WHERE NOT EXISTS (SELECT 1 FROM _sync.schema_changes
			WHERE schema = $3 AND table_name = $4 AND column_name = $5 AND stream = $7 AND path = $8 AND (column_name = '' OR example_type = $9) AND (example_type <> '`+transform.DriftWord+`' OR change = $6))`,
			w.db.RunID(), w.db.Now().UTC(), schema, n.Table, n.Column, change, stream, n.Path, n.Type)
		if err != nil {
			return fmt.Errorf("note the field %s of %s: %w", n.Path, n.Table, err)
		}
	}
	return nil
}
