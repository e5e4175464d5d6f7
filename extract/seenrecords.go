package extract

import (
	"sync"
	"time"
)

// seenRecords are the records at the lower end of a history window that its list has returned: the list of the window below
// returns them again, because it reaches above that window (zoneMargin). It is safe for concurrent use.
type seenRecords struct {
	until int64 // records later than this are not kept

	mu sync.Mutex // guards at
	at map[string]int64
}

// newSeen is for the records of a window, of which none has come.
func newSeen(w Window) *seenRecords {
	return &seenRecords{until: w.From + int64(zoneMargin/time.Second), at: map[string]int64{}}
}

// note adds the records of a page.
func (s *seenRecords) note(seen []peekedRecord) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range seen {
		if g.key != nil && g.at != timeless && g.at <= s.until {
			s.at[string(g.key)] = g.at
		}
	}
}

// has reports whether the record was returned with the same time.
func (s *seenRecords) has(g peekedRecord) bool {
	if s == nil || g.key == nil || g.at == timeless {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.at[string(g.key)]
	return found && at == g.at
}
