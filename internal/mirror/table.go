//go:build mirror

package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
	"aqueduck/load/differ"
)

// mirrorTable makes one table equal to a table of the published file. After an erasure, files that may have erased rows are written again.
func (m *mirror) mirrorTable(ctx context.Context, of differ.Relation, erase bool) error {
	content, err := m.file.ReadContent(ctx, of)
	if err != nil {
		return err
	}
	t := m.opened[of.Name]
	trusted := m.judgeTable(of, t)
	if t == nil {
		if err := m.beginControl(ctx); err != nil {
			return err
		}
		name := table.Identifier{m.namespace, of.Name}
		if t, err = m.createTable(ctx, name, schemaOf(of), of.Doc); err != nil {
			return err
		}
		if m.control.file != "" {
			m.note("table %s was gone from %s, or is new: all its rows were written", of.Name, m.namespace)
		}
	}
	if trusted.isUnnoted {
		if err := m.file.NoteTable(ctx, of.Name, differ.TableRewritten); err != nil {
			return err
		}
	}
	equal := trusted.isOurs && trusted.content == content.Summary() && !trusted.otherColumns || content.Rows == 0 && t.CurrentSnapshot() == nil && !trusted.otherColumns
	if !equal {
		if t, err = m.change(ctx, of, t, content, trusted, erase); err != nil {
			return err
		}
	}
	if erase {
		return m.eraseOlder(ctx, of, t, content)
	}
	if equal && m.control.unended {
		return m.shutOut(ctx, of, t, content)
	}
	if equal {
		return nil
	}
	if t, err = m.compact(ctx, of, t, content); err != nil {
		return err
	}
	return m.expire(ctx, t, false)
}

// shutOut commits a snapshot without a change. An earlier mirror that was paused before its commit, and goes on after this one, is refused then.
func (m *mirror) shutOut(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content) error {
	if err := m.beginControl(ctx); err != nil {
		return err
	}
	kind, err := table.SchemaToArrowSchema(t.Schema(), nil, false, false)
	if err != nil {
		return err
	}
	_, err = m.commit(ctx, t, contentOf(content), func(tx *table.Transaction, summary iceberg.Properties) error {
		none, err := array.NewRecordReader(kind, nil)
		if err != nil {
			return err
		}
		defer none.Release()
		return tx.Append(ctx, none, summary)
	})
	if errors.Is(err, errOvertaken) {
		return m.fenced(fmt.Sprintf("table %s was changed meanwhile", of.Name))
	}
	return err
}

// trust is what is known of the rows of a table.
type trust struct {
	isOurs       bool   // mirrors alone changed its rows
	rolledBack   bool   // its rows are those of an earlier mirror than its last one
	isUnnoted    bool   // its rows are those of a mirror that did not end: the table of changes lacks them
	content      string // what rows it has; "": not known
	otherColumns bool   // its columns are not those of the published file
}

// openTables opens all tables, and refuses one that is unfit before anything is written. The commits that follow name the snapshots that the tables have now.
func (m *mirror) openTables(ctx context.Context, tables []differ.Relation) error {
	m.opened = map[string]*table.Table{}
	for _, of := range tables {
		t, err := m.catalog.load(ctx, table.Identifier{m.namespace, of.Name})
		if err == nil && t != nil {
			err = m.checkOurs(t)
		}
		if err != nil {
			return err
		}
		m.opened[of.Name] = t
	}
	return nil
}

// judgeTable says what is known of an open table.
func (m *mirror) judgeTable(of differ.Relation, t *table.Table) (known trust) {
	if t == nil {
		return known
	}
	known.otherColumns = !sameColumns(t.Schema(), schemaOf(of))
	if s := t.CurrentSnapshot(); s != nil {
		noted, ours := ourSummary(t, s)
		known.isOurs, known.content = ours, noted[propertyContent]
		known.isUnnoted = slices.Contains(m.control.claims, cmp.Or(noted[propertyClaim], t.Properties()[propertyClaim]))
		known.rolledBack = ours && noted[propertyClaim] != "" && noted[propertyClaim] != t.Properties()[propertyClaim]
	}
	return known
}

// checkOurs refuses a table that this warehouse did not make or that is at another location, or that another program made unfit.
func (m *mirror) checkOurs(t *table.Table) error {
	if t.Properties()[propertyWarehouse] != m.warehouse {
		return &problem.Problem{Class: "config", What: fmt.Sprintf("table %s of %s was not made by this warehouse", t.Identifier()[1], m.namespace),
			Next: "drop or rename this table: the next mirror makes it"}
	}
	// A server with the REST interface may choose the locations of its tables.
	if at := m.location + "/" + t.Identifier()[1]; m.catalog.db != nil && t.Location() != at {
		return &problem.Problem{Class: "config", What: fmt.Sprintf("table %s of %s is at %s, not at %s", t.Identifier()[1], m.namespace, t.Location(), at),
			Next: "set warehouse.mirror.location to what it was; to make the tables anew at another location, name another catalog too"}
	}
	return checkShape(t)
}

