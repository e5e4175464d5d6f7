package transform

import (
	"math"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// output is the batch of one table while it grows.
type output struct {
	schema  *arrow.Schema
	width   int64 // bytes of a row without its texts
	row     *array.Int64Builder
	columns []writer // the stream file's, and _extra
	version *array.StringBuilder
	hash    *array.Int64Builder
	gone    *array.TimestampBuilder // nil when the table has no _gone_at
	all     []array.Builder         // the same, in the order of the schema
	rows    int                     // of the last batch: the next one is likely to be of its size
}

// writer is the builder of one column: the one that its kind needs is there.
type writer struct {
	kind    kind
	text    *array.BinaryBuilder
	ints    *array.Int64Builder
	doubles *array.Float64Builder
	bools   *array.BooleanBuilder
	times   *array.TimestampBuilder
	dates   *array.Date32Builder
	null    func()
	data    int // bytes of text in the last batch
}

func newOutput(p *plan, mem memory.Allocator) *output {
	o := &output{width: 8}
	fields := []arrow.Field{{Name: RowColumn, Type: arrow.PrimitiveTypes.Int64}}
	stored := p.table.Columns[:len(p.table.Columns)-2] // those of the commit are not ours
	for _, c := range stored {
		fields = append(fields, arrow.Field{Name: c.Name, Type: c.Arrow, Nullable: true})
		o.width += codecs[c.Type].width + 1
	}
	o.schema = arrow.NewSchema(fields, nil)
	for _, f := range fields {
		o.all = append(o.all, array.NewBuilder(mem, f.Type))
	}
	o.row = o.all[0].(*array.Int64Builder)
	rest := o.all[1:]
	for i := range p.width() {
		o.columns = append(o.columns, newWriter(codecs[stored[i].Type].kind, rest[i]))
	}
	rest = rest[p.width():]
	o.version, o.hash = rest[0].(*array.StringBuilder), rest[1].(*array.Int64Builder)
	if p.table.Gone {
		o.gone = rest[2].(*array.TimestampBuilder)
	}
	return o
}

func newWriter(k kind, b array.Builder) writer {
	w := writer{kind: k, null: b.AppendNull}
	switch b := b.(type) {
	case *array.StringBuilder:
		w.text = b.BinaryBuilder
	case *array.Int64Builder:
		w.ints = b
	case *array.Float64Builder:
		w.doubles = b
	case *array.BooleanBuilder:
		w.bools = b
	case *array.TimestampBuilder:
		w.times = b
	case *array.Date32Builder:
		w.dates = b
	}
	return w
}

func (o *output) appendNull(i int) { o.columns[i].null() }

func (o *output) appendNumber(i int, v uint64) {
	switch w := &o.columns[i]; w.kind {
	case kindInt:
		w.ints.Append(int64(v))
	case kindDouble:
		w.doubles.Append(math.Float64frombits(v))
	case kindBool:
		w.bools.Append(v != 0)
	case kindTimestamp:
		w.times.Append(arrow.Timestamp(v))
	case kindDate:
		w.dates.Append(arrow.Date32(v))
	}
}

func (o *output) appendGone(gone bool, at time.Time) {
	if !gone {
		o.gone.AppendNull()
		return
	}
	o.gone.Append(arrow.Timestamp(at.UnixMicro()))
}

// take ends the batch and begins the next.
func (o *output) take() arrow.RecordBatch {
	o.rows = o.row.Len()
	for i := range o.columns {
		if w := &o.columns[i]; w.text != nil {
			w.data = w.text.DataLen()
		}
	}
	arrays := make([]arrow.Array, len(o.all))
	for i, b := range o.all {
		arrays[i] = b.NewArray()
		defer arrays[i].Release() // the batch holds on to it
	}
	return array.NewRecordBatch(o.schema, arrays, int64(o.rows))
}

// reserve makes room for a batch like the last one, when its first row comes: growing by doubling would copy it.
func (o *output) reserve() {
	for _, b := range o.all {
		b.Reserve(o.rows)
	}
	for i := range o.columns {
		if w := &o.columns[i]; w.text != nil {
			w.text.ReserveData(w.data)
		}
	}
}

// Take gives what was added since the last time, the stream's own table first. A child table without rows comes too:
// its emptiness may empty stored sets.
func (d *Decoder) Take() []Batch {
	batches := make([]Batch, len(d.plans))
	for i, p := range d.plans {
		batches[i] = Batch{Table: p.table, Mode: Merge, Rows: p.out.take()}
	}
	d.records, d.bytes = 0, 0
	return batches
}

// Release gives back the memory of what was added and not taken. The decoder is at its end then.
func (d *Decoder) Release() {
	for _, p := range d.plans {
		for _, b := range p.out.all {
			b.Release()
		}
	}
}
