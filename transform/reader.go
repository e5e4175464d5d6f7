package transform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-faster/jx"
)

// recordReader reads a record into cells of its own row and of the rows of its lists.
type recordReader struct {
	js       *jx.Decoder
	text     *recordText
	row      rowFiller
	deferred []deferredValue // of the open rows
	objects  uint64          // rows so far, over all records
}

// readRecord reads a whole record.
func (r *recordReader) readRecord(w *rowFrame) error {
	r.js.ResetBytes(r.text.raw)
	if r.js.Next() != jx.Object {
		w.bad = ReasonNotObject
		return r.js.Validate()
	}
	if err := r.readObject(w.plan.root, w); err != nil {
		return err
	}
	switch err := r.js.Skip(); err {
	case io.EOF:
		return nil
	case nil:
		return errors.New("there is text after its end")
	default:
		return fmt.Errorf("after its end: %w", err)
	}
}

// openRow begins a row.
func (r *recordReader) openRow(p *tablePlan) rowFrame {
	r.objects++
	n := len(p.cells)
	p.cells = slices.Grow(p.cells, p.rowWidth())[:n+p.rowWidth()]
	clear(p.cells[n:])
	p.rows = append(p.rows, rowState{object: r.objects})
	return rowFrame{plan: p, row: n, object: r.objects, extras: len(r.row.extras.list), firstDeferred: len(r.deferred)}
}

// closeRow ends a row, and writes its _extra.
func (r *recordReader) closeRow(w *rowFrame) error {
	if err := r.resolveDeferred(w); err != nil {
		return err
	}
	r.row.extras.closeRow(w)
	of := &w.plan.rows[w.row/w.plan.rowWidth()]
	of.bad, of.absent = w.bad, w.plan.all&^w.present
	return nil
}

// readObject reads an object with known fields.
func (r *recordReader) readObject(n *objectNode, w *rowFrame) error {
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
				if err := r.readUnknown(n, it.Key(), w); err != nil {
					return err
				}
				continue
			}
			*expected = f
		}
		expected = &f.next
		if err := r.readKnown(f, w); err != nil {
			return err
		}
	}
	if empty {
		w.present |= n.inside
	}
	return it.Err()
}

// readUnknown reads a field that the stream file does not declare.
func (r *recordReader) readUnknown(n *objectNode, name []byte, w *rowFrame) error {
	p := n.policy.policyOf(name)
	if n.kept || p.actionHere() == actDrop {
		return r.js.Skip()
	}
	raw, err := r.js.Raw()
	if err != nil {
		return err
	}
	r.row.keepUnknown(n, name, raw, p, w)
	return nil
}

func (r *recordReader) readKnown(f *fieldNode, w *rowFrame) error {
	w.present |= f.bit
	if f.counts != 0 {
		return r.countItems(f, w)
	}
	if f.skip || f.policy.actionHere() == actDrop {
		return r.js.Skip()
	}
	repeated := f.seen == w.object
	f.seen = w.object
	if !repeated && (f.object != nil || f.list != nil) {
		return r.readNested(f, w)
	}
	raw, err := r.js.Raw()
	switch {
	case err != nil:
		return err
	case repeated:
		if f.key {
			w.bad = ReasonDuplicate
		}
		r.row.rejectValue(f, raw, w, ReasonDuplicate)
	case len(f.later) > 0:
		r.deferValue(f, raw, w)
	case f.plain >= 0 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0:
		w.plan.cells[w.row+f.plain] = rowCell{set: true, textSpan: r.text.spanOf(raw[1 : len(raw)-1])}
	default:
		r.row.fillColumns(f, raw, w, false)
	}
	return nil
}

// countItems reads a field with the number of items of a list. If it is 0, an omitted list counts as empty, not as absent.
func (r *recordReader) countItems(f *fieldNode, w *rowFrame) error {
	raw, err := r.js.Raw()
	if err != nil {
		return err
	}
	if string(raw) == "0" {
		w.present |= f.counts
	}
	if f.skip || f.policy.actionHere() == actDrop {
		return nil
	}
	r.row.fillColumns(f, raw, w, false)
	return nil
}

// readNested reads a field that is an object with known fields, or a list of rows.
func (r *recordReader) readNested(f *fieldNode, w *rowFrame) error {
	entries := f.list != nil && f.list.entries
	if !f.whole && !entries {
		switch t := r.js.Next(); {
		case t == jx.Object && f.object != nil:
			return r.readObject(f.object, w)
		case t == jx.Array && f.list != nil:
			return r.readList(f.list, f.policy, w)
		}
	}
	raw, err := r.js.Raw()
	if err != nil || raw[0] == 'n' {
		w.present |= f.inside // a null object has no groups: none is absent
		return err
	}
	opened := false
	if raw[0] == '{' || raw[0] == '[' {
		opened, err = r.enterValue(f, raw, w)
	}
	if !opened || raw[0] == '[' && f.list == nil {
		w.present |= f.inside // a value of another kind came: none of its groups is absent
	}
	switch {
	case err != nil:
		return err
	case !opened && len(f.later) > 0:
		r.deferValue(f, raw, w)
	case len(f.columns) > 0:
		r.row.fillColumns(f, raw, w, opened)
	case !opened:
		r.row.rejectValue(f, raw, w, ReasonType)
	}
	return nil
}

// enterValue reads the parts of an object or a list if the plan has them; opened reports whether it has.
func (r *recordReader) enterValue(f *fieldNode, raw []byte, w *rowFrame) (opened bool, err error) {
	outer := r.js
	defer func() { r.js = outer }()
	entries := f.list != nil && f.list.entries
	switch r.js = jx.DecodeBytes(raw); {
	case raw[0] == '{' && f.object != nil && entries:
		if err := r.readObject(f.object, w); err != nil {
			return true, err
		}
		return true, r.readEntries(f.list, raw, f.policy, w) // a member with a column is an entry, too
	case raw[0] == '{' && f.object != nil:
		return true, r.readObject(f.object, w)
	case raw[0] == '[' && f.list != nil && !entries:
		return true, r.readList(f.list, f.policy, w)
	case raw[0] == '{' && entries:
		return true, r.readEntries(f.list, raw, f.policy, w)
	case raw[0] == '{' && f.list != nil:
		return emptyObject(r.js), nil // some answers send an empty list as {}
	case raw[0] == '[':
		return emptyList(r.js), nil // some answers send an empty object as []
	}
	return false, nil
}
