package warehouse

import (
	"context"

	"aqueduck/extract"
	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// AdoptDatasets has the datasets of a schema published with the rest, whether or not they are read now.
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

// publishTable adds a table to what is published, or puts its newer form in the place of the older.
func (w *Writer) publishTable(schema string, t transform.Table) {
	for i := range w.spec.Schemas {
		s := &w.spec.Schemas[i]
		if s.Name != schema {
			continue
		}
		s.Tables = replaceTable(s.Tables, t)
	}
}

// WidenTable makes a table, or adds its new columns, between two commits. The log is folded before and after: it never holds
// changed columns and rows together.
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
	return changes, w.Work.Fold(ctx)
}
