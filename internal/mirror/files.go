//go:build mirror

package mirror

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"

	"aqueduck/load/differ"
)

// tableFiles are the files of a table's snapshot.
type tableFiles struct {
	data, deletes []iceberg.DataFile
	rows          int64 // of the data files, those that are deleted among them
	plain         bool  // all are Parquet, and deletes are positions
	lastDelete    int64 // the sequence number of the newest deletes: files of rows up to it have them
}

func (m *mirror) readFiles(t *table.Table) (held tableFiles, err error) {
	held.plain = true
	s := t.CurrentSnapshot()
	if s == nil {
		return held, nil
	}
	manifests, err := s.Manifests(m.objects)
	if err != nil {
		return held, err
	}
	for _, manifest := range manifests {
		for entry, err := range manifest.Entries(m.objects, true) {
			if err != nil {
				return held, err
			}
			f := entry.DataFile()
			held.plain = held.plain && f.FileFormat() == iceberg.ParquetFile && f.ContentType() != iceberg.EntryContentEqDeletes
			if f.ContentType() == iceberg.EntryContentData {
				held.data, held.rows = append(held.data, f), held.rows+f.Count()
			} else {
				held.deletes, held.lastDelete = append(held.deletes, f), max(held.lastDelete, entry.SequenceNum())
			}
		}
	}
	return held, nil
}

// errNoHashes says that files of a table lack the hashes of rows.
var errNoHashes = errors.New("there are rows without a hash")

// rowHashes gives the hashes of all rows of a table that are not deleted. failed is why it ended early.
func (m *mirror) rowHashes(ctx context.Context, held tableFiles, failed *error) iter.Seq2[differ.Place, int64] {
	return func(yield func(differ.Place, int64) bool) {
		deleted, err := m.deletedPositions(ctx, held)
		if err != nil {
			*failed = err
			return
		}
		for i, f := range held.data {
			at, gone, more := int64(0), deleted[f.FilePath()], true
			err := m.readColumns(ctx, f.FilePath(), []string{differ.HashColumn}, func(batch arrow.RecordBatch) error {
				hashes, ok := batch.Column(0).(*array.Int64)
				if !ok || hashes.NullN() > 0 {
					return errNoHashes
				}
				for _, hash := range hashes.Int64Values() {
					if !gone[at] && more {
						more = yield(differ.Place{File: int64(i), Position: at}, hash)
					}
					at++
				}
				return nil
			})
			if err == nil && at != f.Count() {
				err = fmt.Errorf("%s has %d rows instead of %d", f.FilePath(), at, f.Count())
			}
			if err != nil || !more {
				*failed = err
				return
			}
		}
	}
}

