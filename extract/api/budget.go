package api

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Paces, in requests per second.
const (
	firstPace   = 5.0   // before anything is known
	slowestPace = 0.1   // refusals never reduce it below: the stream would seem to hang
	blindPace   = 160.0 // 10,000 a minute, the highest known rate limit: the upper limit when answers name none
	ourShare    = 0.8   // of the rate limit; the rest is for the workspace's other tools
)

// Budget is a workspace's request budget. Clients that use it one after another share its pace and its pauses. It is safe for
// concurrent use.
type Budget struct{ budget *requestBudget }

// NewBudget returns a budget with an upper limit; 0: learned from the answers, with 20 % left to other tools.
func NewBudget(requestsPerMinute int) *Budget {
	return &Budget{newBudget(requestsPerMinute, time.Time{})} // the zero time makes the first burst available with any clock
}

// LearnedPace is what a Budget has learned about its workspace, to hand over to another process.
type LearnedPace struct {
	Pace   float64   `json:"pace"`   // requests per second; 0: nothing was learned
	Known  float64   `json:"known"`  // our share of the rate limit, requests per second
	Minute bool      `json:"minute"` // the rate limit is per minute
	Until  time.Time `json:"until"`  // no request before
	Slowed time.Time `json:"slowed"` // the last refusal
}

// LearnedPace is what the Budget has learned so far.
func (b *Budget) LearnedPace() LearnedPace {
	b.budget.mu.Lock()
	defer b.budget.mu.Unlock()
	return LearnedPace{b.budget.pace, b.budget.quotaShare, b.budget.minuteWindow, b.budget.pausedUntil, b.budget.lastRefusal}
}

// ResumePace continues with what another Budget of the workspace has learned. That one may have just used up its burst, so the
// first burst counts as used.
func (b *Budget) ResumePace(l LearnedPace) {
	if l.Pace == 0 {
		return
	}
	b.budget.mu.Lock()
	defer b.budget.mu.Unlock()
	b.budget.pace, b.budget.quotaShare, b.budget.minuteWindow, b.budget.pausedUntil, b.budget.lastRefusal = l.Pace, l.Known, l.Minute, l.Until, l.Slowed
	b.budget.burstSpent = true
	b.budget.applyPace(time.Time{})
}

// requestBudget is the pace of all requests to a workspace.
type requestBudget struct {
	ceiling float64 // the configured limit, requests per second; +Inf: none

	mu           sync.Mutex // guards what follows
	limiter      *rate.Limiter
	pace         float64   // now, requests per second
	quotaShare   float64   // our share of the rate limit; 0: no answer has named one
	minuteWindow bool      // a window longer than ten seconds was seen
	pausedUntil  time.Time // no request before
	lastRefusal  time.Time // the last refusal that halved the pace
	burstSpent   bool      // the first request finds no burst left
}

func newBudget(perMinute int, now time.Time) *requestBudget {
	b := &requestBudget{ceiling: math.Inf(1), pace: firstPace}
	if perMinute > 0 {
		b.ceiling = float64(perMinute) / 60
	}
	b.limiter = rate.NewLimiter(1, 1)
	b.applyPace(now)
	return b
}

// waitTurn waits until the next request may be sent.
func (b *requestBudget) waitTurn(ctx context.Context, now func() time.Time, wait func(context.Context, time.Duration) error) error {
	b.mu.Lock()
	t := now()
	if b.burstSpent {
		b.burstSpent = false
		b.limiter.ReserveN(t, b.limiter.Burst())
	}
	turn := t.Add(max(b.limiter.ReserveN(t, 1).DelayFrom(t), b.pauseLeft(t)))
	b.mu.Unlock()
	if d := turn.Sub(now()); d > 0 {
		if err := wait(ctx, d); err != nil {
			return err
		}
		// A refusal during the wait delays the requests that were waiting, too.
		b.mu.Lock()
		d = b.pauseLeft(now())
		b.mu.Unlock()
		if d > 0 {
			if err := wait(ctx, d); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

// learnQuota adapts the pace to the rate limit's headers of an answer. server is the server's clock.
func (b *requestBudget) learnQuota(h http.Header, now, server time.Time) {
	q := parseQuota(h, server)
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.applyPace(now)
	if q.limit == 0 {
		if b.quotaShare == 0 {
			// Grows to about 20 a second after 200 answers, 40 after 800: slowly, because the limit is unknown.
			b.pace = min(b.pace+1/b.pace, blindPace)
		}
		return
	}
	// The rate limit is per ten seconds, unless an end further away was seen or the end is not known: then it is per minute.
	const short, slack = 10 * time.Second, 2 * time.Second
	b.minuteWindow = b.minuteWindow || q.reset > short+slack
	window := short
	if b.minuteWindow || !q.resetKnown {
		window = time.Minute
	}
	first := b.quotaShare == 0
	b.quotaShare = ourShare * float64(q.limit) / window.Seconds()
	b.pace = min(b.pace+b.quotaShare/50, b.quotaShare) // recovers from a refusal within some fifty answers
	if first && b.lastRefusal.IsZero() {
		b.pace = b.quotaShare
	}
	// Other tools use the limit, too: leave them the rest of this window.
	if q.reset > 0 && q.remaining >= 0 && float64(q.remaining) < (1-ourShare)*float64(q.limit) {
		b.pauseUntil(now.Add(min(q.reset, longestWait)))
	}
}

// applyRefusal halves the pace after a 429, and pauses all requests for d.
func (b *requestBudget) applyRefusal(now, sent time.Time, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.applyPace(now)
	b.pauseUntil(now.Add(min(d, longestWait)))
	// Requests that were under way at the same time are refused together: the pace is halved once for them.
	if sent.After(b.lastRefusal) || b.lastRefusal.IsZero() {
		slowest := slowestPace
		if b.quotaShare > 0 {
			slowest = min(slowest, b.quotaShare)
		}
		b.pace = max(b.pace/2, slowest)
		b.lastRefusal = now
	}
}

// currentPace is about how many requests the pace allows in a second.
func (b *requestBudget) currentPace() float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return min(b.pace, b.ceiling)
}

// isUsed reports whether more requests wait than the pace allows in a tenth of a second.
func (b *requestBudget) isUsed(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.limiter.TokensAt(now) < -min(b.pace, b.ceiling)/10
}

// pauseUntil extends the pause. The caller holds mu.
func (b *requestBudget) pauseUntil(until time.Time) {
	if until.After(b.pausedUntil) {
		b.pausedUntil = until
	}
}

// pauseLeft is the rest of the pause. A pause beyond longestWait is dropped: the clock was set back. The caller holds mu.
func (b *requestBudget) pauseLeft(now time.Time) time.Duration {
	if b.pausedUntil.Sub(now) > longestWait {
		b.pausedUntil = time.Time{}
	}
	return b.pausedUntil.Sub(now)
}

// applyPace sets the limiter to the pace. The caller holds mu.
func (b *requestBudget) applyPace(now time.Time) {
	pace := min(b.pace, b.ceiling)
	// A burst of one second makes up for the pause of a commit. The rate is reduced by it, so that no minute has more requests than
	// the pace allows.
	burst := max(1, int(pace))
	b.limiter.SetLimitAt(now, rate.Limit(pace-float64(burst-1)/60))
	b.limiter.SetBurstAt(now, burst)
}
