package verify

import (
	"math"
	"testing"
)

// TestSampleConfidence: three in n where none differs, else the exact bound of the binomial distribution.
func TestSampleConfidence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sampled, differ int64
		whole           bool
		bound           float64
		says            string
	}{
		{1200, 0, false, 0.0025, "0 of 1,200 sampled rows differ: fewer than 0.25 % at 95 % confidence"},
		{100, 1, false, 0.04656, "1 of 100 sampled rows differ: fewer than 4.7 % at 95 % confidence"},
		{1000, 3, false, 0.007737, "3 of 1,000 sampled rows differ: fewer than 0.77 % at 95 % confidence"},
		{2, 0, false, 1, "0 of 2 sampled rows differ: fewer than 100 % at 95 % confidence"},
		{5, 5, false, 1, "5 of 5 sampled rows differ: fewer than 100 % at 95 % confidence"},
		{400, 2, true, 0.015645, "2 of 400 rows differ: all rows were compared"},
		{0, 0, false, 1, "nothing was compared"},
	} {
		got := upperBound(c.sampled, c.differ)
		if math.Abs(got-c.bound) > 0.01*c.bound {
			t.Errorf("%d of %d: under %v, want %v", c.differ, c.sampled, got, c.bound)
		}
		if says := Confidence(c.sampled, c.differ, c.whole, got); says != c.says {
			t.Errorf("%q, want %q", says, c.says)
		}
	}
}
