package transform

import "slices"

// frame is the row that is being filled: of the record, or of an item of a list.
type frame struct {
	plan   *plan
	row    int    // its first cell
	object uint64 // its number
	extras int    // its first extra
	waits  int    // the first of its waiting values
	bad    string // why it cannot be kept

	present uint64 // groups that came
}

// empty reports whether no column of the row has a value.
func (w *frame) empty() bool {
	return !slices.ContainsFunc(w.plan.cells[w.row:], func(c cell) bool { return c.set })
}
