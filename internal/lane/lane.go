// Package lane gives random tests their size and seeds: few in make test, as many as there is time for in make torture.
package lane

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// Trials is one test's trials. What they prove is said in one line when the test ends.
type Trials struct {
	t     testing.TB
	what  string
	least int
	until time.Time // zero: least is all
	first uint64
	next  uint64
	done  int
}

// New gives a test its lane. AQUEDUCK_TORTURE, a time as 10m, makes it go on until that is over, without it there are least
// trials; AQUEDUCK_SEED is the first one's seed. what names the trials: "runs killed".
func New(t testing.TB, what string, least int) *Trials {
	t.Helper()
	l := &Trials{t: t, what: what, least: least, first: 1, next: 1}
	if text := os.Getenv("AQUEDUCK_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatalf("AQUEDUCK_SEED: %v", err)
		}
		l.first, l.next = seed, seed
	}
	if text := os.Getenv("AQUEDUCK_TORTURE"); text != "" {
		span, err := time.ParseDuration(text)
		if err != nil || span <= 0 {
			t.Fatalf("AQUEDUCK_TORTURE=%q: give a time, as 10m", text)
		}
		l.until = time.Now().Add(span)
		if os.Getenv("AQUEDUCK_SEED") == "" {
			l.first = uint64(time.Now().UnixNano())
			l.next = l.first
		}
	}
	t.Cleanup(l.reportTrials)
	return l
}

// HasDeadline says that the lane was given a time.
func (l *Trials) HasDeadline() bool { return !l.until.IsZero() }

// HasNext says that there is another trial to make, of the next seed.
func (l *Trials) HasNext() bool {
	if l.t.Failed() || l.done >= l.least && (!l.HasDeadline() || time.Now().After(l.until)) {
		return false
	}
	l.next++
	return true
}

// Seed is that of the trial under way.
func (l *Trials) Seed() uint64 { return l.next - 1 }

// CountTrials counts what a trial tried: itself, or the many times that it did.
func (l *Trials) CountTrials(n int) { l.done += n }

// reportTrials is what make torture reads: how many trials, from which seed on, and what it means that none of them failed, or how the one
// that did is repeated.
func (l *Trials) reportTrials() {
	if l.t.Failed() {
		l.t.Logf("lane: AQUEDUCK_SEED=%d go test -tags=duckdb_arrow -run '^%s$' . repeats what failed, in the directory of this package", l.Seed(), l.t.Name())
		return
	}
	if l.done > 0 {
		l.t.Logf("lane: %d %s, seeds from %d on, none failed: %s", l.done, l.what, l.first, FailureBound(l.done))
	}
}

// FailureBound is what n trials without a failure say of the true rate, with 95 % confidence.
func FailureBound(n int) string {
	if n <= 3 {
		return "too few to bound anything"
	}
	return fmt.Sprintf("under %.2g %% fail (3/N)", 300/float64(n))
}
