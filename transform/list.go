package transform

import "github.com/go-faster/jx"

// readList reads the rows of a child table from a list in the row w.
func (r *recordReader) readList(p *tablePlan, policy *maskPolicy, w *rowFrame) error {
	it, err := r.js.ArrIter()
	if err != nil {
		return err
	}
	for position := 0; it.Next(); position++ {
		if r.js.Next() == jx.Null {
			if err := r.js.Skip(); err != nil {
				return err
			}
			continue
		}
		p.listObject = w.object
		if err := r.readItem(p, policy, rowState{position: position, above: w.row}); err != nil {
			return err
		}
	}
	return it.Err()
}

// readEntries reads the rows of a child table from the members of an object, raw. A member with the name of an ignored field is no
// entry unless it is an object: such objects often have a `type` besides their entries. A dropped entry has no row. Of several
// with one name the first counts; the others are rejected (T128).
func (r *recordReader) readEntries(p *tablePlan, raw []byte, policy *maskPolicy, w *rowFrame) error {
	r.js = jx.DecodeBytes(raw)
	it, err := r.js.ObjIter()
	if err != nil {
		return err
	}
	for it.Next() {
		f, t, own := p.root.fields[string(it.Key())], r.js.Next(), policy.policyOf(it.Key())
		first := r.row.extras.isFirstName(-1-int(r.text.spanOf(raw).from), it.Key(), w)
		if t == jx.Null && first || t != jx.Object && f != nil && f.skip || own.actionHere() == actDrop {
			if err := r.js.Skip(); err != nil {
				return err
			}
			continue
		}
		p.listObject = w.object
		of := rowState{key: r.text.appendText(string(it.Key())), above: w.row}
		if !first {
			of.bad = ReasonDuplicate
		}
		if err := r.readItem(p, own, of); err != nil {
			return err
		}
	}
	return it.Err()
}

// readItem reads one row of a child table. of has its position, key and outer row, and why it is rejected unread.
func (r *recordReader) readItem(p *tablePlan, policy *maskPolicy, of rowState) (err error) {
	if p.policy != policy {
		p.applyPolicy(policy)
	}
	w := r.openRow(p)
	own := &p.rows[len(p.rows)-1]
	own.position, own.key, own.above = of.position, of.key, of.above
	switch t := r.js.Next(); {
	case of.bad != "":
		w.bad, err = of.bad, r.js.Skip()
	case t == jx.Object:
		err = r.readObject(p.root, &w)
	case p.item != nil:
		var raw jx.Raw
		if raw, err = r.js.Raw(); err == nil {
			r.row.fillColumns(p.item, raw, &w, false)
		}
	default:
		w.bad, err = ReasonNotObject, r.js.Skip()
	}
	if err != nil {
		return err
	}
	if err := r.resolveDeferred(&w); err != nil {
		return err
	}
	if !p.hasNestedLists && w.bad == "" && r.saysNothing(&w) {
		p.cells, p.rows = p.cells[:w.row], p.rows[:len(p.rows)-1]
		return nil
	}
	return r.closeRow(&w)
}

// saysNothing reports whether a row has no value. Some lists contain one empty object to say that they are empty, or an item with
// a type and nothing else.
func (r *recordReader) saysNothing(w *rowFrame) bool {
	return w.isEmpty() && len(r.row.extras.list) == w.extras
}

func emptyObject(js *jx.Decoder) bool {
	it, err := js.ObjIter()
	return err == nil && !it.Next()
}

func emptyList(js *jx.Decoder) bool {
	it, err := js.ArrIter()
	return err == nil && !it.Next()
}
