//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/crash"
	"aqueduck/internal/problem"
)

// controlName is the table with a row for the beginning and the end of each mirror.
const controlName = "_mirror"

var controlSchema = iceberg.NewSchema(0,
	iceberg.NestedField{ID: 1, Name: "state", Type: iceberg.PrimitiveTypes.String, Doc: "begun or done."},
	iceberg.NestedField{ID: 2, Name: "file", Type: iceberg.PrimitiveTypes.String, Doc: "The published file."},
	iceberg.NestedField{ID: 3, Name: "epoch", Type: iceberg.PrimitiveTypes.Int64, Doc: "Of the head of the object store; 0: there is none."},
	iceberg.NestedField{ID: 4, Name: "changed_tables", Type: iceberg.PrimitiveTypes.Int64, Doc: "Tables with a new snapshot."},
	iceberg.NestedField{ID: 5, Name: "rows_added", Type: iceberg.PrimitiveTypes.Int64, Doc: "Rows that were added, changed ones among them."},
	iceberg.NestedField{ID: 6, Name: "rows_removed", Type: iceberg.PrimitiveTypes.Int64, Doc: "Rows that were removed, changed ones among them."},
	iceberg.NestedField{ID: 7, Name: "recorded_at", Type: iceberg.PrimitiveTypes.TimestampTz, Doc: "By the clock of the machine."},
)

// openControl reads what the last mirrors noted. It refuses to go on after a later head of the object store.
func (m *mirror) openControl(ctx context.Context) (err error) {
	name := table.Identifier{m.namespace, controlName}
	m.control = controlTable{}
	if m.control.table, err = m.catalog.load(ctx, name); err != nil {
		return err
	}
	if m.control.table == nil {
		m.control.table, err = m.createTable(ctx, name, controlSchema, "")
		return err
	}
	if err := checkShape(m.control.table); err != nil {
		return err
	}
	last := m.control.table.CurrentSnapshot()
	if last == nil {
		return nil
	}
	noted, ok := ourSummary(m.control.table, last)
	if !ok {
		return &problem.Problem{Class: "data", What: fmt.Sprintf("table %s of %s was changed by another program", controlName, m.namespace), Next: "drop this table: the next mirror compares all tables"}
	}
	if epoch, err := strconv.ParseInt(noted[propertyEpoch], 10, 64); err != nil || epoch > m.options.Epoch {
		return m.fenced(fmt.Sprintf("they are equal to the file of a later head, %s", noted[propertyEpoch]))
	}
	m.control.erasures = noted[propertyErasures]
	if noted[propertyState] == "done" {
		m.control.file = noted[propertyFile]
	} else {
		m.control.unended = m.options.Store != "" // without a store, the lock of the directory keeps other mirrors away
		m.control.claims = append(strings.Fields(noted[propertyUnended]), noted[propertyClaim])
	}
	return nil
}

// beginControl notes that this mirror changes tables, before its first change.
func (m *mirror) beginControl(ctx context.Context) error {
	if m.control.begun {
		return m.checkClaim(ctx)
	}
	if err := m.addControl(ctx, "begun", m.control.erasures); err != nil {
		return err
	}
	m.control.begun = true
	crash.At(crash.MirrorClaimed)
	return nil
}

// checkClaim fails once another mirror has begun.
func (m *mirror) checkClaim(ctx context.Context) error {
	now, err := m.catalog.load(ctx, m.control.table.Identifier())
	if err != nil {
		return err
	}
	if now == nil || now.CurrentSnapshot() == nil || now.CurrentSnapshot().SnapshotID != m.control.table.CurrentSnapshot().SnapshotID {
		return m.fenced("another mirror has begun meanwhile")
	}
	return nil
}

// endControl notes that all tables are equal to the published file. A mirror that changed nothing, after one that ended, notes nothing.
func (m *mirror) endControl(ctx context.Context) error {
	if !m.control.begun && m.control.file != "" && m.control.erasures == m.erasures {
		return nil
	}
	return m.addControl(ctx, "done", m.erasures)
}

func (m *mirror) addControl(ctx context.Context, state, erasures string) error {
	kind, err := table.SchemaToArrowSchema(controlSchema, nil, false, false)
	if err != nil {
		return err
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, kind)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(state)
	b.Field(1).(*array.StringBuilder).Append(m.report.File)
	for i, n := range []int64{m.options.Epoch, int64(m.report.Changed), m.report.Added, m.report.Removed} {
		b.Field(2 + i).(*array.Int64Builder).Append(n)
	}
	at, err := arrow.TimestampFromTime(m.options.Now(), arrow.Microsecond)
	if err != nil {
		return err
	}
	b.Field(6).(*array.TimestampBuilder).Append(at)
	rows := b.NewRecordBatch()
	defer rows.Release()
	reader, err := array.NewRecordReader(kind, []arrow.RecordBatch{rows})
	if err != nil {
		return err
	}
	defer reader.Release()
	files, err := m.writeRows(ctx, m.control.table, reader)
	if err != nil {
		return err
	}
	var old []iceberg.DataFile
	if hasMany(m.control.table, totalFiles, mostFiles) {
		held, err := m.readFiles(m.control.table)
		if err != nil {
			return err
		}
		old = held.data
	}
	noted := iceberg.Properties{propertyState: state, propertyErasures: erasures, propertyUnended: ""}
	if state == "begun" {
		noted[propertyUnended] = strings.Join(m.control.claims, " ")
	}
	t, err := m.commit(ctx, m.control.table, noted, func(tx *table.Transaction, summary iceberg.Properties) error {
		if len(old) > 0 { // rows of so many mirrors are not kept: each commit would list their files
			return tx.ReplaceFiles(ctx, old, files, nil, summary, table.WithoutAutoNameMapping())
		}
		return tx.NewRowDelta(summary).AddRows(files...).Commit(ctx)
	})
	if errors.Is(err, errOvertaken) {
		return m.fenced("another mirror has begun meanwhile")
	}
	if err != nil {
		return err
	}
	m.control.table = t
	return m.expire(ctx, t, false)
}
