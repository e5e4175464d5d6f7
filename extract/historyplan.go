package extract

import "time"

const (
	mostWindows   = 16    // windows of the history read side by side
	windowPace    = 8     // requests a second that one window makes: pages, and the rest of nested lists
	fewestPlanned = 3_000 // records of a planned window: smaller ones cost more requests than they save time
)

// historyPlanner chooses how long windows of the history are. Each is twice as long as the one above it, unless it then has more
// records than its share: the last ones would be read alone when the others are done.
type historyPlanner struct {
	left   int64 // records of the history that are still to read, by the source's count; 0: unknown
	oldest int64 // time of the oldest of them, in Unix seconds; 0: unknown
}

// nextSpan is the length, in seconds, of the window below others that are read side by side; to is its end. It is 0 while the
// lowest of them has no count yet, and longer than lastHistory where one window may have all the rest.
func (p historyPlanner) nextSpan(above []*openWindow, to, lastSpan int64, aside int) int64 {
	n := len(above)
	if n > 0 {
		lastSpan = above[n-1].Window.To - above[n-1].Window.From
	}
	first := int64(firstHistory / time.Second)
	span := max(first, 2*lastSpan)
	// One window at a time, or an unknown count: spans only double.
	if aside == 1 || p.left == 0 {
		return span
	}
	// Only the counts of all windows above say how much is left below them.
	if n > 0 && !above[n-1].known {
		return 0
	}
	share, left := max(fewestPlanned, p.left/int64(aside)), p.left
	for _, w := range above {
		left -= w.records()
	}
	// A rest within one share is one window, down to the beginning.
	if left <= share {
		return int64(lastHistory/time.Second) + 1
	}
	// Otherwise the span would hold one share if the records were spread evenly over the rest.
	if rest := to - p.oldest; p.oldest > 0 && rest > 0 {
		span = min(span, max(first, int64(float64(rest)*float64(share)/float64(left))))
	}
	return span
}

// records is about how many records the window has. Its list also counts those of the two days above it.
func (w *openWindow) records() int64 {
	span := float64(w.Window.To - w.Window.From)
	return int64(float64(w.total) * span / (span + zoneMargin.Seconds()))
}
