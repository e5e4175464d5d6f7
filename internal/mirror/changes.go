//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/crash"
	"aqueduck/load/differ"
)

// changesName is the table of changed keys. Engines refuse to list the changes of tables with files of deletes; this one only grows.
const changesName = "_changes"

var changesSchema = iceberg.NewSchema(0,
	iceberg.NestedField{ID: 1, Name: "relation", Type: iceberg.PrimitiveTypes.String, Doc: "The table."},
	iceberg.NestedField{ID: 2, Name: "key", Type: iceberg.PrimitiveTypes.String, Doc: "Key of the row as text; of several columns, a list in JSON. NULL: the whole table."},
	iceberg.NestedField{ID: 3, Name: "kind", Type: iceberg.PrimitiveTypes.String, Doc: "insert, update or delete; rewrite: any row of the table may be another one; drop: the table is gone."},
	iceberg.NestedField{ID: 4, Name: "file", Type: iceberg.PrimitiveTypes.String, Doc: "The published file that the table was made equal to."},
	iceberg.NestedField{ID: 5, Name: "recorded_at", Type: iceberg.PrimitiveTypes.TimestampTz, Doc: "By the clock of the machine. All rows of a mirror have the same time."},
)

const changesDoc = "Keys of the rows that each mirror has changed. They are here once the tables have the rows."

// keepChanges is how long a changed key stays.
const keepChanges = 30 * 24 * time.Hour

// noteRows notes the rows that a commit will change: those that are gone from a table, and those that it lacks by the last comparison.
func (m *mirror) noteRows(ctx context.Context, of differ.Relation, held tableFiles, gone []differ.Place, isWhole bool) error {
	if len(of.Key) == 0 || isWhole {
		return m.file.NoteTable(ctx, of.Name, differ.TableRewritten)
	}
	positions := map[int64]map[int64]bool{}
	for _, place := range gone {
		if positions[place.File] == nil {
			positions[place.File] = map[int64]bool{}
		}
		positions[place.File][place.Position] = true
	}
	for i, goneThere := range positions {
		at := int64(0)
		err := m.readColumns(ctx, held.data[i].FilePath(), of.Key, func(batch arrow.RecordBatch) error {
			keys := withGone(batch, at, goneThere)
			defer keys.Release()
			at += batch.NumRows()
			return m.file.NoteKeys(ctx, of, keys)
		})
		if errors.Is(err, errNoHashes) { // the file has no such column
			return m.file.NoteTable(ctx, of.Name, differ.TableRewritten)
		}
		if err != nil {
			return err
		}
	}
	return m.file.NoteRows(ctx, of)
}

// withGone is a batch with differ.GoneColumn: which of its rows, the first one of which has a position, are gone. The caller releases it.
func withGone(batch arrow.RecordBatch, from int64, gone map[int64]bool) arrow.RecordBatch {
	b := array.NewInt64Builder(memory.DefaultAllocator)
	defer b.Release()
	for i := range batch.NumRows() {
		is := int64(0)
		if gone[from+i] {
			is = 1
		}
		b.Append(is)
	}
	flags := b.NewArray()
	defer flags.Release()
	fields := append(slices.Clone(batch.Schema().Fields()), arrow.Field{Name: differ.GoneColumn, Type: arrow.PrimitiveTypes.Int64})
	return array.NewRecordBatch(arrow.NewSchema(fields, nil), append(slices.Clone(batch.Columns()), flags), batch.NumRows())
}

// addChanges commits what was noted. After an erasure it leaves no key of before: every table is noted as a whole.
func (m *mirror) addChanges(ctx context.Context, tables []differ.Relation, erase bool) error {
	has, err := m.file.HasChanges(ctx)
	if err != nil || !has && !erase {
		return err
	}
	if err := m.beginControl(ctx); err != nil {
		return err
	}
	name := table.Identifier{m.namespace, changesName}
	t, err := m.catalog.load(ctx, name)
	if err != nil {
		return err
	}
	isWhole := t == nil || erase
	if t != nil {
		if err := m.checkOurs(t); err != nil {
			return err
		}
		isWhole = isWhole || !isAsLeft(t)
	}
	if isWhole {
		for _, of := range tables {
			if err := m.file.NoteTable(ctx, of.Name, differ.TableRewritten); err != nil {
				return err
			}
		}
	}
	if t == nil {
		if t, err = m.createTable(ctx, name, changesSchema, changesDoc); err != nil {
			return err
		}
	}
	if t, err = m.commitChanges(ctx, t, erase); err != nil {
		return err
	}
	if erase {
		return m.expire(ctx, t, true)
	}
	if t, err = m.mergeChanges(ctx, t); err != nil {
		return err
	}
	return m.expire(ctx, t, false)
}

