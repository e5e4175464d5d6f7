package api

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"aqueduck/extract/internal/apitest"
)

// pacedAPI simulates an API with a budget: it counts the requests sent while its clock moves by a span.
type pacedAPI struct {
	*apitest.Clock
	b *requestBudget
}

func newPacer(perMinute int) *pacedAPI {
	p := &pacedAPI{Clock: apitest.NewClock()}
	p.b = newBudget(perMinute, noon)
	return p
}

// sendOne sends one request and answers it.
func (p *pacedAPI) sendOne(t testing.TB, h func() http.Header) {
	t.Helper()
	if err := p.b.waitTurn(context.Background(), p.Now, p.Wait); err != nil {
		t.Fatal(err)
	}
	p.b.learnQuota(h(), p.Now(), p.Now().Truncate(time.Second))
}

// countWithin is the number of requests within a span.
func (p *pacedAPI) countWithin(t testing.TB, span time.Duration, h func() http.Header) int {
	t.Helper()
	end := p.Now().Add(span)
	n := 0
	for p.Now().Before(end) {
		p.sendOne(t, h)
		n++
	}
	return n
}

func noHeaders() http.Header { return http.Header{} }

// isWithin reports whether n is between low and high.
func isWithin(n, low, high int) bool { return low <= n && n <= high }

func TestT117PaceBeginsLowAndGrowsWithoutHeaders(t *testing.T) {
	t.Parallel()
	p := newPacer(0)
	if n := p.countWithin(t, time.Second, noHeaders); !isWithin(n, 4, 8) {
		t.Errorf("%d requests in the first second, want about 5", n)
	}
	before := p.countWithin(t, 10*time.Second, noHeaders)
	after := p.countWithin(t, 10*time.Second, noHeaders)
	if after <= before || after > 3*before {
		t.Errorf("%d, then %d requests in ten seconds: want it to grow, and gently", before, after)
	}
	p.b.mu.Lock()
	p.b.pace = 2 * blindPace
	p.b.mu.Unlock()
	if n := p.countWithin(t, 10*time.Second, noHeaders); n > 11*int(blindPace) {
		t.Errorf("%d requests in ten seconds: the pace has no end", n)
	}
}

func TestT117TheConfiguredLimitIsKept(t *testing.T) {
	t.Parallel()
	p := newPacer(60)
	generous := func() http.Header { return limitHeaders(p.Now(), 10_000, 9_999, 9) }
	if n := p.countWithin(t, time.Minute, generous); !isWithin(n, 58, 63) {
		t.Errorf("%d requests in a minute, want 60", n)
	}
}

func TestABurstAfterAPauseStaysWithinTheLimit(t *testing.T) {
	t.Parallel()
	p := newPacer(1000)
	generous := func() http.Header { return limitHeaders(p.Now(), 10_000, 9_999, 9) }
	p.countWithin(t, time.Minute, generous)
	end, n := p.Now().Add(time.Minute), 0
	for p.Now().Before(end) {
		if n++; n%150 == 0 {
			if err := p.Wait(t.Context(), 700*time.Millisecond); err != nil {
				t.Fatal(err)
			}
		}
		p.sendOne(t, generous)
	}
	if !isWithin(n, 950, 1000) {
		t.Errorf("%d requests in a minute with pauses, want at least 95 of 100 of 1000, and no more than those", n)
	}
}

func limitHeaders(now time.Time, limit, remaining, reset int) http.Header {
	h := http.Header{}
	h.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	if reset > 0 {
		h.Set("X-RateLimit-Reset", strconv.FormatInt(now.Unix()+int64(reset), 10))
	}
	return h
}

// windowQuota is a server's rate limit per window of the clock, used by this client and others.
type windowQuota struct {
	p      *pacedAPI
	length int64 // seconds per window
	limit  int
	others int // requests of others per window
	window int64
	used   int
	over   int
	silent bool // no Reset header
}

func (w *windowQuota) quotaHeaders() http.Header {
	now := w.p.Now()
	if n := now.Unix() / w.length; n != w.window {
		w.window, w.used = n, w.others
	}
	if w.used++; w.used > w.limit {
		w.over++
	}
	reset := int(w.length - now.Unix()%w.length)
	if w.silent {
		reset = 0
	}
	return limitHeaders(now, w.limit, max(0, w.limit-w.used), reset)
}

