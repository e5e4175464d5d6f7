package transform

import (
	"encoding/binary"
	"slices"

	"aqueduck/schemas"

	"github.com/cespare/xxhash/v2"
)

// span is a piece of the record at hand: of its text, or of the arena.
type span struct {
	from, size uint32
	arena      bool
}

// cell is one value of a row that is not in Arrow yet.
type cell struct {
	number uint64 // of the fixed kinds, in their own representation
	span
	set bool
}

// row is what is known about a row besides its cells.
type row struct {
	object   uint64
	position int
	key      span // of an entry
	above    int  // first cell of the row that the list lies in
	bad      string
	gone     bool
	absent   uint64 // groups that the answer left out
}

// keptOut is why a row is left out whose item was: that is told of the item.
const keptOut = "its item is kept out"

// piece gives the bytes of a span, good until the arena grows.
func (d *Decoder) piece(s span) []byte {
	if s.arena {
		return d.arena[s.from : s.from+s.size]
	}
	return d.raw[s.from : s.from+s.size]
}

// within gives the span of a slice of the record's text. A slice ends its capacity where its array does: so its place
// is known without a search.
func (d *Decoder) within(b []byte) span {
	return span{from: uint32(cap(d.raw) - cap(b)), size: uint32(len(b))}
}

// since gives the span of what was added to the arena.
func (d *Decoder) since(start int) span {
	return span{from: uint32(start), size: uint32(len(d.arena) - start), arena: true}
}

func (d *Decoder) put(s string) span {
	start := len(d.arena)
	d.arena = append(d.arena, s...)
	return d.since(start)
}

// open begins a row.
func (d *Decoder) open(p *plan) frame {
	d.objects++
	n := len(p.cells)
	p.cells = slices.Grow(p.cells, p.width())[:n+p.width()]
	clear(p.cells[n:])
	p.rows = append(p.rows, row{object: d.objects})
	return frame{plan: p, row: n, object: d.objects, extras: len(d.extras), waits: len(d.waiting)}
}

// close ends a row: what no column took becomes its _extra.
func (d *Decoder) close(w *frame) error {
	if err := d.settle(w); err != nil {
		return err
	}
	if len(d.extras) > w.extras {
		w.plan.cells[w.row+len(w.plan.columns)] = cell{set: true, span: d.extraText(w)}
		d.extras = d.extras[:w.extras]
	}
	r := &w.plan.rows[w.row/w.plan.width()]
	r.bad, r.absent = w.bad, w.plan.all&^w.present
	return nil
}

// compute fills the columns that are no fields of the record, and finds the rows that lack what they cannot be without.
func (d *Decoder) compute(p *plan) {
	for r := range p.rows {
		cells := p.cells[r*p.width():]
		for i := range p.columns {
			c := &p.columns[i]
			if c.source != "" {
				cells[i] = d.computed(c, p, &p.rows[r])
			}
			if c.none != nil && !cells[i].set && !p.rows[r].gone {
				cells[i] = d.none(c)
			}
		}
		if p.outer > 0 {
			above := d.plans[p.outer]
			if above.rows[p.rows[r].above/above.width()].bad != "" {
				p.rows[r].bad = keptOut
			}
		}
		for _, i := range p.keys {
			if !cells[i].set && p.rows[r].bad == "" {
				p.rows[r].bad = ReasonNoKey
			}
		}
	}
}

// none is the value of a column that the record has nothing for.
func (d *Decoder) none(c *column) cell {
	if c.kind.fixed() {
		return cell{set: true, number: c.none.number}
	}
	return cell{set: true, span: d.put(c.none.text)}
}

func (d *Decoder) computed(c *column, p *plan, r *row) cell {
	switch c.source {
	case schemas.FromReadAt:
		return cell{set: !d.meta.ReadAt.IsZero(), number: uint64(d.meta.ReadAt.UnixMicro())}
	case schemas.FromOver:
		return cell{set: d.meta.Over != "", span: d.put(d.meta.Over)}
	case schemas.FromParent:
		return d.plans[p.outer].cells[r.above+c.parent]
	case schemas.FromKey:
		return cell{set: true, span: r.key}
	case schemas.FromErased:
		return cell{} // only erasing sets it
	default: // $position
		return cell{set: true, number: uint64(r.position)}
	}
}

