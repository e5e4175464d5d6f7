package load

import (
	"context"
	"fmt"

	"aqueduck/internal/sandbox"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// Rehearse tries SQL of users in a process of its own before this process runs it: on empty tables like those of the work
// database, and on the published file if there is one. It returns the statements that bring that process down, by their
// index, with failure.ErrQueryFault, failure.ErrQueryMemory or an error about the time limit. It then tries the others
// again without them. Any other error in a statement is not reported here: the run meets it too.
func (w *Work) Rehearse(ctx context.Context, program sandbox.Program, schema, published string, all []read.Rehearsed) (map[int]error, error) {
	if len(all) == 0 {
		return nil, nil
	}
	r := read.Rehearsal{Schema: schema, Path: published, Memory: read.DefaultMemory / 2}
	if err := w.collectDDL(ctx, &r); err != nil {
		return nil, fmt.Errorf("prepare the test of user SQL: %w", err)
	}
	lethal := map[int]error{}
	for {
		r.SQL = nil
		var places []int
		for i, one := range all {
			if lethal[i] == nil {
				r.SQL, places = append(r.SQL, one), append(places, i)
			}
		}
		at, err := r.Run(ctx, program)
		if err == nil {
			return lethal, nil
		}
		if at < 0 || at >= len(places) || ctx.Err() != nil {
			return nil, fmt.Errorf("test SQL of users in a separate process: %w", err)
		}
		lethal[places[at]] = err
	}
}

// collectDDL collects the statements that create the tables and views of the work database, tables first.
func (w *Work) collectDDL(ctx context.Context, r *read.Rehearsal) error {
	return w.db.Do("", func(db *duck.DB) (err error) {
		r.Make, err = db.ScanTexts(ctx, `SELECT sql FROM (
		SELECT 0 AS place, 'CREATE SCHEMA IF NOT EXISTS "' || replace(schema_name, '"', '""') || '"' AS sql FROM duckdb_schemas() WHERE database_name = $1 AND NOT internal
		UNION ALL SELECT 1, sql FROM duckdb_tables() WHERE database_name = $1 AND NOT internal
		UNION ALL SELECT 2, sql FROM duckdb_views() WHERE database_name = $1 AND NOT internal) ORDER BY place`, duck.Catalog)
		return err
	})
}
