package warehouse

import (
	"context"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// AdoptDatasets adds the stored datasets of a schema to what is published, whether or not this run reads them. It returns their states by stream,
// and their streams.
func (w *Writer) AdoptDatasets(ctx context.Context, schema string, families []*schemas.Stream) (map[string]*extract.Export, []*schemas.Stream, error) {
	var states map[string]string
	err := w.Use(func(work *load.Work) (err error) {
		states, err = work.Facts.States(ctx, schema)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	stored, streams, err := storedDatasets(states, families)
	for _, t := range dictionary.Tables(streams) {
		w.publishTable(schema, t)
	}
	return stored, streams, err
}

// publishTable adds a table to what is published, or replaces its older form.
func (w *Writer) publishTable(schema string, t transform.Table) {
	for i := range w.spec.Schemas {
		s := &w.spec.Schemas[i]
		if s.Name != schema {
			continue
		}
		s.Tables = replaceTable(s.Tables, t)
	}
}

// WidenTable creates a table or adds its new columns, between two commits. It folds the database's log before and after, so that the log never
// holds changed columns and rows together: DuckDB is known to replay such a log wrongly.
func (w *Writer) WidenTable(ctx context.Context, schema string, t transform.Table) ([]load.Change, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.Work == nil {
		return nil, w.closedError()
	}
	changes, err := w.Work.Tables.Ensure(ctx, schema, []transform.Table{t})
	if err != nil {
		return nil, err
	}
	w.Tables[schema] = replaceTable(w.Tables[schema], t)
	w.publishTable(schema, t)
	if len(changes) == 0 {
		return nil, nil
	}
	delete(w.managed, schema)
	return changes, w.Work.Fold(ctx)
}
