package windows

import (
	"sync"
	"time"

	"aqueduck/extract/internal/envelope"
)

// Margin is how far a list reaches above its window: a day in any time zone lies within this distance of its time in UTC (T2).
const Margin = 48 * time.Hour

// Seen are the records at the lower end of a window that its list has returned: the list of the window below returns them again,
// because it reaches above that window by Margin. It is safe for concurrent use. A nil Seen has none and keeps none.
type Seen struct {
	from, until int64 // times of the records that are kept; from is part of the window below and excluded

	mu sync.Mutex // guards at
	at map[string]int64
}

// NewSeen is for the records of a window that begins at a time, in Unix seconds. None has come.
func NewSeen(from int64) *Seen {
	return &Seen{from: from, until: from + int64(Margin/time.Second), at: map[string]int64{}}
}

// Note adds the records of a page.
func (s *Seen) Note(page []envelope.Peeked) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range page {
		if g.Key != nil && g.At > s.from && g.At <= s.until {
			s.at[string(g.Key)] = g.At
		}
	}
}

// Has reports whether the record was returned with the same time.
func (s *Seen) Has(g envelope.Peeked) bool {
	if s == nil || g.Key == nil || g.At == envelope.Timeless {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at, found := s.at[string(g.Key)]
	return found && at == g.At
}

// CountNoted is the number of records that were noted.
func (s *Seen) CountNoted() int64 {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.at))
}
