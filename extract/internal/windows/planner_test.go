package windows_test

import (
	"fmt"
	"testing"
	"time"

	"aqueduck/extract/internal/envelope"
	"aqueduck/extract/internal/windows"
)

const (
	day   = int64(24 * time.Hour / time.Second)
	aside = 16
)

// history has a number of records on each day. Day 0 is the oldest.
type history []int64

func (h history) between(from, to int64) (records int64) {
	for i, n := range h {
		if at := int64(i) * day; at >= from && at < to {
			records += n
		}
	}
	return records
}

// plan divides the history as a reader does, and returns the true numbers of records of the windows, newest first. The windows
// above those that are read side by side are done when the next one is planned.
func (h history) plan(t *testing.T) (sizes []int64) {
	t.Helper()
	end := int64(len(h)) * day
	p := windows.Planner{Left: h.between(0, end), Oldest: 1}
	var above []windows.Counted
	var seen *windows.Seen
	to, lastSpan := end, int64(0)
	for to > 0 {
		span := p.NextSpan(above, to, lastSpan, aside)
		if span == 0 {
			t.Fatal("no window below counted ones")
		}
		from := max(0, to-span)
		if span > int64(windows.Longest/time.Second) {
			from = 0
		}
		margin := int64(windows.Margin / time.Second)
		above = append(above, windows.Counted{From: from, To: to, Total: h.between(from, to+margin), Known: true, Above: seen})
		sizes = append(sizes, h.between(from, to))
		seen = windows.NewSeen(from)
		seen.Note(h.keys(from+1, from+margin))
		if to, lastSpan = from, to-from; len(above) > aside {
			p.Take(above[0])
			above = above[1:]
		}
	}
	return sizes
}

func (h history) keys(from, to int64) (page []envelope.Peeked) {
	for i, n := range h {
		if at := int64(i) * day; at >= from && at < to {
			for k := range n {
				page = append(page, envelope.Peeked{Key: fmt.Appendf(nil, "%d-%d", i, k), At: at})
			}
		}
	}
	return page
}

// evenHistory is 1,000 days of 400 records.
func evenHistory() history {
	h := make(history, 1000)
	for i := range h {
		h[i] = 400
	}
	return h
}

func TestWindowsGetSmallerTowardsTheEndOfTheHistory(t *testing.T) {
	t.Parallel()
	h := evenHistory()
	sizes := h.plan(t)
	var sum int64
	for _, n := range sizes {
		sum += n
	}
	if sum != 400_000 {
		t.Errorf("windows have %d of 400000 records", sum)
	}
	// A share is 25,000 at first. The least is a quarter of it.
	for i, n := range sizes {
		if n > 26_000 {
			t.Errorf("window %d has %d records: %v", i, n, sizes)
		}
	}
	if last := sizes[len(sizes)-1]; last > 7_000 || len(sizes) > 40 {
		t.Errorf("%d windows, the last has %d records, want at most 40, and 7000: %v", len(sizes), last, sizes)
	}
}

// A fifth of all records changed on one day. The lists of two windows return them where the day lies in the margin between these.
func TestRecordsOfTheMarginCountOnce(t *testing.T) {
	t.Parallel()
	for changed := 200; changed < 800; changed += 7 {
		h := evenHistory()
		h[changed] = 100_000
		sizes := h.plan(t)
		if last := sizes[len(sizes)-1]; last > 13_000 {
			t.Errorf("many changes on day %d: the last window has %d records: %v", changed, last, sizes)
		}
	}
}

func TestWindowWaitsForTheCountAboveIt(t *testing.T) {
	t.Parallel()
	p := windows.Planner{Left: 400_000}
	if got := p.NextSpan([]windows.Counted{{From: 100 * day, To: 114 * day}}, 100*day, 0, aside); got != 0 {
		t.Errorf("a window of %d days was planned without the count of the one above", got/day)
	}
	p.Left = 0 // spans only double
	if got := p.NextSpan([]windows.Counted{{From: 100 * day, To: 114 * day}}, 100*day, 0, aside); got != 28*day {
		t.Errorf("a window of %d days follows one of 14, want 28", got/day)
	}
}
