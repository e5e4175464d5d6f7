package schedule

import (
	"context"
	"slices"
	"testing"
	"time"
)

// years are forty zones, each with a year of unusual clock changes: by half an hour, one or two hours; at two at night, at
// midnight, or on another day than planned; zones that begin or end summer time; zones that skip a day.
var years = map[string]int{
	"UTC": 2024, "Europe/Berlin": 2026, "Europe/London": 2026, "Europe/Dublin": 2026, "Europe/Lisbon": 2026, "Europe/Istanbul": 2016,
	"Europe/Chisinau": 2026, "Europe/Volgograd": 2020, "Atlantic/Azores": 2026, "Africa/Casablanca": 2026, "Africa/Cairo": 2023, "Africa/Juba": 2021,
	"Asia/Beirut": 2026, "Asia/Gaza": 2026, "Asia/Amman": 2022, "Asia/Tehran": 2022, "Asia/Kathmandu": 2026, "Asia/Kolkata": 2026, "Asia/Tokyo": 2026,
	"Asia/Pyongyang": 2015, "America/New_York": 2026, "America/Los_Angeles": 2026, "America/St_Johns": 2026, "America/Havana": 2026, "America/Santiago": 2026,
	"America/Asuncion": 2024, "America/Sao_Paulo": 2018, "America/Mexico_City": 2022, "America/Caracas": 2016, "America/Nuuk": 2023,
	"America/Scoresbysund": 2024, "Antarctica/Troll": 2026, "Australia/Lord_Howe": 2026, "Australia/Adelaide": 2026, "Pacific/Auckland": 2026,
	"Pacific/Chatham": 2026, "Pacific/Norfolk": 2019, "Pacific/Apia": 2011, "Pacific/Fakaofo": 2011, "Pacific/Kiritimati": 1994,
}

// calendarDays are the dates that a zone's calendar has from one instant to another.
func calendarDays(z *time.Location, from, to time.Time) (all []string) {
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		if day := at.In(z).Format(time.DateOnly); len(all) == 0 || day != all[len(all)-1] {
			all = append(all, day)
		}
	}
	slices.Sort(all) // a clock that is set back at midnight repeats the day before
	return slices.Compact(all)
}

// TestF8AYearInFortyZonesHasOneRunEachDay simulates a year of a nightly job in each zone at one time of day, and asks Next for
// other times: each day of the calendar has one run.
func TestF8AYearInFortyZonesHasOneRunEachDay(t *testing.T) {
	t.Parallel()
	if len(years) != 40 {
		t.Fatalf("%d zones", len(years))
	}
	lines := []string{"0 2 * * *", "30 2 * * *", "0 0 * * *", "30 0 * * *", "30 1 * * *", "15 2 * * *", "30 23 * * *", "0 3 * * *"}
	for name, year := range years {
		lived := lines[len(name)%3]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z := loadZone(t, name)
			from, to := time.Date(year, 1, 1, 0, 0, 0, 0, z), time.Date(year+1, 1, 2, 0, 0, 0, 0, z)
			want := calendarDays(z, from, to)
			for _, line := range lines {
				var got []string
				s := mustParse(t, line, z)
				for at := s.Next(from.Add(-time.Nanosecond)); at.Before(to); at = s.Next(at) {
					got = append(got, at.Format(time.DateOnly))
				}
				onceEach(t, line, got, want)
			}
			if !testing.Short() { // half a million steps of the clock
				onceEach(t, "a job at "+lived, runYear(t, lived, from, to), want)
			}
		})
	}
}

// runYear runs a job on a clock that its waiting moves, and gives the days on which it ran.
func runYear(t *testing.T, line string, from, to time.Time) (ran []string) {
	t.Helper()
	now := from.Add(-time.Minute)
	job := Job{Name: "nightly", Schedule: mustParse(t, line, from.Location()), CatchUp: true,
		Skipped: func(at time.Time) { t.Errorf("%s was left out", at) }, Run: func(context.Context, bool) {
			ran = append(ran, now.In(from.Location()).Format(time.DateOnly))
			now = now.Add(20 * time.Minute)
		}}
	Run(t.Context(), []Job{job}, func() time.Time { return now }, func(_ context.Context, d time.Duration) error {
		if now = now.Add(d); !now.Before(to) {
			return context.Canceled
		}
		return nil
	})
	return ran
}

func onceEach(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i, day := range got {
		if i > 0 && day == got[i-1] {
			t.Errorf("%s: twice on %s", what, day)
		}
	}
	for _, day := range want {
		if !slices.Contains(got, day) {
			t.Errorf("%s: not on %s", what, day)
		}
	}
}