// isAsLeft says whether a table has the rows of the last mirror that changed it.
func isAsLeft(t *table.Table) bool {
	s := t.CurrentSnapshot()
	if s == nil {
		return false
	}
	noted, ours := ourSummary(t, s)
	return ours && (noted[propertyClaim] == "" || noted[propertyClaim] == t.Properties()[propertyClaim])
}

// commitChanges appends what was noted; after an erasure in place of all other rows.
func (m *mirror) commitChanges(ctx context.Context, t *table.Table, erase bool) (*table.Table, error) {
	var old tableFiles
	var rows []iceberg.DataFile
	var err error
	if erase {
		if old, err = m.readFiles(t); err != nil {
			return nil, err
		}
	}
	err = m.file.Changes(ctx, m.report.File, m.options.Now(), func(reader array.RecordReader) error {
		rows, err = m.writeRows(ctx, t, reader)
		return err
	})
	if err == nil {
		err = m.beginControl(ctx)
	}
	if err != nil {
		return nil, err
	}
	t, err = m.commit(ctx, t, iceberg.Properties{}, func(tx *table.Transaction, summary iceberg.Properties) error {
		if len(old.data) > 0 || len(old.deletes) > 0 {
			return tx.ReplaceFiles(ctx, old.data, rows, old.deletes, summary, table.WithoutAutoNameMapping())
		}
		return tx.NewRowDelta(summary).AddRows(rows...).Commit(ctx)
	})
	if errors.Is(err, errOvertaken) {
		return nil, m.fenced("table " + changesName + " was changed meanwhile")
	}
	crash.At(crash.MirrorTable)
	return t, err
}

// mergeChanges commits the same rows in fewer files, where there are many, without those that are too old.
func (m *mirror) mergeChanges(ctx context.Context, t *table.Table) (*table.Table, error) {
	if !hasMany(t, totalFiles, mostFiles) {
		return t, nil
	}
	held, err := m.readFiles(t)
	if err != nil || !held.plain || len(held.deletes) > 0 {
		return t, err
	}
	old, _ := held.divide(nil)
	if len(old.data) == 0 {
		return t, nil
	}
	rows, err := m.copyChanges(ctx, t, old, m.options.Now().Add(-keepChanges))
	if err == nil {
		err = m.beginControl(ctx)
	}
	if err != nil {
		return nil, err
	}
	t, err = m.commit(ctx, t, iceberg.Properties{}, func(tx *table.Transaction, summary iceberg.Properties) error {
		return tx.ReplaceFiles(ctx, old.data, rows, nil, summary, table.WithoutAutoNameMapping())
	})
	if errors.Is(err, errOvertaken) {
		return nil, m.fenced("table " + changesName + " was changed meanwhile")
	}
	if err != nil {
		return nil, err
	}
	return t, m.removeUnused(ctx, t, m.options.Now().Add(-unusedAge))
}

// copyChanges writes the rows of some files that are not older than a time into new files.
func (m *mirror) copyChanges(ctx context.Context, t *table.Table, of tableFiles, from time.Time) ([]iceberg.DataFile, error) {
	var names []string
	for _, f := range changesSchema.Fields() {
		names = append(names, f.Name)
	}
	var kept []arrow.RecordBatch
	defer func() {
		for _, batch := range kept {
			batch.Release()
		}
	}()
	for _, f := range of.data {
		err := m.readColumns(ctx, f.FilePath(), names, func(batch arrow.RecordBatch) error {
			times, isTime := batch.Column(len(names) - 1).(*array.Timestamp)
			if !isTime {
				return fmt.Errorf("%s has no times", f.FilePath())
			}
			for start, at := 0, 0; at < times.Len(); start = at { // the rows of a mirror follow each other
				for at++; at < times.Len() && times.Value(at) == times.Value(start); {
					at++
				}
				if !times.Value(start).ToTime(arrow.Microsecond).Before(from) {
					kept = append(kept, batch.NewSlice(int64(start), int64(at)))
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(kept) == 0 {
		return nil, nil
	}
	reader, err := array.NewRecordReader(kept[0].Schema(), kept)
	if err != nil {
		return nil, err
	}
	defer reader.Release()
	return m.writeRows(ctx, t, reader)
}
