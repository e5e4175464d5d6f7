package transform

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// tableOutput is the growing batch of one table.
type tableOutput struct {
	schema  *arrow.Schema
	width   int64 // bytes per row without its texts
	rows    int
	vectors []columnVector // in the order of the schema
}

// firstColumn is the index of the first column of the stream file in a batch. _row is before it, _extra and the others follow.
const firstColumn = 1

func newOutput(t Table) *tableOutput {
	o := &tableOutput{width: 8}
	fields := []arrow.Field{{Name: RowColumn, Type: arrow.PrimitiveTypes.Int64}}
	o.vectors = append(o.vectors, columnVector{kind: kindInt})
	for _, c := range t.Columns[:len(t.Columns)-2] { // the last two are set by the commit
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Arrow, Nullable: true})
		o.vectors = append(o.vectors, columnVector{kind: codecs[c.Type].kind})
		o.width += codecs[c.Type].width + 1
	}
	if t.Absent {
		fields = append(fields, arrow.Field{Name: AbsentColumn, Type: arrow.PrimitiveTypes.Int64, Nullable: true})
		o.vectors = append(o.vectors, columnVector{kind: kindInt})
		o.width += 9
	}
	if t.History != "" {
		fields = append(fields, arrow.Field{Name: ReadAtColumn, Type: arrow.FixedWidthTypes.Timestamp_us, Nullable: true})
		o.vectors = append(o.vectors, columnVector{kind: kindTimestamp})
		o.width += 9
	}
	o.schema = arrow.NewSchema(fields, nil)
	return o
}

func (o *tableOutput) takeRows(mem *memoryPool) arrow.RecordBatch {
	arrays := make([]arrow.Array, len(o.vectors))
	for i := range o.vectors {
		arrays[i] = o.vectors[i].takeArray(o.rows, o.schema.Field(i).Type, mem)
		defer arrays[i].Release() // the batch has a reference
	}
	rows := o.rows
	o.rows = 0
	return array.NewRecordBatch(o.schema, arrays, int64(rows))
}