func TestT117PaceIsLearnedAndLeavesAFifthToOthers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		w         windowQuota
		low, high int // requests in ten minutes
	}{
		"windows of ten seconds":        {windowQuota{length: 10, limit: 100}, 4400, 4900},
		"windows of a minute":           {windowQuota{length: 60, limit: 600}, 4400, 4950},
		"a minute, its end not told":    {windowQuota{length: 60, limit: 600, silent: true}, 4400, 4900},
		"ten seconds, busy with others": {windowQuota{length: 10, limit: 100, others: 50}, 1500, 2000},
		"a tiny quota":                  {windowQuota{length: 60, limit: 3}, 15, 32},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPacer(0)
			w := test.w
			w.p = p
			n := p.countWithin(t, 10*time.Minute, w.quotaHeaders)
			if !isWithin(n, test.low, test.high) || w.over > 0 {
				t.Errorf("%d requests in ten minutes, want %d to %d; %d over the quota", n, test.low, test.high, w.over)
			}
		})
	}
}

func TestT117RefusalsHalveThePaceAndItRecovers(t *testing.T) {
	t.Parallel()
	p := newPacer(0)
	generous := func() http.Header { return limitHeaders(p.Now(), 1000, 990, 9) }
	p.countWithin(t, 5*time.Second, generous)
	sent := p.Now()
	for range 8 { // sent at the same time, refused together
		p.b.applyRefusal(p.Now(), sent, 2*time.Second)
	}
	p.b.mu.Lock()
	pace := p.b.pace
	p.b.mu.Unlock()
	if pace < 39 || pace > 41 {
		t.Errorf("pace %f after a refusal at 80, want 40", pace)
	}
	before := p.Now()
	p.sendOne(t, generous)
	if waited := p.Now().Sub(before); waited < 2*time.Second {
		t.Errorf("asked again after %v, the answer said 2s", waited)
	}
	p.countWithin(t, 5*time.Second, generous)
	if n := p.countWithin(t, 10*time.Second, generous); !isWithin(n, 700, 850) {
		t.Errorf("%d requests in ten seconds, want it back at 80 a second", n)
	}
	for range 100 {
		p.Set(p.Now().Add(time.Minute))
		p.b.applyRefusal(p.Now(), p.Now(), 0)
	}
	if n := p.countWithin(t, time.Minute, noHeaders); n < 5 {
		t.Errorf("%d requests in a minute after a hundred refusals", n)
	}
}

