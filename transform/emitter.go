package transform

import (
	"encoding/binary"

	"github.com/cespare/xxhash/v2"
)

// batchEmitter adds complete rows to the batches of their tables, and computes their hashes.
type batchEmitter struct {
	version   []byte // for _api_version
	text      *recordText
	memory    memoryPool
	canonical []byte // buffer for the input of a hash
	records   int    // since the last Take
	bytes     int64
}

// addRow adds one row to its batch and returns its hash. children is the sum of the hashes of child rows that belong to its
// content.
func (e *batchEmitter) addRow(p *tablePlan, r int, children uint64, m *Meta) uint64 {
	cells := p.cells[r*p.rowWidth() : (r+1)*p.rowWidth()]
	o := p.out
	if o.rows == 0 {
		for i := range o.vectors {
			o.vectors[i].reserveRoom(&e.memory)
		}
	}
	h := e.contentHash(p, cells, p.rows[r].gone, children)
	o.vectors[0].appendNumber(o.rows, uint64(e.records))
	for i := range cells {
		c := &cells[i]
		if !c.set {
			continue
		}
		v := &o.vectors[firstColumn+i]
		if v.kind.isFixed() {
			v.appendNumber(o.rows, c.number)
			continue
		}
		v.appendText(o.rows, e.text.bytesOf(c.textSpan))
		e.bytes += int64(c.size)
	}
	system := o.vectors[firstColumn+len(cells):]
	system[0].appendText(o.rows, e.version)
	system[1].appendNumber(o.rows, h)
	if p.rows[r].gone {
		system[2].appendNumber(o.rows, uint64(m.ReadAt.UnixMicro()))
	}
	if p.table.Absent && p.rows[r].absent != 0 {
		at := len(o.vectors) - 1
		if p.table.History != "" {
			at--
		}
		o.vectors[at].appendNumber(o.rows, p.rows[r].absent)
	}
	if p.table.History != "" {
		o.vectors[len(o.vectors)-1].appendNumber(o.rows, uint64(m.ReadAt.UnixMicro()))
	}
	o.rows++
	e.bytes += o.width + int64(len(e.version))
	return h
}

// extraTag stands for _extra in the hash of a row, as columnPlan.tag does for a column.
var extraTag = []byte{0xff, 0xff}

// contentHash hashes a row's content. An empty column contributes nothing: a new column at the end of a stream file changes no
// hash until it has values.
func (e *batchEmitter) contentHash(p *tablePlan, cells []rowCell, gone bool, children uint64) uint64 {
	b := append(e.canonical[:0], p.table.Name...)
	if gone {
		b = append(b, " gone"...)
	}
	for i := range cells {
		c := &cells[i]
		if !c.set || i < len(p.columns) && !p.columns[i].hashed {
			continue
		}
		tag := extraTag
		if i < len(p.columns) {
			p.columns[i].filled = true
			tag = p.columns[i].tag
		}
		b = append(b, tag...)
		if p.out.vectors[firstColumn+i].kind.isFixed() {
			b = binary.LittleEndian.AppendUint64(b, c.number)
			continue
		}
		b = binary.LittleEndian.AppendUint32(b, c.size)
		b = append(b, e.text.bytesOf(c.textSpan)...)
	}
	b = binary.LittleEndian.AppendUint64(b, children)
	e.canonical = b
	return xxhash.Sum64(b)
}

// takeBatches ends the batches and begins the next ones.
func (e *batchEmitter) takeBatches(plans []*tablePlan) []Batch {
	batches := make([]Batch, len(plans))
	for i, p := range plans {
		batches[i] = Batch{Table: p.table, Mode: Merge, Rows: p.out.takeRows(&e.memory)}
	}
	e.records, e.bytes = 0, 0
	e.memory.endBatch()
	return batches
}
