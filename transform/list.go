package transform

import (
	"slices"

	"github.com/go-faster/jx"
)

// list reads the rows of a child table, whose list lies in the row w.
func (d *Decoder) list(p *plan, w *frame) error {
	it, err := d.js.ArrIter()
	if err != nil {
		return err
	}
	for position := 0; it.Next(); position++ {
		if d.js.Next() == jx.Null {
			if err := d.js.Skip(); err != nil {
				return err
			}
			continue
		}
		p.came = w.object
		if err := d.item(p, row{position: position, above: w.row}); err != nil {
			return err
		}
	}
	return it.Err()
}

// entries reads the rows of a child table that are the entries of an object. What the file ignores in an item is no entry
// either, unless it is one: such an object often says of which type it is, as its items do.
func (d *Decoder) entries(p *plan, w *frame) error {
	it, err := d.js.ObjIter()
	if err != nil {
		return err
	}
	for it.Next() {
		f, t := p.root.fields[string(it.Key())], d.js.Next()
		if t == jx.Null || t != jx.Object && f != nil && f.skip {
			if err := d.js.Skip(); err != nil {
				return err
			}
			continue
		}
		p.came = w.object
		if err := d.item(p, row{key: d.put(string(it.Key())), above: w.row}); err != nil {
			return err
		}
	}
	return it.Err()
}

// item reads one row of a child table; of says where it lies.
func (d *Decoder) item(p *plan, of row) (err error) {
	w := d.open(p)
	r := &p.rows[len(p.rows)-1]
	r.position, r.key, r.above = of.position, of.key, of.above
	switch t := d.js.Next(); {
	case t == jx.Object:
		err = d.object(p.root, &w)
	case p.item != nil:
		var raw jx.Raw
		if raw, err = d.js.Raw(); err == nil {
			d.fill(p.item, raw, &w, false)
		}
	default:
		w.bad = ReasonNotObject
		err = d.js.Skip()
	}
	if err != nil {
		return err
	}
	if err := d.settle(&w); err != nil {
		return err
	}
	if !p.holds && w.bad == "" && d.saysNothing(&w) {
		p.cells, p.rows = p.cells[:w.row], p.rows[:len(p.rows)-1]
		return nil
	}
	return d.close(&w)
}

// saysNothing reports that no field of a row was filled. Some lists have one empty object to say that they are empty, or an item
// that names its type and nobody.
func (d *Decoder) saysNothing(w *frame) bool {
	filled := slices.ContainsFunc(w.plan.cells[w.row:], func(c cell) bool { return c.set })
	return !filled && len(d.extras) == w.extras
}

func (d *Decoder) emptyObject() bool {
	it, err := d.js.ObjIter()
	return err == nil && !it.Next()
}

func (d *Decoder) emptyList() bool {
	it, err := d.js.ArrIter()
	return err == nil && !it.Next()
}

// countItems reads the field that counts a list's items: of one that has none it does not matter that it is left out.
func (d *Decoder) countItems(f *field, w *frame) error {
	raw, err := d.js.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "0" {
		w.present |= f.counts
	}
	if f.skip || f.policy.action() == actDrop {
		return nil
	}
	d.fill(f, raw, w, false)
	return nil
}
