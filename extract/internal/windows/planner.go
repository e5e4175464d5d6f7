package windows

import "time"

const (
	First   = 14 * 24 * time.Hour      // first window of a history; the next ones are at most twice as long as the one above
	Longest = 2 * 365 * 24 * time.Hour // a longer window than this reads to the beginning instead
	Fewest  = 3_000                    // records of a window: smaller ones cost more requests than they save time
)

// sharesOfFirst: the smallest planned window has a quarter of the share of the first one. Each window reads some records again (Margin), so
// smaller ones would cost requests. Larger ones would still be read when all others are done.
const sharesOfFirst = 4

// Planner chooses how long windows of a history are. Each is at most twice as long as the one above it. It has its share of the
// records that are left below, so windows get smaller: the last ones are read alone when the others are done.
type Planner struct {
	Left   int64 // records of the history that are still to read, by the source's count; 0: unknown
	Oldest int64 // time of the oldest of them, in Unix seconds; 0: unknown
	taken  int64 // records of the windows that Take was called with
}

// Counted is a window with the count of its list.
type Counted struct {
	From, To int64 // Unix seconds
	Total    int64 // total_count of its list, which also has the records of Margin above it; 0 where an earlier reading began the window
	Known    bool  // Total is known, or an earlier reading began the window
	Above    *Seen // records of the window above that its list returns, too; nil: unknown
}

// records is about how many records the window has.
func (c Counted) records() int64 {
	span := float64(c.To - c.From)
	even := int64(float64(c.Total) * span / (span + Margin.Seconds()))
	// Many records may have changed on one day: the window above has shown how many of that margin there are.
	return max(0, min(even, c.Total-c.Above.CountNoted()))
}

// Take counts a window that is done and that NextSpan is not told of again.
func (p *Planner) Take(done Counted) { p.taken += done.records() }

// NextSpan is the length, in seconds, of the window below others; to is its end, and lastSpan the length of the last window when
// there is none above. aside is how many windows are read side by side. It is 0 while the lowest of them has no count yet, and
// longer than Longest where one window may have all the rest.
func (p *Planner) NextSpan(above []Counted, to, lastSpan int64, aside int) int64 {
	n := len(above)
	if n > 0 {
		lastSpan = above[n-1].To - above[n-1].From
	}
	first := int64(First / time.Second)
	span := max(first, 2*lastSpan)
	// One window at a time, or an unknown count: spans only double.
	if aside == 1 || p.Left == 0 {
		return span
	}
	// Only the counts of all windows above say how much is left below them.
	if n > 0 && !above[n-1].Known {
		return 0
	}
	left := p.Left - p.taken
	for _, w := range above {
		left -= w.records()
	}
	share := max(Fewest, left/int64(aside), p.Left/int64(sharesOfFirst*aside))
	// A rest within one share is one window, down to the beginning.
	if left <= share {
		return int64(Longest/time.Second) + 1
	}
	// Otherwise the span would hold one share if the records were as dense as in the window above, or as in all the rest.
	density := 0.0
	if rest := to - p.Oldest; p.Oldest > 0 && rest > 0 {
		density = float64(left) / float64(rest)
	}
	if n > 0 {
		density = max(density, float64(above[n-1].records())/float64(lastSpan))
	}
	if density > 0 {
		span = min(span, max(first, int64(float64(share)/density)))
	}
	return span
}
