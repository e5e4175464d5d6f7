package term

import (
	"testing"
	"time"
)

// TestTimesAreShort formats times as a person reads them at 05:54 UTC on 20 November.
func TestTimesAreShort(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 5, 54, 30, 0, time.UTC)
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		at         time.Time
		short, ago string
	}{
		{now.Add(-2 * time.Hour), "03:54", "2 h ago"}, {now.Add(-20 * time.Second), "05:54", "just now"}, {now.Add(-5 * time.Minute), "05:49", "5 min ago"},
		{now.Add(-6 * time.Hour), "19 Nov 23:54", "6 h ago"}, {now.Add(-59*time.Minute - 50*time.Second), "04:54", "1 h ago"}, {now.Add(-72 * time.Hour), "17 Nov 05:54", "3 days ago"},
		{now.Add(-400 * 24 * time.Hour), "2025-10-16", "400 days ago"}, {now.Add(-2 * time.Hour).In(berlin), "04:54 CET", "2 h ago"},
	} {
		if short, ago := ShortTime(now, tt.at), Ago(now, tt.at); short != tt.short || ago != tt.ago {
			t.Errorf("%s is %q and %q, want %q and %q", tt.at, short, ago, tt.short, tt.ago)
		}
	}
	if got := ShortTime(now, time.Time{}); got != "–" {
		t.Errorf("no time is %q", got)
	}
}
