package schedule

import (
	"testing"
	"time"
)

// TestClockAtSaysHowAClockChangeAffectsATime follows lines over a year of zones that change by an hour, by half an hour, and at midnight.
func TestClockAtSaysHowAClockChangeAffectsATime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		zone, line     string
		skipped, twice string // the days
	}{
		{"Europe/Berlin", "30 2 * * *", "2026-03-29", "2026-10-25"},
		{"Europe/Berlin", "0 2 * * *", "2026-03-29", "2026-10-25"},
		{"Europe/Berlin", "0 3 * * *", "", ""},
		{"Europe/Berlin", "30 * * * *", "", ""}, // spans
		{"Australia/Lord_Howe", "45 1 * * *", "", "2026-04-05"},
		{"Australia/Lord_Howe", "15 2 * * *", "2026-10-04", ""},
		{"America/Havana", "30 0 * * *", "2026-03-08", "2026-11-01"},
		{"Asia/Tokyo", "30 2 * * *", "", ""},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Parse(c.line, zone)
		if err != nil {
			t.Fatal(err)
		}
		var got [3]string
		for at := s.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, zone)); at.Year() == 2026; at = s.Next(at) {
			if k := s.ClockAt(at); k != Plain {
				got[k] += at.Format(time.DateOnly)
			}
		}
		if got[Skipped] != c.skipped || got[Twice] != c.twice {
			t.Errorf("%s in %s: skipped %q, twice %q", c.line, c.zone, got[Skipped], got[Twice])
		}
	}
}