// deletedPositions are the positions of deleted rows, by the data file.
func (m *mirror) deletedPositions(ctx context.Context, held tableFiles) (map[string]map[int64]bool, error) {
	all := map[string]map[int64]bool{}
	for _, f := range held.deletes {
		err := m.readColumns(ctx, f.FilePath(), []string{"file_path", "pos"}, func(batch arrow.RecordBatch) error {
			paths, isText := batch.Column(0).(*array.String)
			positions, isNumber := batch.Column(1).(*array.Int64)
			if !isText || !isNumber {
				return fmt.Errorf("%s is no file of position deletes", f.FilePath())
			}
			for i := range paths.Len() {
				of := all[paths.Value(i)]
				if of == nil {
					of = map[int64]bool{}
					all[paths.Value(i)] = of
				}
				of[positions.Value(i)] = true
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readColumns reads some columns of a Parquet file. The error is errNoHashes if it lacks one of them.
func (m *mirror) readColumns(ctx context.Context, address string, names []string, visit func(arrow.RecordBatch) error) error {
	f, err := m.objects.Open(address)
	if err != nil {
		return err
	}
	reader, err := file.NewParquetReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	defer reader.Close()
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = reader.MetaData().Schema.ColumnIndexByName(name); columns[i] < 0 {
			return errNoHashes
		}
	}
	rows, err := pqarrow.NewFileReader(reader, pqarrow.ArrowReadProperties{BatchSize: 65536}, memory.DefaultAllocator)
	if err != nil {
		return err
	}
	batches, err := rows.GetRecordReader(ctx, columns, nil)
	if err != nil {
		return err
	}
	defer batches.Release()
	for batches.Next() {
		if err := visit(batches.RecordBatch()); err != nil {
			return err
		}
	}
	if err := batches.Err(); err != nil {
		return fmt.Errorf("read %s: %w", address, err)
	}
	return nil
}

// writeRows writes rows into new files of a table. No snapshot refers to them yet.
func (m *mirror) writeRows(ctx context.Context, t *table.Table, reader array.RecordReader) (files []iceberg.DataFile, err error) {
	schema, bools := withBools(reader.Schema(), t.Schema())
	batches := func(yield func(arrow.RecordBatch, error) bool) {
		for reader.Next() {
			batch := replaceBools(schema, reader.RecordBatch(), bools) // the library releases it
			if !yield(batch, nil) {
				return
			}
		}
		if err := reader.Err(); err != nil {
			yield(nil, err)
		}
	}
	for f, err := range table.WriteRecords(ctx, t, schema, batches) {
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// withBools is the schema of rows whose columns of bytes are bools, where those of the table are, and the numbers of these columns: DuckDB hands over a
// bool as a byte.
func withBools(rows *arrow.Schema, of *iceberg.Schema) (schema *arrow.Schema, bools []int) {
	fields := rows.Fields()
	for i, f := range fields {
		want, ok := of.FindFieldByName(f.Name)
		if ok && want.Type.Equals(iceberg.PrimitiveTypes.Bool) && f.Type.ID() != arrow.BOOL {
			fields[i] = arrow.Field{Name: f.Name, Type: arrow.FixedWidthTypes.Boolean, Nullable: true}
			bools = append(bools, i)
		}
	}
	return arrow.NewSchema(fields, nil), bools
}

// replaceBools gives a batch with bools in some columns. The caller releases it.
func replaceBools(schema *arrow.Schema, batch arrow.RecordBatch, bools []int) arrow.RecordBatch {
	columns := slices.Clone(batch.Columns())
	for _, i := range bools {
		from := columns[i]
		if e, ok := from.(array.ExtensionArray); ok {
			from = e.Storage()
		}
		bytes := from.(*array.Int8)
		b := array.NewBooleanBuilder(memory.DefaultAllocator)
		for row := range bytes.Len() {
			if bytes.IsNull(row) {
				b.AppendNull()
			} else {
				b.Append(bytes.Value(row) != 0)
			}
		}
		columns[i] = b.NewArray()
		b.Release()
		defer columns[i].Release()
	}
	return array.NewRecordBatch(schema, columns, batch.NumRows())
}

// deleteSchema is that of position deletes, with the numbers of its columns.
var deleteSchema = arrow.NewSchema([]arrow.Field{
	{Name: "file_path", Type: arrow.BinaryTypes.String, Metadata: arrow.MetadataFrom(map[string]string{"PARQUET:field_id": "2147483546"})},
	{Name: "pos", Type: arrow.PrimitiveTypes.Int64, Metadata: arrow.MetadataFrom(map[string]string{"PARQUET:field_id": "2147483545"})},
}, nil)

// writeDeletes writes a file of position deletes, in the order of paths and positions.
func (m *mirror) writeDeletes(t *table.Table, held tableFiles, gone []differ.Place) ([]iceberg.DataFile, error) {
	slices.SortFunc(gone, func(a, b differ.Place) int {
		if a.File != b.File {
			if held.data[a.File].FilePath() < held.data[b.File].FilePath() {
				return -1
			}
			return 1
		}
		return int(a.Position - b.Position)
	})
	b := array.NewRecordBuilder(memory.DefaultAllocator, deleteSchema)
	defer b.Release()
	for _, p := range gone {
		b.Field(0).(*array.StringBuilder).Append(held.data[p.File].FilePath())
		b.Field(1).(*array.Int64Builder).Append(p.Position)
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	provider, err := t.LocationProvider()
	if err != nil {
		return nil, err
	}
	address := provider.NewDataLocation("deletes-" + uuid.NewString() + ".parquet")
	var content bytes.Buffer
	w, err := pqarrow.NewFileWriter(deleteSchema, &content, parquet.NewWriterProperties(parquet.WithCompression(compress.Codecs.Zstd)), pqarrow.DefaultWriterProps())
	if err == nil {
		err = w.Write(batch)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = m.objects.WriteFile(address, content.Bytes())
	}
	if err != nil {
		return nil, err
	}
	written, err := w.FileMetadata()
	if err != nil {
		return nil, err
	}
	f, err := table.DataFileFromMetadata(table.DataFileArgs{Schema: iceberg.PositionalDeleteSchema, Format: iceberg.ParquetFile, Metadata: written, FilePath: address,
		FileSize: int64(content.Len()), Content: iceberg.EntryContentPosDeletes, FormatVersion: 2})
	return []iceberg.DataFile{f}, err
}
