package transform

import "slices"

// A source counts as always sending a group if alwaysShare of its records have it, and there are at least alwaysRecords.
const (
	alwaysShare   = 0.98
	alwaysRecords = 20
)

// maxUndecided bounds the records kept per group until it is known whether the source always sends the group.
const maxUndecided = 1000

// suspectTracker finds records that lack a list or an object that their source always sends, even if empty or null. Such a record
// may be incomplete. A record that lacks a group is kept until it is known whether the source always sends the group.
type suspectTracker struct {
	groups        []Group             // of the stream's own table
	always        uint64              // bits of groups that are always sent
	mixed         uint64              // bits of groups that are sometimes sent: records without them are complete
	records       int64               // records observed
	came          []int64             // by group: how many of the records had it
	undecidedKeys map[uint64][]string // by group: keys of the records that lacked it
	found         []string
	lacksUsual    bool // the current record lacks a group that nearly all before it had
}

// newSuspects begins without knowledge of the source.
func newSuspects(own *tablePlan) *suspectTracker {
	return &suspectTracker{groups: own.table.Groups, came: make([]int64, len(own.table.Groups)), undecidedKeys: map[uint64][]string{}}
}

// observeRecord counts the current record's groups.
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

// isAlwaysSent reports whether enough records had a group.
func (s *suspectTracker) isAlwaysSent(group int) bool {
	return s.records >= alwaysRecords && float64(s.came[group]) >= alwaysShare*float64(s.records)
}

// takeKeys returns the keys found since the last call, and clears them.
func (s *suspectTracker) takeKeys() []string {
	found := s.found
	s.found = nil
	slices.Sort(found)
	return slices.Compact(found)
}

// expectGroups sets what earlier readings found.
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

// groupPaths are the paths of the groups for which of is true.
func (s *suspectTracker) groupPaths(of func(i int, known bool) bool) (paths []string) {
	for i, g := range s.groups {
		if of(i, s.always&g.Bit != 0) {
			paths = append(paths, g.Path)
		}
	}
	return paths
}

// isSometimesSent reports whether the source sends a group in some records only.
func (s *suspectTracker) isSometimesSent(i int, always bool) bool {
	seen := s.records >= alwaysRecords && s.came[i] > 0 && !s.isAlwaysSent(i)
	return !always && (seen || s.mixed&s.groups[i].Bit != 0)
}

// isVanished reports whether hardly any of the records had a group that the source always sent.
func (s *suspectTracker) isVanished(i int, always bool) bool {
	return always && s.records >= alwaysRecords && float64(s.came[i]) <= (1-alwaysShare)*float64(s.records)
}
