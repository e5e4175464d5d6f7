package transform

import "github.com/go-faster/jx"

// deferredValue is the value of a field that is a later place of a column or a list. It waits until the whole object is read, so
// that the order of the fields does not matter.
type deferredValue struct {
	f     *fieldNode
	raw   []byte
	taken bool // a column or a table has the value
}

// deferValue keeps a value until the end of its row. Columns with the field as their first place are filled at once.
func (r *recordReader) deferValue(f *fieldNode, raw []byte, w *rowFrame) {
	if raw[0] == 'n' {
		return
	}
	if len(f.columns) > 0 {
		r.row.fillColumns(f, raw, w, false)
	}
	r.deferred = append(r.deferred, deferredValue{f, raw, len(f.columns) > 0})
}

// resolveDeferred offers the deferred values of a row to the columns and lists without a value, by rank. A value that none has
// then goes to _extra.
func (r *recordReader) resolveDeferred(w *rowFrame) error {
	list := r.deferred[w.firstDeferred:]
	if len(list) == 0 {
		return nil
	}
	for rank := 1; rank < w.plan.places; rank++ {
		for i := range list {
			for _, place := range list[i].f.later {
				if place.rank != rank {
					continue
				}
				took, err := r.offerDeferred(place, list[i], w)
				if err != nil {
					return err
				}
				list[i].taken = list[i].taken || took
			}
		}
	}
	for _, one := range list {
		if !one.taken {
			r.row.extras.keepRejected(one.f, one.raw, w)
		}
	}
	r.deferred = r.deferred[:w.firstDeferred]
	return nil
}

// offerDeferred reports whether a column or a list now has the value: it was empty and takes it, or has the same one.
func (r *recordReader) offerDeferred(place laterPlace, one deferredValue, w *rowFrame) (bool, error) {
	if place.list != nil {
		return r.offerList(place.list, one, w)
	}
	return r.row.offerValue(place.column, one.f, one.raw, w), nil
}

// offerList reads a list at a later place if no earlier place had items. An empty list counts as taken.
func (r *recordReader) offerList(p *tablePlan, one deferredValue, w *rowFrame) (taken bool, err error) {
	outer := r.js
	defer func() { r.js = outer }()
	r.js = jx.DecodeBytes(one.raw)
	empty := one.raw[0] == '[' && emptyList(r.js) || one.raw[0] == '{' && emptyObject(r.js)
	r.js = jx.DecodeBytes(one.raw)
	switch {
	case empty:
		return true, nil
	case p.listObject == w.object:
		return false, nil
	case one.raw[0] == '[' && !p.entries:
		return true, r.readList(p, one.f.policy, w)
	case one.raw[0] == '{' && p.entries:
		return true, r.readEntries(p, one.raw, one.f.policy, w)
	}
	r.row.rejects.addPending(w.plan.number, one.f.messageName(w.plan), ReasonType)
	return false, nil
}
