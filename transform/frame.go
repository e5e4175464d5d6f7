package transform

import "slices"

// rowFrame is the row that is being filled, of the record or of an item of a list.
type rowFrame struct {
	plan          *tablePlan
	row           int    // index of its first cell in plan.cells
	object        uint64 // number of the row, unique over all records
	extras        int    // index of its first extra field
	firstDeferred int    // index of its first deferred value
	bad           string // why it is rejected; "": it is not

	present uint64 // bits of the groups that came
}

// isEmpty reports whether no column of the row has a value.
func (w *rowFrame) isEmpty() bool {
	return !slices.ContainsFunc(w.plan.cells[w.row:], func(c rowCell) bool { return c.set })
}