// emit moves the record's rows into the batches. The children are first: their hashes are part of the record's.
func (d *Decoder) emit() {
	var sum uint64
	for _, p := range d.plans[1:] {
		d.compute(p)
		var refused int64
		var reason string
		for r := range p.rows {
			if p.rows[r].bad == keptOut {
				continue
			}
			if p.rows[r].bad != "" {
				refused++
				reason = p.rows[r].bad
				continue
			}
			h := d.emitRow(p, r, 0)
			if p.table.Complete {
				sum += h // an order of items is none of the record's content
			}
		}
		if refused > 0 {
			d.refuse(p.number, reason, refused)
		}
	}
	d.emitRow(d.plans[0], 0, sum)
	if d.mended {
		d.complain(0, "", ReasonUTF8)
	}
	d.count()
	d.records++
	if !d.plans[0].rows[0].gone {
		d.taken++
	}
}

// emitRow adds one row to its batch and gives its hash.
func (d *Decoder) emitRow(p *plan, r int, children uint64) uint64 {
	cells := p.cells[r*p.width() : (r+1)*p.width()]
	o := p.out
	if o.rows == 0 {
		for i := range o.vectors {
			o.vectors[i].reserve(&d.memory)
		}
	}
	h := d.hash(p, cells, p.rows[r].gone, children)
	o.vectors[0].appendNumber(o.rows, uint64(d.records))
	for i := range cells {
		c := &cells[i]
		if !c.set {
			continue
		}
		v := &o.vectors[firstColumn+i]
		if v.kind.fixed() {
			v.appendNumber(o.rows, c.number)
			continue
		}
		v.appendText(o.rows, d.piece(c.span))
		d.bytes += int64(c.size)
	}
	system := o.vectors[firstColumn+len(cells):]
	system[0].appendText(o.rows, d.version)
	system[1].appendNumber(o.rows, h)
	if p.rows[r].gone {
		system[2].appendNumber(o.rows, uint64(d.meta.ReadAt.UnixMicro()))
	}
	if p.table.Absent && p.rows[r].absent != 0 {
		at := len(o.vectors) - 1
		if p.table.History != "" {
			at--
		}
		o.vectors[at].appendNumber(o.rows, p.rows[r].absent)
	}
	if p.table.History != "" {
		o.vectors[len(o.vectors)-1].appendNumber(o.rows, uint64(d.meta.ReadAt.UnixMicro()))
	}
	o.rows++
	d.bytes += o.width + int64(len(d.version))
	return h
}

// hash makes a number of a row's content. A column that is empty adds nothing: one more column at the end of a stream
// file changes no hash until it has values.
func (d *Decoder) hash(p *plan, cells []cell, gone bool, children uint64) uint64 {
	b := append(d.canonical[:0], p.table.Name...)
	if gone {
		b = append(b, " gone"...)
	}
	for i := range cells {
		c := &cells[i]
		if !c.set || i < len(p.columns) && !p.columns[i].hashed {
			continue
		}
		if i < len(p.columns) {
			p.columns[i].filled = true
		}
		tag := uint16(i)
		if i == len(p.columns) {
			tag = 0xffff
		}
		b = binary.LittleEndian.AppendUint16(b, tag)
		if p.out.vectors[firstColumn+i].kind.fixed() {
			b = binary.LittleEndian.AppendUint64(b, c.number)
			continue
		}
		b = binary.LittleEndian.AppendUint32(b, c.size)
		b = append(b, d.piece(c.span)...)
	}
	b = binary.LittleEndian.AppendUint64(b, children)
	d.canonical = b
	return xxhash.Sum64(b)
}
