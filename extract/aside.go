package extract

import "aqueduck/extract/api"

const (
	mostWindows = 16 // windows of the history read side by side
	windowPace  = 8  // requests a second that one window makes: pages, and the rest of nested lists
)

// windowsAside is how many windows are read side by side at the present pace. Where each record is a request of its own, one list
// is enough.
func (r *Reader) windowsAside() int {
	if r.ahead == nil || r.r.Stream.Read.Detail != nil || !r.ahead.wanted() {
		return 1
	}
	return min(mostWindows, max(1, r.c.RequestsPerSecond()/windowPace))
}

// The number of requests side by side is the number that the pace allows in a second, within these bounds. Other streams then
// wait about a second at most. With 32 at most, conversations took 1.31 times as long as 10,000 requests a minute make them, with answers of 200 ms.
const (
	fewestAside = 4
	mostAside   = 64
)

// requestsAside is the number of requests for the parts of one page that are under way at the same time.
func requestsAside(c *api.Client) int {
	return min(mostAside, max(fewestAside, c.RequestsPerSecond()))
}
