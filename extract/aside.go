package extract

import "aqueduck/extract/api"

// The number of requests side by side is the number that the pace allows in a second, within these bounds. Other streams then
// wait about a second at most.
const (
	fewestAside = 4
	mostAside   = 32
)

// requestsAside is the number of requests for the parts of one page that are under way at the same time.
func requestsAside(c *api.Client) int {
	return min(mostAside, max(fewestAside, c.RequestsPerSecond()))
}
