package stream

import (
	"testing"
	"time"
)

// TestDayGridHasEverySecondOnce goes through years of zones whose clocks do what clocks do: change at midnight, by half an
// hour, skip a day.
// Holds: T134.
func TestDayGridHasEverySecondOnce(t *testing.T) {
	t.Parallel()
	for _, zone := range []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut",
		"America/Havana", "Africa/Cairo", "Pacific/Apia", "Atlantic/Azores", "Asia/Kolkata", "America/Santiago", "Asia/Tehran"} {
		location, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		grid := DayGrid{location}
		at := grid.Begin(2010, 1, 1)
		end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for n := 0; at < end; n++ {
			next := grid.AddDays(at, 1)
			first, last := time.Unix(at, 0).In(location), time.Unix(next-1, 0).In(location)
			if next <= at || !dateOf(first).Equal(dateOf(last)) || dateOf(time.Unix(at-1, 0).In(location)).Equal(dateOf(first)) {
				t.Fatalf("%s: a day from %s to %s", zone, first, last)
			}
			for _, inside := range []int64{at, at + 1, (at + next) / 2, next - 1} {
				if grid.Of(inside) != at {
					t.Fatalf("%s: %s is of the day that begins %s, not %s", zone, time.Unix(inside, 0).In(location), time.Unix(grid.Of(inside), 0).In(location), first)
				}
			}
			if back := grid.AddDays(at-1, 0); n > 0 && grid.Count(back, at) != 1 {
				t.Fatalf("%s: the day before %s begins %s", zone, first, time.Unix(back, 0).In(location))
			}
			at = next
		}
	}
}
