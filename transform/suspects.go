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
	groups  []Group             // of the stream's own table
	always  uint64              // groups that are known to be sent always
	mixed   uint64              // groups that are known to be sent at times: many records lack them, and are whole
	records int64               // weighed so far
	came    []int64             // by group: how many of them had it
	waiting map[uint64][]string // by group: keys of those that lacked it
	found   []string
	lacks   bool // the record at hand lacks what nearly all before it had
}

// newSuspects begins with a source of which nothing is known.
func newSuspects(own *plan) *suspects {
	return &suspects{groups: own.table.Groups, came: make([]int64, len(own.table.Groups)), waiting: map[uint64][]string{}}
}

// weigh takes in the record at hand.
func (s *suspects) weigh(own *plan, x *recordText) {
	if len(s.groups) == 0 || len(own.table.Key) != 1 {
		return
	}
	absent := own.rows[0].absent
	before := float64(s.records)
	s.records++
	s.lacks = false
	for i, g := range s.groups {
		switch {
		case absent&g.Bit == 0:
			s.came[i]++
		case s.always&g.Bit != 0:
			s.found = append(s.found, recordKey(own, x))
		case len(s.waiting[g.Bit]) < mostWaiting:
			s.waiting[g.Bit] = append(s.waiting[g.Bit], recordKey(own, x))
		}
		s.lacks = s.lacks || absent&g.Bit != 0 && s.mixed&g.Bit == 0 && s.came[i] > 0 && float64(s.came[i]) >= alwaysShare*before
		if s.always&g.Bit == 0 && s.sends(i) {
			s.always |= g.Bit
			s.found = append(s.found, s.waiting[g.Bit]...)
			delete(s.waiting, g.Bit)
		}
	}
}

// sends reports whether enough of the records had a group.
func (s *suspects) sends(group int) bool {
	return s.records >= alwaysRecords && float64(s.came[group]) >= alwaysShare*float64(s.records)
}

// take gives the keys that were found, and forgets them.
func (s *suspects) take() []string {
	found := s.found
	s.found = nil
	slices.Sort(found)
	return slices.Compact(found)
}

// expect takes over what was known of the source before.
func (s *suspects) expect(always, sometimes []string) {
	for _, g := range s.groups {
		if slices.Contains(always, g.Path) {
			s.always |= g.Bit
		}
		if slices.Contains(sometimes, g.Path) {
			s.mixed |= g.Bit
		}
	}
}

// paths gives the paths of the groups that a question is true of.
func (s *suspects) paths(of func(i int, known bool) bool) (paths []string) {
	for i, g := range s.groups {
		if of(i, s.always&g.Bit != 0) {
			paths = append(paths, g.Path)
		}
	}
	return paths
}

// sometimes reports whether the source sends a group at times.
func (s *suspects) sometimes(i int, always bool) bool {
	seen := s.records >= alwaysRecords && s.came[i] > 0 && !s.sends(i)
	return !always && (seen || s.mixed&s.groups[i].Bit != 0)
}

// vanished reports whether hardly any of many records had a group that the source always sent.
func (s *suspects) vanished(i int, always bool) bool {
	return always && s.records >= alwaysRecords && float64(s.came[i]) <= (1-alwaysShare)*float64(s.records)
}