func TestT117WaitsAreTakenFromTheAnswer(t *testing.T) {
	t.Parallel()
	date := noon.Format(http.TimeFormat)
	tests := map[string]struct {
		headers  map[string]string
		min, max time.Duration
	}{
		"seconds":             {map[string]string{"Retry-After": "7"}, 7 * time.Second, 8 * time.Second},
		"a date":              {map[string]string{"Retry-After": noon.Add(9 * time.Second).Format(http.TimeFormat)}, 9 * time.Second, 10 * time.Second},
		"a date in the past":  {map[string]string{"Retry-After": noon.Add(-time.Hour).Format(http.TimeFormat)}, 0, 2 * time.Second},
		"a date far away":     {map[string]string{"Retry-After": noon.Add(100 * day).Format(http.TimeFormat)}, time.Minute, 61 * time.Second},
		"too many seconds":    {map[string]string{"Retry-After": "86400"}, time.Minute, 61 * time.Second},
		"negative":            {map[string]string{"Retry-After": "-5"}, 0, 2 * time.Second},
		"nonsense":            {map[string]string{"Retry-After": "soon"}, 0, 2 * time.Second},
		"reset":               {map[string]string{"X-RateLimit-Reset": strconv.FormatInt(noon.Unix()+6, 10)}, 6 * time.Second, 7 * time.Second},
		"reset in the past":   {map[string]string{"X-RateLimit-Reset": strconv.FormatInt(noon.Unix()-60, 10)}, 0, 2 * time.Second},
		"reset next year":     {map[string]string{"X-RateLimit-Reset": strconv.FormatInt(noon.Unix()+365*86400, 10)}, 0, 2 * time.Second},
		"reset in ms":         {map[string]string{"X-RateLimit-Reset": strconv.FormatInt(noon.UnixMilli(), 10)}, 0, 2 * time.Second},
		"nothing":             {nil, 0, 2 * time.Second},
		"no limit at all":     {map[string]string{"X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "-3"}, 0, 2 * time.Second},
		"seconds before date": {map[string]string{"Retry-After": "3", "X-RateLimit-Reset": strconv.FormatInt(noon.Unix()+30, 10)}, 3 * time.Second, 4 * time.Second},
	}
	for name, test := range tests {
		for _, skew := range []time.Duration{0, 24 * time.Hour, -24 * time.Hour} {
			t.Run(name+" "+skew.String(), func(t *testing.T) {
				t.Parallel()
				var mu sync.Mutex
				n := 0
				a := serveAPI(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
					mu.Lock()
					defer mu.Unlock()
					w.Header().Set("Date", date)
					if n++; n > 1 {
						apitest.Reply(w, `{"data":[]}`)
						return
					}
					for k, v := range test.headers {
						w.Header().Set(k, v)
					}
					apitest.Reply(w, "429 ")
				})
				c := a.newClient(t, func(o *Options) { o.Now = func() time.Time { return a.Clock.Now().Add(skew) } })
				before := a.Clock.Now()
				if _, err := askFirst(c); err != nil {
					t.Fatal(err)
				}
				if waited := a.Clock.Now().Sub(before); waited < test.min || waited > test.max {
					t.Errorf("waited %v, want %v to %v", waited, test.min, test.max)
				}
			})
		}
	}
}

func TestBackoffGrowsAndEnds(t *testing.T) {
	t.Parallel()
	for n := 1; n < 100; n++ {
		if d := backoffDelay(n); d <= 0 || d > longestWait || n < 5 && d > 10*time.Second {
			t.Errorf("wait %d is %v", n, d)
		}
	}
}

// Holds: T117.
func FuzzHeadersBoundWaits(f *testing.F) {
	f.Add("7", "100", "3", "1773144010", noon.Unix())
	f.Add("Tue, 10 Mar 2026 12:00:30 GMT", "-1", "", "99999999999999999999", int64(0))
	f.Add("-9223372036854775808", "9223372036854775807", "9223372036854775807", "-9223372036854775808", int64(1)<<62)
	f.Fuzz(func(t *testing.T, retry, limit, remaining, reset string, now int64) {
		h := http.Header{"Retry-After": {retry}, "X-Ratelimit-Limit": {limit}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset}, "Date": {retry}}
		at := time.Unix(now, 0)
		if d, ok := refusalWait(h, at); d < 0 || d > longestWait || !ok && d != 0 {
			t.Errorf("a wait of %v", d)
		}
		if q := parseQuota(h, at); q.limit < 0 || q.remaining < -1 || q.reset < 0 || q.reset > 2*longestWait {
			t.Errorf("quota %+v", q)
		}
		if d := parseDate(h); !d.IsZero() && (d.Year() < 2000 || d.Year() > 2100) {
			t.Errorf("date %v", d)
		}
		b := newBudget(0, noon)
		b.learnQuota(h, noon, at)
		b.applyRefusal(noon, noon, time.Duration(now))
		if hold := b.pausedUntil.Sub(noon); hold > longestWait || b.pace <= 0 {
			t.Errorf("holds for %v at %f a second", hold, b.pace)
		}
	})
}

// sharedQuota is a server's rate limit per window of the clock. It refuses requests above the limit.
type sharedQuota struct {
	mu                  sync.Mutex // guards what follows
	limit, used, window int
	refused             int
	silent              bool // answers have no rate limit headers, refusals only Retry-After
}

// answerOne takes one request, and says whether it was refused, with the headers of the answer.
func (s *sharedQuota) answerOne(now time.Time, seconds int) (ok bool, h http.Header) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := int(now.Unix()) / seconds; n != s.window {
		s.window, s.used = n, 0
	}
	reset := seconds - int(now.Unix())%seconds
	if s.used >= s.limit {
		s.refused++
		return false, http.Header{"Retry-After": {strconv.Itoa(reset)}}
	}
	s.used++
	if s.silent {
		return true, noHeaders()
	}
	return true, limitHeaders(now, s.limit, s.limit-s.used, reset)
}

