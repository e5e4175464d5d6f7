package stream

import (
	"testing"
	"time"
)

// TestACurveOfRequestsLosesNone: however long a run is, the curve has few points, each request is in one of them, and none is much longer than another.
func TestACurveOfRequestsLosesNone(t *testing.T) {
	t.Parallel()
	began := time.Date(2026, 11, 2, 2, 0, 0, 0, time.UTC)
	for _, seconds := range []int{0, 1, 119, 120, 121, 5_000, 90_000} {
		c := &paceCurve{since: began, every: paceEvery}
		now, sent := began, int64(0)
		for range 2 * seconds {
			now, sent = now.Add(500*time.Millisecond), sent+3
			c.addPoint("main", now, sent, 600)
		}
		sent += 2
		now = now.Add(300 * time.Millisecond)
		var sum int64
		end := began
		longest, shortest := time.Duration(0), time.Hour*24*365
		all := c.pointsUntil("main", now, sent, 600)
		for i, point := range all {
			if !point.From.Equal(end) || point.Budget != 600 || point.Workspace != "main" {
				t.Fatalf("%d seconds: point %d is %+v, and the one before ends at %v", seconds, i, point, end)
			}
			sum, end = sum+point.Requests, point.To
			if length := point.To.Sub(point.From); i < len(all)-1 {
				longest, shortest = max(longest, length), min(shortest, length)
			}
		}
		if sum != sent || !end.Equal(now) || len(all) > mostPoints+1 || longest > 2*shortest {
			t.Errorf("%d seconds: %d of %d requests in %d points of %v to %v, until %v", seconds, sum, sent, len(all), shortest, longest, end)
		}
	}
}
