// Package lane says which tests run, and how large: few trials and no heavy tests in make test, all in make test-all and make torture.
package lane

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// Heavy reports whether tests are to take all of their cases: AQUEDUCK_HEAVY, AQUEDUCK_LONG or AQUEDUCK_TORTURE is set.
func Heavy() bool {
	return os.Getenv("AQUEDUCK_HEAVY") != "" || os.Getenv("AQUEDUCK_LONG") != "" || os.Getenv("AQUEDUCK_TORTURE") != ""
}

// SkipHeavy skips a test, or a case of one, that takes more than some four CPU-seconds, unless Heavy: make test-all runs it, every
// night. make test has another test of each trap, fault and requirement that it holds; numbers_test.go checks that.
func SkipHeavy(t testing.TB) {
	t.Helper()
	if !Heavy() {
		t.Skip("heavy: make test-all runs it, and so does AQUEDUCK_HEAVY=1")
	}
}

// Cases returns how many cases of one kind a test takes: few, or all of them where tests are Heavy.
func Cases(few, all int) int {
	if Heavy() {
		return all
	}
	return few
}

// Trials counts the trials of one test, and logs what they prove when the test ends.
type Trials struct {
	t     testing.TB
	what  string
	least int
	until time.Time // zero: the smallest number of trials is enough
	first uint64
	next  uint64
	done  int
}

// New returns the trials of a test. With AQUEDUCK_TORTURE, a duration as 10m, they go on until it is over; otherwise there are least trials.
// AQUEDUCK_SEED sets the first seed. what names the trials in the log: "runs killed".
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

// HasDeadline reports whether AQUEDUCK_TORTURE is set.
func (l *Trials) HasDeadline() bool { return !l.until.IsZero() }

// HasNext reports whether to make another trial, and moves on to its seed.
func (l *Trials) HasNext() bool {
	if l.t.Failed() || l.done >= l.least && (!l.HasDeadline() || time.Now().After(l.until)) {
		return false
	}
	l.next++
	return true
}

// Seed is the seed of the current trial.
func (l *Trials) Seed() uint64 { return l.next - 1 }

// CountTrials adds n to the number of trials.
func (l *Trials) CountTrials(n int) { l.done += n }

// reportTrials logs the line that make torture reads: the number of trials, the first seed and the bound on the failure rate, or the command that
// repeats a failure.
func (l *Trials) reportTrials() {
	if l.t.Failed() {
		l.t.Logf("lane: AQUEDUCK_SEED=%d go test -tags=duckdb_arrow -run '^%s$' . repeats what failed, in the directory of this package", l.Seed(), l.t.Name())
		return
	}
	if l.done > 0 {
		l.t.Logf("lane: %d %s, seeds from %d on, none failed: %s", l.done, l.what, l.first, FailureBound(l.done))
	}
}

// FailureBound says what n trials without a failure prove about the failure rate, with 95 % confidence.
func FailureBound(n int) string {
	if n <= 3 {
		return "too few to bound anything"
	}
	return fmt.Sprintf("under %.2g %% fail (3/N)", 300/float64(n))
}
