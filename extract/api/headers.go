package api

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// backoffDelay is the wait before attempt n+1 when the server does not name one: it doubles from half a second. The random
// half keeps streams that failed together from coming back together.
func backoffDelay(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n-1, 10), longestWait)
	return d/2 + rand.N(d/2)
}

// longestWait bounds every wait that an answer asks for: quotas are per minute or shorter, and a header that says more is
// wrong or hostile.
const longestWait = 60 * time.Second

// parseDate reads the server's clock; zero when it is missing or no clock's value.
func parseDate(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil || t.Year() < 2000 || t.Year() > 2100 {
		return time.Time{}
	}
	return t.UTC()
}

// rateQuota is what an answer says about how much may be asked.
type rateQuota struct {
	limit      int64         // requests a window, 0 unknown
	remaining  int64         // of it, -1 unknown
	reset      time.Duration // until the window ends, never below zero
	resetKnown bool          // reset is known
}

// parseQuota reads the rate headers. now is the server's clock where it is known: Reset is a time of the server's, and a
// clock of ours that is wrong by an hour must not make a wait of an hour.
func parseQuota(h http.Header, now time.Time) rateQuota {
	q := rateQuota{remaining: -1}
	if n, ok := intHeader(h, "X-RateLimit-Limit"); ok && n > 0 {
		q.limit = n
	}
	if n, ok := intHeader(h, "X-RateLimit-Remaining"); ok && n >= 0 {
		q.remaining = n
	}
	if n, ok := intHeader(h, "X-RateLimit-Reset"); ok {
		// A minute is the longest window there is: what is further away is no end of one. An end that has just passed is one.
		if d := time.Unix(n, 0).Sub(now); d > -longestWait && d <= 2*longestWait {
			q.reset, q.resetKnown = max(0, d), true
		}
	}
	return q
}

// refusalWait is how long a refused request is asked to wait, never below zero or above longestWait; false when the answer
// does not say.
func refusalWait(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := retryAfter(h, now); ok {
		return d, true
	}
	if q := parseQuota(h, now); q.reset > 0 {
		return min(q.reset, longestWait), true
	}
	return 0, false
}

// retryAfter is the wait that an answer asks for by the header of that name. The end of the quota's window, which every answer
// tells, is no reason to wait for one that failed for another reason.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return min(time.Duration(min(n, 3600))*time.Second, longestWait), true
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, min(t.Sub(now), longestWait)), true
	}
	return 0, false
}

func intHeader(h http.Header, name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(h.Get(name)), 10, 64)
	return n, err == nil
}
