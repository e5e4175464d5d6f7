package transform

import "slices"

// mostSuspects bounds how many records wait for their source to show how it says that a list is empty.
const mostSuspects = 10_000

// suspects are the records that were sent without a list which their source sends where it is empty: that it has nothing for them is
// not said. Until a record shows an empty list, those without any wait.
type suspects struct {
	lists   uint64              // the groups of the record that are lists
	shown   uint64              // of those, the ones that came empty
	waiting map[uint64][]string // keys of records, by the list that they were sent without
	found   []string
}

// weigh takes in the record at hand.
func (d *Decoder) weigh() {
	own, s := d.plans[0], &d.suspects
	if s.lists == 0 {
		return
	}
	absent := own.rows[0].absent & s.lists
	for i, g := range own.table.Groups {
		if g.Bit&s.lists == 0 || g.Bit&absent != 0 || s.shown&g.Bit != 0 || len(d.plans[d.listPlan[i]].rows) > 0 {
			continue
		}
		s.shown |= g.Bit
		s.found = append(s.found, s.waiting[g.Bit]...)
		delete(s.waiting, g.Bit)
	}
	for _, g := range own.table.Groups {
		switch {
		case g.Bit&absent == 0:
		case g.Bit&s.shown != 0:
			s.found = append(s.found, d.key())
		case len(s.waiting[g.Bit]) < mostSuspects:
			s.waiting[g.Bit] = append(s.waiting[g.Bit], d.key())
		}
	}
}

// Suspects gives the keys of the records since it was last asked that were sent without a list which others have empty. That list may
// have something.
func (d *Decoder) Suspects() []string {
	found := d.suspects.found
	d.suspects.found = nil
	slices.Sort(found)
	return slices.Compact(found)
}
