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
	left int64 // records of the history that are still to read, by the source's count; 0: unknown
}

// nextSpan is the length, in seconds, of the window below others that are read side by side. It is 0 while the lowest of them has
// no count yet, and longer than lastHistory where one window may have all the rest.
func (p historyPlanner) nextSpan(above []*openWindow, span int64, aside int) int64 {
	var lowest *openWindow
	if n := len(above); n > 0 {
		lowest = above[n-1]
		span = lowest.Window.To - lowest.Window.From
	}
	first := int64(firstHistory / time.Second)
	next := max(first, 2*span)
	if aside == 1 || p.left == 0 {
		return next
	}
	if lowest != nil && !lowest.known {
		return 0
	}
	share, left := max(fewestPlanned, p.left/int64(aside)), p.left
	for _, w := range above {
		left -= w.records()
	}
	if left <= share {
		return int64(lastHistory/time.Second) + 1
	}
	if lowest != nil && lowest.total > 0 {
		next = min(next, max(first, int64(float64(share)/float64(lowest.records())*float64(span))))
	}
	return next
}

// records is about how many records the window has. Its list also counts those of the two days above it.
func (w *openWindow) records() int64 {
	span := float64(w.Window.To - w.Window.From)
	return max(1, int64(float64(w.total)*span/(span+zoneMargin.Seconds())))
}
