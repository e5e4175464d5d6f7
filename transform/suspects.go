package transform

import "slices"

// What a source always sends: the share of records that must have a list or an object, of how many at least.
const (
	alwaysShare   = 0.98
	alwaysRecords = 20
)

// mostWaiting bounds the records that wait for a habit of their source: of more of them it has none.
const mostWaiting = 1000

// suspects are the records that were sent without a list or an object which their source always sends, be it empty or null: of what they
// have of it nothing is said. A record that lacks what nobody knows the habit of yet waits until it is known.
type suspects struct {
	always  uint64              // groups that are known to be sent always
	records int64               // weighed so far
	came    []int64             // by group: how many of them had it
	waiting map[uint64][]string // by group: keys of those that lacked it
	found   []string
	lacks   bool // the record at hand lacks what another one had
}

// weigh takes in the record at hand.
func (d *Decoder) weigh() {
	own, s := d.plans[0], &d.suspects
	if len(own.table.Groups) == 0 || len(own.table.Key) != 1 {
		return
	}
	absent := own.rows[0].absent
	s.records++
	s.lacks = false
	for i, g := range own.table.Groups {
		switch {
		case absent&g.Bit == 0:
			s.came[i]++
		case s.always&g.Bit != 0:
			s.found = append(s.found, d.key())
		case len(s.waiting[g.Bit]) < mostWaiting:
			s.waiting[g.Bit] = append(s.waiting[g.Bit], d.key())
		}
		s.lacks = s.lacks || absent&g.Bit != 0 && s.came[i] > 0
		if s.always&g.Bit == 0 && s.sends(i) {
			s.always |= g.Bit
			s.found = append(s.found, s.waiting[g.Bit]...)
			delete(s.waiting, g.Bit)
		}
	}
}

// LacksSome reports whether the last record that was kept lacks a list or an object that another one had.
func (d *Decoder) LacksSome() bool { return d.suspects.lacks }

// sends reports whether enough of the records had a group.
func (s *suspects) sends(group int) bool {
	return s.records >= alwaysRecords && float64(s.came[group]) >= alwaysShare*float64(s.records)
}

// Suspects gives the keys of the records since it was last asked that were sent without what their source always sends.
func (d *Decoder) Suspects() []string {
	found := d.suspects.found
	d.suspects.found = nil
	slices.Sort(found)
	return slices.Compact(found)
}

// Expect tells the decoder which lists and objects, by their paths, the source was known to send always.
func (d *Decoder) Expect(paths []string) {
	for _, g := range d.plans[0].table.Groups {
		if slices.Contains(paths, g.Path) {
			d.suspects.always |= g.Bit
		}
	}
}

// Always gives the paths of the lists and objects that the source always sends, as far as the decoder was told or has seen.
func (d *Decoder) Always() (paths []string) {
	for _, g := range d.plans[0].table.Groups {
		if d.suspects.always&g.Bit != 0 {
			paths = append(paths, g.Path)
		}
	}
	return paths
}

// Vanished gives the paths of those that hardly any of many records had: the source does not send them any more.
func (d *Decoder) Vanished() (paths []string) {
	s := d.suspects
	for i, g := range d.plans[0].table.Groups {
		if s.always&g.Bit != 0 && s.records >= alwaysRecords && float64(s.came[i]) <= (1-alwaysShare)*float64(s.records) {
			paths = append(paths, g.Path)
		}
	}
	return paths
}
