package extract

import (
	"sync"
	"time"

	"aqueduck/extract/internal/envelope"
)

// seenRecords are the records at the lower end of a history window that its list has returned: the list of the window below
// returns them again, because it reaches above that window (zoneMargin). It is safe for concurrent use.
type seenRecords struct {
	from, until int64 // times of the records that are kept; from is part of the window below and excluded

	mu sync.Mutex // guards at
	at map[string]int64
}

// newSeen is for the records of a window, of which none has come.
func newSeen(w Window) *seenRecords {
	return &seenRecords{from: w.From, until: w.From + int64(zoneMargin/time.Second), at: map[string]int64{}}
}

// note adds the records of a page.
func (s *seenRecords) note(seen []envelope.Peeked) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range seen {
		if g.Key != nil && g.At > s.from && g.At <= s.until {
			s.at[string(g.Key)] = g.At
		}
	}
}

// has reports whether the record was returned with the same time.
func (s *seenRecords) has(g envelope.Peeked) bool {
	if s == nil || g.Key == nil || g.At == envelope.Timeless {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.at[string(g.Key)]
	return found && at == g.At
}