// TestT117ProcessesThatShareAWorkspaceStayWithinItsQuota, although they know of each other only by the answers: few of their
// requests are refused, and each process gets its share.
func TestT117ProcessesThatShareAWorkspaceStayWithinItsQuota(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seconds, limit, processes int
		silent                    bool
		most                      float64 // share of its requests that may be refused
	}{
		"two, ten seconds": {10, 100, 2, false, 0.01}, "two, a minute": {60, 600, 2, false, 0.01}, "three, a low one": {10, 30, 3, false, 0.01},
		"four, a minute": {60, 300, 4, false, 0.01}, "two, which are not told": {10, 100, 2, true, 0.1}, "four, which are not told": {60, 300, 4, true, 0.1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				const lived = 10 * time.Minute
				s, end := &sharedQuota{limit: c.limit, silent: c.silent}, time.Now().Add(lived)
				read := make([]int, c.processes)
				var all sync.WaitGroup
				for p := range read {
					b, mu := newBudget(0, time.Now()), &sync.Mutex{}
					for range 3 { // streams are read side by side
						all.Go(func() {
							for time.Now().Before(end) {
								if b.waitTurn(t.Context(), time.Now, sleepContext) != nil {
									return
								}
								sent := time.Now()
								_ = sleepContext(t.Context(), 120*time.Millisecond) // duration of an answer
								ok, h := s.answerOne(time.Now(), c.seconds)
								if !ok {
									wait, _ := refusalWait(h, time.Now())
									b.applyRefusal(time.Now(), sent, wait)
									continue
								}
								b.learnQuota(h, time.Now(), time.Now())
								mu.Lock()
								read[p]++
								mu.Unlock()
							}
						})
					}
				}
				all.Wait()
				quota, sum := c.limit*int(lived.Seconds())/c.seconds, 0
				for _, n := range read {
					sum += n
				}
				t.Logf("of %d allowed requests %v were answered, %d refused", quota, read, s.refused)
				if float64(s.refused) > c.most*float64(sum) || sum*2 < quota {
					t.Errorf("of %d allowed requests %d were answered, %d refused", quota, sum, s.refused)
				}
				for _, n := range read {
					if n*c.processes*3 < sum {
						t.Errorf("one had %d of %d", n, sum)
					}
				}
			})
		})
	}
}

// TestABudgetOutlivesItsClients: the next client keeps to what one has used and to its refusals. A clock that was set back delays
// nobody for long.
func TestABudgetOutlivesItsClients(t *testing.T) {
	t.Parallel()
	shared := NewBudget(60)
	now := noon
	clock := func() time.Time { return now }
	wait := func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }
	for range 5 {
		c, err := New(Options{BaseURL: "https://api.example.com", Token: "t", Version: "2.17", Budget: shared, Now: clock, Wait: wait})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := c.budget.waitTurn(t.Context(), clock, wait); err != nil {
				t.Fatal(err)
			}
		}
		c.Close()
	}
	if took := now.Sub(noon); took < 8900*time.Millisecond || took > 9100*time.Millisecond {
		t.Errorf("ten requests at one a second took %s", took)
	}
	shared.budget.applyRefusal(now, now, time.Hour)
	now = now.Add(-365 * 24 * time.Hour)
	before := now
	if err := shared.budget.waitTurn(t.Context(), clock, wait); err != nil || now.Sub(before) > longestWait {
		t.Errorf("after the clock was set back it waited %s, %v", now.Sub(before), err)
	}
}

// TestT117ABudgetGoesOnInAnotherProcess: the other process begins with the learned pace, and both together keep to the limit per
// minute.
func TestT117ABudgetGoesOnInAnotherProcess(t *testing.T) {
	t.Parallel()
	p := newPacer(600)
	next := func() {
		from := &Budget{p.b}
		to := NewBudget(600)
		to.ResumePace(from.LearnedPace())
		p.b = to.budget
	}
	p.countWithin(t, 5*time.Minute, noHeaders)
	learned := p.b.pace
	n := 0
	for range 6 {
		next()
		n += p.countWithin(t, 10*time.Second, noHeaders)
	}
	if !isWithin(n, 560, 601) || p.b.pace < learned {
		t.Errorf("%d requests in a minute of six processes, want 600; the pace was %.1f and is %.1f", n, learned, p.b.pace)
	}
	p.b.applyRefusal(p.Now(), p.Now(), time.Minute)
	next()
	before := p.Now()
	if p.sendOne(t, noHeaders); p.Now().Sub(before) < time.Minute {
		t.Errorf("it asked %s after a refusal, want a minute", p.Now().Sub(before))
	}
	fresh := NewBudget(0)
	fresh.ResumePace(LearnedPace{})
	if fresh.budget.pace != firstPace || fresh.budget.burstSpent {
		t.Errorf("nothing was learned, and it begins with %+v", fresh.LearnedPace())
	}
}