// change commits the difference between a table and the published file.
func (m *mirror) change(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, known trust, erase bool) (*table.Table, error) {
	if err := m.beginControl(ctx); err != nil {
		return nil, err
	}
	if known.otherColumns {
		changed, err := m.changeColumns(ctx, of, t)
		if err != nil {
			return nil, err
		}
		t = changed
	}
	held, err := m.readFiles(t)
	if err != nil {
		return nil, err
	}
	if t.CurrentSnapshot() != nil && !known.isOurs {
		m.note("table %s of %s was changed by another program: all its rows were written again", of.Name, m.namespace)
	}
	if known.rolledBack {
		m.note("table %s of %s was rolled back by another program: the rows that it lacked were written again", of.Name, m.namespace)
	}
	if t.CurrentSnapshot() == nil || !known.isOurs || known.otherColumns || !held.plain {
		return m.replaceNoted(ctx, of, t, content, held)
	}
	var failed error
	gone, lacking, err := m.file.Compare(ctx, m.rowHashes(ctx, held, &failed))
	if err := errors.Join(failed, err); errors.Is(err, errNoHashes) {
		return m.replaceNoted(ctx, of, t, content, held)
	} else if err != nil {
		return nil, err
	}
	if len(gone) == 0 && lacking == 0 {
		return t, nil
	}
	if err := m.noteRows(ctx, of, held, gone, lacking == content.Rows); err != nil {
		return nil, err
	}
	if erase && (len(gone) > 0 || len(held.deletes) > 0) {
		return m.rewriteTouched(ctx, of, t, content, held, gone)
	}
	return m.addDelta(ctx, of, t, content, held, gone, lacking)
}

// addDelta commits the rows that are gone and those that the table lacks.
func (m *mirror) addDelta(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, held tableFiles, gone []differ.Place, lacking int64) (*table.Table, error) {
	rows, deletes, err := m.writeChange(ctx, of, t, held, gone, lacking)
	if err != nil {
		return nil, err
	}
	t, err = m.commit(ctx, t, contentOf(content), func(tx *table.Transaction, summary iceberg.Properties) error {
		return tx.NewRowDelta(summary).AddRows(rows...).AddDeletes(deletes...).Commit(ctx)
	})
	return t, m.committed(err, of, lacking, int64(len(gone)))
}

// writeChange writes the files of a commit: the rows that the table lacks, and the deletes of rows of its files. After it only the commit is missing.
func (m *mirror) writeChange(ctx context.Context, of differ.Relation, t *table.Table, files tableFiles, gone []differ.Place, lacking int64) (rows, deletes []iceberg.DataFile, err error) {
	if lacking > 0 {
		err = m.file.Lacking(ctx, of, func(reader array.RecordReader) error {
			rows, err = m.writeRows(ctx, t, reader)
			return err
		})
	}
	if err == nil && len(gone) > 0 {
		deletes, err = m.writeDeletes(t, files, gone)
	}
	if err == nil {
		err = m.beginControl(ctx)
	}
	if err != nil {
		return nil, nil, err
	}
	crash.At(crash.MirrorWritten)
	return rows, deletes, nil
}

// rewriteTouched commits the difference without files of deletes: each file that has a row that is gone is replaced, with the rows that stay in new files.
func (m *mirror) rewriteTouched(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, held tableFiles, gone []differ.Place) (*table.Table, error) {
	touched, err := m.deletedPositions(ctx, held)
	if err != nil {
		return nil, err
	}
	var old, kept tableFiles
	for i, f := range held.data {
		_, is := touched[f.FilePath()]
		if is || slices.ContainsFunc(gone, func(p differ.Place) bool { return p.File == int64(i) }) {
			old.data, old.rows = append(old.data, f), old.rows+f.Count()
		} else {
			kept.data = append(kept.data, f)
		}
	}
	old.deletes = held.deletes
	var failed error
	gone, lacking, err := m.file.Compare(ctx, m.rowHashes(ctx, kept, &failed))
	if err := errors.Join(failed, err); err != nil {
		return nil, err
	}
	if len(gone) > 0 {
		return nil, fmt.Errorf("%d rows are gone from files that were found to have none", len(gone))
	}
	return m.exchange(ctx, of, t, content, old, lacking, func(use func(array.RecordReader) error) error { return m.file.Lacking(ctx, of, use) })
}

// replaceNoted is replace for rows that may be other ones than before.
func (m *mirror) replaceNoted(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, held tableFiles) (*table.Table, error) {
	if err := m.file.NoteTable(ctx, of.Name, differ.TableRewritten); err != nil {
		return nil, err
	}
	return m.replace(ctx, of, t, content, held)
}

// replace commits all rows of the published file in place of all rows of a table.
func (m *mirror) replace(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, held tableFiles) (*table.Table, error) {
	return m.exchange(ctx, of, t, content, held, content.Rows, func(use func(array.RecordReader) error) error { return m.file.All(ctx, of, use) })
}

