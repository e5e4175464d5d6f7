package transform

import "slices"

// rowFrame is the row that is being filled: of the record, or of an item of a list.
type rowFrame struct {
	plan          *tablePlan
	row           int    // its first cell
	object        uint64 // its number
	extras        int    // its first extra
	firstDeferred int    // the first of its waiting values
	bad           string // why it cannot be kept

	present uint64 // groups that came
}

// isEmpty reports whether no column of the row has a value.
func (w *rowFrame) isEmpty() bool {
	return !slices.ContainsFunc(w.plan.cells[w.row:], func(c rowCell) bool { return c.set })
}
