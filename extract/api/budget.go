package api

import (
	"context"
	"math"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// The pace of requests, in requests a second.
const (
	firstPace   = 5.0   // before anything is known
	slowestPace = 0.1   // refusals alone never bring it below: the workspace would look dead
	blindPace   = 160.0 // 10,000 a minute, the highest quota known: where growth ends when the answers name no limit
	ourShare    = 0.8   // of what the answers allow; the rest is for the workspace's other tools
)

// Budget is a workspace's allowance of requests, for Clients that ask it one after another: what one has used and learned the next
// keeps to. It is safe for concurrent use.
type Budget struct{ budget *requestBudget }

// NewBudget gives a budget with a ceiling; 0: learned from the answers, leaving 20 % to others.
func NewBudget(requestsPerMinute int) *Budget {
	return &Budget{newBudget(requestsPerMinute, time.Time{})} // full at first, whatever the clock
}

// LearnedPace is what a Budget knows of its workspace, for one of another process.
type LearnedPace struct {
	Pace   float64   `json:"pace"`   // requests a second; 0: nothing was learned
	Known  float64   `json:"known"`  // of what the answers allow
	Minute bool      `json:"minute"` // that is told by the minute
	Until  time.Time `json:"until"`  // nobody asks before
	Slowed time.Time `json:"slowed"` // when the workspace last refused
}

// LearnedPace is what the Budget knows by now.
func (b *Budget) LearnedPace() LearnedPace {
	b.budget.mu.Lock()
	defer b.budget.mu.Unlock()
	return LearnedPace{b.budget.pace, b.budget.quotaShare, b.budget.minuteWindow, b.budget.pausedUntil, b.budget.lastRefusal}
}

// ResumePace goes on from what another Budget of the workspace has learned. That one may have just spent what there was: nothing is sent at once.
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

// requestBudget is the workspace's allowance of requests, shared by everything that asks it.
type requestBudget struct {
	ceiling float64 // what the operator allows; +Inf when he does not say

	mu           sync.Mutex // guards what follows
	limiter      *rate.Limiter
	pace         float64   // where it is
	quotaShare   float64   // our share of what the answers allow; 0 until they say
	minuteWindow bool      // a window longer than ten seconds was seen
	pausedUntil  time.Time // nobody asks before
	lastRefusal  time.Time // the last refusal that counted
	burstSpent   bool      // what may be sent at once was, when the first asks
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

// waitTurn waits for its turn.
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
		// A refusal that came meanwhile holds back those who were waiting already.
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

// learnQuota takes from an answer what it says about the pace. server is the server's clock.
func (b *requestBudget) learnQuota(h http.Header, now, server time.Time) {
	q := parseQuota(h, server)
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.applyPace(now)
	if q.limit == 0 {
		if b.quotaShare == 0 {
			// About twenty more a second after 200 answers, forty after 800: slow enough to meet a hidden limit gently.
			b.pace = min(b.pace+1/b.pace, blindPace)
		}
		return
	}
	// The quota is one of ten seconds, unless its end was seen further away, or is not told: then of a minute.
	const short, slack = 10 * time.Second, 2 * time.Second
	b.minuteWindow = b.minuteWindow || q.reset > short+slack
	window := short
	if b.minuteWindow || !q.resetKnown {
		window = time.Minute
	}
	first := b.quotaShare == 0
	b.quotaShare = ourShare * float64(q.limit) / window.Seconds()
	b.pace = min(b.pace+b.quotaShare/50, b.quotaShare) // back from a refusal within some fifty answers
	if first && b.lastRefusal.IsZero() {
		b.pace = b.quotaShare
	}
	// Others are asking too: what is left of this window is theirs.
	if q.reset > 0 && q.remaining >= 0 && float64(q.remaining) < (1-ourShare)*float64(q.limit) {
		b.pauseUntil(now.Add(min(q.reset, longestWait)))
	}
}

// applyRefusal halves the pace, and keeps everybody from asking for the time d.
func (b *requestBudget) applyRefusal(now, sent time.Time, d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.applyPace(now)
	b.pauseUntil(now.Add(min(d, longestWait)))
	// Requests that were under way together are refused together: that is one refusal.
	if sent.After(b.lastRefusal) || b.lastRefusal.IsZero() {
		slowest := slowestPace
		if b.quotaShare > 0 {
			slowest = min(slowest, b.quotaShare)
		}
		b.pace = max(b.pace/2, slowest)
		b.lastRefusal = now
	}
}

// perSecond is about how many requests the pace allows in a second.
func (b *requestBudget) perSecond() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return int(min(b.pace, b.ceiling))
}

// pauseUntil is called with mu held.
func (b *requestBudget) pauseUntil(until time.Time) {
	if until.After(b.pausedUntil) {
		b.pausedUntil = until
	}
}

// pauseLeft is how long nobody asks yet. Nobody is held longer than longestWait: the clock was set back. It is called with mu held.
func (b *requestBudget) pauseLeft(now time.Time) time.Duration {
	if b.pausedUntil.Sub(now) > longestWait {
		b.pausedUntil = time.Time{}
	}
	return b.pausedUntil.Sub(now)
}

// applyPace is called with mu held.
func (b *requestBudget) applyPace(now time.Time) {
	pace := min(b.pace, b.ceiling)
	// A second's worth at once makes up for the pause of a commit. No minute has more requests for it than the pace allows.
	burst := max(1, int(pace))
	b.limiter.SetLimitAt(now, rate.Limit(pace-float64(burst-1)/60))
	b.limiter.SetBurstAt(now, burst)
}