// exchange commits n rows in place of the files of old.
func (m *mirror) exchange(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content, old tableFiles, n int64, hand func(use func(array.RecordReader) error) error) (*table.Table, error) {
	var rows []iceberg.DataFile
	var err error
	if n > 0 {
		err = hand(func(reader array.RecordReader) error {
			rows, err = m.writeRows(ctx, t, reader)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	if err := m.beginControl(ctx); err != nil {
		return nil, err
	}
	crash.At(crash.MirrorWritten)
	if len(rows) == 0 && len(old.data) == 0 && len(old.deletes) == 0 {
		return t, nil
	}
	t, err = m.commit(ctx, t, contentOf(content), func(tx *table.Transaction, summary iceberg.Properties) error {
		if len(old.data) == 0 && len(old.deletes) == 0 {
			return tx.NewRowDelta(summary).AddRows(rows...).Commit(ctx)
		}
		return tx.ReplaceFiles(ctx, old.data, rows, old.deletes, summary, table.WithoutAutoNameMapping())
	})
	return t, m.committed(err, of, n, old.rows)
}

// committed counts a commit.
func (m *mirror) committed(err error, of differ.Relation, added, removed int64) error {
	if errors.Is(err, errOvertaken) {
		return m.fenced(fmt.Sprintf("table %s was changed meanwhile", of.Name))
	}
	if err == nil {
		m.report.Changed++
		m.report.Added, m.report.Removed = m.report.Added+added, m.report.Removed+removed
		crash.At(crash.MirrorTable)
	}
	return err
}

// eraseOlder leaves a table with its newest snapshot alone, in files that have no other rows, and removes all objects that are no longer used.
func (m *mirror) eraseOlder(ctx context.Context, of differ.Relation, t *table.Table, content differ.Content) error {
	held, err := m.readFiles(t)
	if err != nil {
		return err
	}
	if len(held.deletes) > 0 {
		if held.plain {
			t, err = m.rewriteTouched(ctx, of, t, content, held, nil)
		} else {
			t, err = m.replace(ctx, of, t, content, held)
		}
		if err != nil {
			return err
		}
	}
	if err := m.beginControl(ctx); err != nil {
		return err
	}
	return m.expire(ctx, t, true)
}

// schemaOf is the schema of a table as engines see it. The columns have numbers in their order.
func schemaOf(of differ.Relation) *iceberg.Schema {
	fields := make([]iceberg.NestedField, 0, len(of.Columns)+1)
	for i, c := range of.Columns {
		fields = append(fields, iceberg.NestedField{ID: i + 1, Name: c.Name, Type: kinds[c.Kind()], Doc: c.Doc})
	}
	fields = append(fields, iceberg.NestedField{ID: len(of.Columns) + 1, Name: differ.HashColumn, Type: iceberg.PrimitiveTypes.Int64, Doc: "Hash of the row, by which the mirror finds it."})
	return iceberg.NewSchema(0, fields...)
}

// kinds are the types of columns, by those of the published file.
var kinds = map[string]iceberg.Type{
	"BOOLEAN": iceberg.PrimitiveTypes.Bool, "INTEGER": iceberg.PrimitiveTypes.Int32, "BIGINT": iceberg.PrimitiveTypes.Int64,
	"DOUBLE": iceberg.PrimitiveTypes.Float64, "DATE": iceberg.PrimitiveTypes.Date, "TIMESTAMP WITH TIME ZONE": iceberg.PrimitiveTypes.TimestampTz,
	"VARCHAR": iceberg.PrimitiveTypes.String,
}

// sameColumns compares names and types. The order is not important: readers find columns by their names.
func sameColumns(a, b *iceberg.Schema) bool {
	if len(a.Fields()) != len(b.Fields()) {
		return false
	}
	return !slices.ContainsFunc(b.Fields(), func(f iceberg.NestedField) bool {
		is, ok := a.FindFieldByName(f.Name)
		return !ok || !is.Type.Equals(f.Type)
	})
}

// changeColumns gives a table the columns of the published file. Its rows are written again after that.
func (m *mirror) changeColumns(ctx context.Context, of differ.Relation, t *table.Table) (*table.Table, error) {
	want := schemaOf(of)
	tx := t.NewTransaction()
	update := tx.UpdateSchema(true, false)
	var later []iceberg.NestedField
	for _, f := range t.Schema().Fields() {
		if w, ok := want.FindFieldByName(f.Name); !ok || !w.Type.Equals(f.Type) {
			update = update.DeleteColumn([]string{f.Name})
		}
	}
	for _, f := range want.Fields() {
		is, ok := t.Schema().FindFieldByName(f.Name)
		switch {
		case !ok:
			update = update.AddColumn([]string{f.Name}, f.Type, f.Doc, false, nil)
		case !is.Type.Equals(f.Type):
			later = append(later, f)
		}
	}
	err := update.Commit()
	if err == nil {
		t, err = tx.Commit(ctx)
	}
	if err != nil || len(later) == 0 {
		return t, err
	}
	// A column with another type is a new column: it can have its name once the old one is gone.
	tx = t.NewTransaction()
	update = tx.UpdateSchema(true, false)
	for _, f := range later {
		update = update.AddColumn([]string{f.Name}, f.Type, f.Doc, false, nil)
	}
	if err := update.Commit(); err != nil {
		return nil, err
	}
	return tx.Commit(ctx)
}
