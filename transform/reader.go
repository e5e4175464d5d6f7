package transform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-faster/jx"
)

// reader takes the text of a record apart, into cells of its own row and of the rows of the lists in it.
type reader struct {
	js      *jx.Decoder
	text    *recordText
	row     filler
	waiting []waiting // values of later places, of the open rows
	objects uint64    // numbers rows, over all records
}

// read takes the text of a whole record apart.
func (r *reader) read(w *frame) error {
	r.js.ResetBytes(r.text.raw)
	if r.js.Next() != jx.Object {
		w.bad = ReasonNotObject
		return r.js.Validate()
	}
	if err := r.object(w.plan.root, w); err != nil {
		return err
	}
	switch err := r.js.Skip(); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("more text after its end")
	default:
		return fmt.Errorf("after its end: %w", err)
	}
}

// open begins a row.
func (r *reader) open(p *plan) frame {
	r.objects++
	n := len(p.cells)
	p.cells = slices.Grow(p.cells, p.width())[:n+p.width()]
	clear(p.cells[n:])
	p.rows = append(p.rows, row{object: r.objects})
	return frame{plan: p, row: n, object: r.objects, extras: len(r.row.extras.list), waits: len(r.waiting)}
}

// close ends a row: what no column took becomes its _extra.
func (r *reader) close(w *frame) error {
	if err := r.settle(w); err != nil {
		return err
	}
	r.row.extras.close(w)
	of := &w.plan.rows[w.row/w.plan.width()]
	of.bad, of.absent = w.bad, w.plan.all&^w.present
	return nil
}

// object reads an object that the plan looks into.
func (r *reader) object(n *node, w *frame) error {
	it, err := r.js.ObjIter()
	if err != nil {
		return err
	}
	expected, empty := &n.first, true
	for it.Next() {
		f := *expected
		empty = false
		if f == nil || f.name != string(it.Key()) {
			if f = n.fields[string(it.Key())]; f == nil {
				if err := r.unknown(n, it.Key(), w); err != nil {
					return err
				}
				continue
			}
			*expected = f
		}
		expected = &f.next
		if err := r.known(f, w); err != nil {
			return err
		}
	}
	if empty {
		w.present |= n.inside
	}
	return it.Err()
}

// unknown reads a field that the stream file does not know.
func (r *reader) unknown(n *node, name []byte, w *frame) error {
	p := n.policy.at(name)
	if n.kept || p.action() == actDrop {
		return r.js.Skip()
	}
	raw, err := r.js.Raw()
	if err != nil {
		return err
	}
	r.row.unknown(n, name, raw, p, w)
	return nil
}

func (r *reader) known(f *field, w *frame) error {
	w.present |= f.bit
	if f.counts != 0 {
		return r.countItems(f, w)
	}
	if f.skip || f.policy.action() == actDrop {
		return r.js.Skip()
	}
	again := f.seen == w.object
	f.seen = w.object
	if !again && (f.object != nil || f.list != nil) {
		return r.inside(f, w)
	}
	raw, err := r.js.Raw()
	switch {
	case err != nil:
		return err
	case again:
		if f.key {
			w.bad = ReasonDuplicate
		}
		r.row.reject(f, raw, w, ReasonDuplicate)
	case len(f.later) > 0:
		r.wait(f, raw, w)
	case f.plain >= 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0:
		w.plan.cells[w.row+f.plain] = cell{set: true, span: r.text.within(raw[1 : len(raw)-1])}
	default:
		r.row.fill(f, raw, w, false)
	}
	return nil
}

// countItems reads the field that counts a list's items: of one that has none it does not matter that it is left out.
func (r *reader) countItems(f *field, w *frame) error {
	raw, err := r.js.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "0" {
		w.present |= f.counts
	}
	if f.skip || f.policy.action() == actDrop {
		return nil
	}
	r.row.fill(f, raw, w, false)
	return nil
}

// inside reads a field whose object is looked into, or whose list becomes rows.
func (r *reader) inside(f *field, w *frame) error {
	entries := f.list != nil && f.list.entries
	if !f.whole && !entries {
		switch t := r.js.Next(); {
		case t == jx.Object && f.object != nil:
			return r.object(f.object, w)
		case t == jx.Array && f.list != nil:
			return r.list(f.list, w)
		}
	}
	raw, err := r.js.Raw()
	if err != nil || raw[0] == 'n' {
		w.present |= f.inside // of nothing there is nothing
		return err
	}
	opened := false
	if raw[0] == '{' || raw[0] == '[' {
		opened, err = r.enter(f, raw, w)
	}
	if !opened || raw[0] == '[' && f.list == nil {
		w.present |= f.inside // something else came in its place
	}
	switch {
	case err != nil:
		return err
	case !opened && len(f.later) > 0:
		r.wait(f, raw, w)
	case len(f.columns) > 0:
		r.row.fill(f, raw, w, opened)
	case !opened:
		r.row.reject(f, raw, w, ReasonType)
	}
	return nil
}

// enter looks into an object or a list, if the plan does; opened reports whether it does.
func (r *reader) enter(f *field, raw []byte, w *frame) (opened bool, err error) {
	outer := r.js
	defer func() { r.js = outer }()
	entries := f.list != nil && f.list.entries
	switch r.js = jx.DecodeBytes(raw); {
	case raw[0] == '{' && f.object != nil && entries:
		if err := r.object(f.object, w); err != nil {
			return true, err
		}
		r.js = jx.DecodeBytes(raw) // what has a column is an entry as well
		return true, r.entries(f.list, w)
	case raw[0] == '{' && f.object != nil:
		return true, r.object(f.object, w)
	case raw[0] == '[' && f.list != nil && !entries:
		return true, r.list(f.list, w)
	case raw[0] == '{' && entries:
		return true, r.entries(f.list, w)
	case raw[0] == '{' && f.list != nil:
		return emptyObject(r.js), nil // an empty list, in some answers
	case raw[0] == '[':
		return emptyList(r.js), nil // no entries, or nothing to look into, in some answers
	}
	return false, nil
}
