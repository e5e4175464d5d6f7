package transform

import (
	"bytes"

	"github.com/go-faster/jx"
)

// waiting is a value of a field that is a later place of a column, or of a list. It is looked at once the whole object is
// read: the order in which fields are sent decides nothing.
type waiting struct {
	f     *field
	raw   []byte
	taken bool // a column, or a table, has it
}

// wait keeps a value for the end of its row. Columns that the field is the first place of are filled at once.
func (d *Decoder) wait(f *field, raw []byte, w *frame) {
	if raw[0] == 'n' {
		return
	}
	if len(f.columns) > 0 {
		d.fill(f, raw, w, false)
	}
	d.waiting = append(d.waiting, waiting{f, raw, len(f.columns) > 0})
}

// settle gives the waiting values of a row to the columns and lists whose first places had nothing, those of a lower rank
// first. What is then held nowhere goes to _extra.
func (d *Decoder) settle(w *frame) error {
	list := d.waiting[w.waits:]
	if len(list) == 0 {
		return nil
	}
	for rank := 1; rank < w.plan.places; rank++ {
		for i := range list {
			for _, place := range list[i].f.later {
				if place.rank != rank {
					continue
				}
				took, err := d.offer(place, list[i], w)
				if err != nil {
					return err
				}
				list[i].taken = list[i].taken || took
			}
		}
	}
	for _, one := range list {
		if !one.taken {
			d.spill(one.f, one.raw, w)
		}
	}
	d.waiting = d.waiting[:w.waits]
	return nil
}

// offer reports whether a column or a list has a value now: it had none yet and takes it, or it has the same.
func (d *Decoder) offer(place laterPlace, one waiting, w *frame) (bool, error) {
	if place.list != nil {
		return d.offerList(place.list, one, w)
	}
	c, have := &w.plan.columns[place.column], &w.plan.cells[w.row+place.column]
	value, reason := d.value(c, d.token(one.raw), one.f)
	switch {
	case reason != "" && !have.set:
		d.complain(w.plan.number, c.name, reason)
		d.news.misfit(w.plan.table.Name, c, one.f.path, one.raw)
		return false, nil
	case reason != "":
		return false, nil
	case !have.set:
		*have = value
		return true, nil
	case c.kind.fixed():
		return have.number == value.number, nil
	}
	return bytes.Equal(d.piece(have.span), d.piece(value.span)), nil
}

// offerList reads a list of a later place, where no place before it brought items. An empty one is nothing to keep.
func (d *Decoder) offerList(p *plan, one waiting, w *frame) (taken bool, err error) {
	outer := d.js
	defer func() { d.js = outer }()
	d.js = jx.DecodeBytes(one.raw)
	empty := one.raw[0] == '[' && d.emptyList() || one.raw[0] == '{' && d.emptyObject()
	d.js = jx.DecodeBytes(one.raw)
	switch {
	case empty:
		return true, nil
	case p.came == w.object:
		return false, nil
	case one.raw[0] == '[' && !p.entries:
		return true, d.list(p, w)
	case one.raw[0] == '{' && p.entries:
		return true, d.entries(p, w)
	}
	d.complain(w.plan.number, one.f.label(w.plan), ReasonType)
	return false, nil
}
