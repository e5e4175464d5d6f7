package transform

import "slices"

// What a source always sends: the share of records that must have a list or an object, of how many at least.
const (
	alwaysShare   = 0.98
	alwaysRecords = 20
)

// maxUndecided bounds the records that wait for a habit of their source: of more of them it has none.
const maxUndecided = 1000

// suspectTracker are the records that were sent without a list or an object which their source always sends, be it empty or null: of what they
// have of it nothing is said. A record that lacks what nobody knows the habit of yet waits until it is known.
type suspectTracker struct {
	groups        []Group             // of the stream's own table
	always        uint64              // groups that are known to be sent always
	mixed         uint64              // groups that are known to be sent at times: many records lack them, and are whole
	records       int64               // weighed so far
	came          []int64             // by group: how many of them had it
	undecidedKeys map[uint64][]string // by group: keys of those that lacked it
	found         []string
	lacksUsual    bool // the record at hand lacks what nearly all before it had
}

// newSuspects begins with a source of which nothing is known.
func newSuspects(own *tablePlan) *suspectTracker {
	return &suspectTracker{groups: own.table.Groups, came: make([]int64, len(own.table.Groups)), undecidedKeys: map[uint64][]string{}}
}

// observeRecord takes in the record at hand.
func (s *suspectTracker) observeRecord(own *tablePlan, x *recordText) {
	if len(s.groups) == 0 || len(own.table.Key) != 1 {
		return
	}
	absent := own.rows[0].absent
	before := float64(s.records)
	s.records++
	s.lacksUsual = false
	for i, g := range s.groups {
		switch {
		case absent&g.Bit == 0:
			s.came[i]++
		case s.always&g.Bit != 0:
			s.found = append(s.found, recordKey(own, x))
		case len(s.undecidedKeys[g.Bit]) < maxUndecided:
			s.undecidedKeys[g.Bit] = append(s.undecidedKeys[g.Bit], recordKey(own, x))
		}
		s.lacksUsual = s.lacksUsual || absent&g.Bit != 0 && s.mixed&g.Bit == 0 && s.came[i] > 0 && float64(s.came[i]) >= alwaysShare*before
		if s.always&g.Bit == 0 && s.isAlwaysSent(i) {
			s.always |= g.Bit
			s.found = append(s.found, s.undecidedKeys[g.Bit]...)
			delete(s.undecidedKeys, g.Bit)
		}
	}
}

// isAlwaysSent reports whether enough of the records had a group.
func (s *suspectTracker) isAlwaysSent(group int) bool {
	return s.records >= alwaysRecords && float64(s.came[group]) >= alwaysShare*float64(s.records)
}

// takeKeys gives the keys that were found, and forgets them.
func (s *suspectTracker) takeKeys() []string {
	found := s.found
	s.found = nil
	slices.Sort(found)
	return slices.Compact(found)
}

// expectGroups takes over what was known of the source before.
func (s *suspectTracker) expectGroups(always, sometimes []string) {
	for _, g := range s.groups {
		if slices.Contains(always, g.Path) {
			s.always |= g.Bit
		}
		if slices.Contains(sometimes, g.Path) {
			s.mixed |= g.Bit
		}
	}
}

// groupPaths gives the paths of the groups that a question is true of.
func (s *suspectTracker) groupPaths(of func(i int, known bool) bool) (paths []string) {
	for i, g := range s.groups {
		if of(i, s.always&g.Bit != 0) {
			paths = append(paths, g.Path)
		}
	}
	return paths
}

// isSometimesSent reports whether the source sends a group at times.
func (s *suspectTracker) isSometimesSent(i int, always bool) bool {
	seen := s.records >= alwaysRecords && s.came[i] > 0 && !s.isAlwaysSent(i)
	return !always && (seen || s.mixed&s.groups[i].Bit != 0)
}

// isVanished reports whether hardly any of many records had a group that the source always sent.
func (s *suspectTracker) isVanished(i int, always bool) bool {
	return always && s.records >= alwaysRecords && float64(s.came[i]) <= (1-alwaysShare)*float64(s.records)
}
