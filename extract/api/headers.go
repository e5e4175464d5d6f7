package api

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// backoffDelay is the wait before attempt n+1 when the server names none. It doubles from half a second; the random half keeps
// streams that failed together from retrying together.
func backoffDelay(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n-1, 10), longestWait)
	return d/2 + rand.N(d/2)
}

// longestWait bounds every wait that an answer asks for. Rate limits are per minute or shorter; a header that asks for more is
// wrong or hostile.
const longestWait = 60 * time.Second

// parseDate reads the Date header; zero when it is absent or implausible.
func parseDate(h http.Header) time.Time {
	t, err := http.ParseTime(h.Get("Date"))
	if err != nil || t.Year() < 2000 || t.Year() > 2100 {
		return time.Time{}
	}
	return t.UTC()
}

// rateQuota is what the headers of an answer say about the rate limit.
type rateQuota struct {
	limit      int64         // requests per window, 0 unknown
	remaining  int64         // requests left in the window, -1 unknown
	reset      time.Duration // until the window ends, never below zero
	resetKnown bool          // the answer has the reset
}

// parseQuota reads the rate limit's headers. now is the server's clock where that is known: X-RateLimit-Reset is a time of the
// server, and a local clock that is wrong by an hour must not cause a wait of an hour.
func parseQuota(h http.Header, now time.Time) rateQuota {
	q := rateQuota{remaining: -1}
	if n, ok := intHeader(h, "X-RateLimit-Limit"); ok && n > 0 {
		q.limit = n
	}
	if n, ok := intHeader(h, "X-RateLimit-Remaining"); ok && n >= 0 {
		q.remaining = n
	}
	if n, ok := intHeader(h, "X-RateLimit-Reset"); ok {
		// No window is longer than a minute: a later end is not plausible. An end that has just passed is.
		if d := time.Unix(n, 0).Sub(now); d > -longestWait && d <= 2*longestWait {
			q.reset, q.resetKnown = max(0, d), true
		}
	}
	return q
}

// refusalWait is how long a refused request (429) must wait: between zero and longestWait; false when the answer does not say.
func refusalWait(h http.Header, now time.Time) (time.Duration, bool) {
	if d, ok := retryAfter(h, now); ok {
		return d, true
	}
	if q := parseQuota(h, now); q.reset > 0 {
		return min(q.reset, longestWait), true
	}
	return 0, false
}

// retryAfter is the wait that the Retry-After header asks for. For failures other than 429 the end of the rate limit's window,
// which every answer has, is no reason to wait.
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
