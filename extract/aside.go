package extract

import "aqueduck/extract/api"

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
