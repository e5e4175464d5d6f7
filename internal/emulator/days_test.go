package emulator

import (
	"testing"
	"time"

	"aqueduck/internal/emulator/event"
)

// Days have other lengths where clocks change, some at midnight (trap T134).
func TestT134DaysBeginWithTheFirstSecondOfTheirDate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"America/Santiago", "Australia/Lord_Howe", "Europe/Dublin", "America/Havana", "Asia/Beirut",
		"Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu", "UTC", "Africa/Cairo"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
		for at := from; at < from+2*365*event.Day; at += 1801 * 3 {
			first, next := event.DayOf(at, zone)
			date := func(s int64) string { return time.Unix(s, 0).In(zone).Format(time.DateOnly) }
			if first > at || next <= at || date(first) != date(at) || date(next-1) != date(at) || date(first-1) >= date(at) || date(next) <= date(at) {
				t.Fatalf("%s: day of %v is %v to %v", name, time.Unix(at, 0).In(zone), time.Unix(first, 0).In(zone), time.Unix(next, 0).In(zone))
			}
		}
	}
}
