package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func loadZone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func mustParse(t testing.TB, spec string, z *time.Location) *Schedule {
	t.Helper()
	s, err := Parse(spec, z)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestT136TimesAroundChangesOfTheClock(t *testing.T) {
	t.Parallel()
	const layout = "2006-01-02 15:04 -0700"
	for _, c := range []struct {
		name, spec, zone, after string
		want                    []string
	}{
		{"a skipped time comes at the first minute after", "30 2 * * *", "Europe/Berlin", "2026-03-28 12:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:30 +0200"}},
		{"several skipped times come once", "0,15,45 2 * * *", "America/New_York", "2026-03-08 01:00 -0500",
			[]string{"2026-03-08 03:00 -0400", "2026-03-09 02:00 -0400"}},
		{"a skipped time and the first minute after are one", "0 2,3 * * *", "Europe/Berlin", "2026-03-29 01:00 +0100",
			[]string{"2026-03-29 03:00 +0200", "2026-03-30 02:00 +0200"}},
		{"a doubled time comes the first time", "30 1 * * *", "America/New_York", "2026-10-31 12:00 -0400",
			[]string{"2026-11-01 01:30 -0400", "2026-11-02 01:30 -0500"}},
		{"asked between the two, it does not come again", "30 1 * * *", "America/New_York", "2026-11-01 01:10 -0500",
			[]string{"2026-11-02 01:30 -0500"}},
		{"every hour goes on through a doubled hour", "30 * * * *", "America/New_York", "2026-11-01 00:45 -0400",
			[]string{"2026-11-01 01:30 -0400", "2026-11-01 01:30 -0500", "2026-11-01 02:30 -0500"}},
		{"every hour does not hurry through a skipped one", "30 * * * *", "Europe/Berlin", "2026-03-29 01:00 +0100",
			[]string{"2026-03-29 01:30 +0100", "2026-03-29 03:30 +0200"}},
		{"midnight does not exist", "0 0 * * *", "America/Santiago", "2026-09-05 12:00 -0400",
			[]string{"2026-09-06 01:00 -0300", "2026-09-07 00:00 -0300"}},
		{"half an hour is skipped", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03 12:00 +1030",
			[]string{"2026-10-04 02:30 +1100", "2026-10-05 02:15 +1100"}},
		{"half an hour is doubled", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04 12:00 +1100",
			[]string{"2026-04-05 01:45 +1100", "2026-04-06 01:45 +1030"}},
		{"winter time is the exception", "30 1 * * *", "Europe/Dublin", "2026-10-24 12:00 +0100",
			[]string{"2026-10-25 01:30 +0100", "2026-10-26 01:30 +0000"}},
		{"the last half hour of a day is skipped", "30 23 * * *", "Asia/Pyongyang", "2018-05-04 12:00 +0830",
			[]string{"2018-05-05 00:00 +0900", "2018-05-05 23:30 +0900"}},
		{"a day that never was", "0 2 * * *", "Pacific/Apia", "2011-12-29 01:00 -1000",
			[]string{"2011-12-29 02:00 -1000", "2011-12-31 02:00 +1400"}},
		{"a month whose day never was", "0 2 30 * *", "Pacific/Apia", "2011-12-29 12:00 -1000",
			[]string{"2011-12-31 00:00 +1400", "2012-01-30 02:00 +1400"}},
		{"a leap day", "0 2 29 2 *", "UTC", "2026-01-01 00:00 +0000", []string{"2028-02-29 02:00 +0000"}},
		{"day of month or of week", "0 2 1 * MON", "UTC", "2026-08-29 00:00 +0000",
			[]string{"2026-08-31 02:00 +0000", "2026-09-01 02:00 +0000", "2026-09-07 02:00 +0000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at, err := time.Parse(layout, c.after)
			if err != nil {
				t.Fatal(err)
			}
			s := mustParse(t, c.spec, loadZone(t, c.zone))
			for i, want := range c.want {
				at = s.Next(at)
				if got := at.Format(layout); got != want {
					t.Fatalf("time %d: got %s, want %s", i, got, want)
				}
			}
		})
	}
}

// Holds: F8.
func TestT136ADailyTimeIsADayApartInEveryZone(t *testing.T) {
	t.Parallel()
	zones := []string{
		"UTC", "Pacific/Pago_Pago", "America/New_York", "America/Santiago", "America/St_Johns", "Atlantic/Azores", "Europe/Dublin",
		"Europe/Berlin", "Africa/Casablanca", "Africa/Cairo", "Asia/Beirut", "Asia/Gaza", "Asia/Kathmandu", "Australia/Lord_Howe",
		"Pacific/Chatham", "Pacific/Kiritimati", "Antarctica/Troll", "America/Nuuk",
	}
	for _, name := range zones {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			z := loadZone(t, name)
			for minute := 0; minute < 24*60; minute += 30 {
				if minute%60 != 0 && minute > 5*60 && minute < 23*60 {
					continue // no clock changes then; once an hour is enough
				}
				checkDailyYear(t, fmt.Sprintf("%d %d * * *", minute%60, minute/60), z)
			}
		})
	}
}

// checkDailyYear checks a year of a line that names one time of day.
func checkDailyYear(t *testing.T, spec string, z *time.Location) {
	t.Helper()
	s := mustParse(t, spec, z)
	first := s.Next(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	last, times := first, 0
	for ; last.Before(first.AddDate(1, 0, 0)); times++ {
		next := s.Next(last)
		if apart := next.Sub(last); apart < 22*time.Hour || apart > 26*time.Hour {
			t.Fatalf("%s: %s and %s are %s apart", spec, last, next, apart)
		}
		last = next
	}
	if times != 365 {
		t.Fatalf("%s: %d times a year", spec, times)
	}
}

// TestNextIsWhatWatchingTheClockGives compares Next with a look at the clock every minute.
func TestNextIsWhatWatchingTheClockGives(t *testing.T) {
	t.Parallel()
	zones := []string{"UTC", "America/New_York", "America/Santiago", "Europe/Berlin", "Asia/Beirut", "Australia/Lord_Howe", "Antarctica/Troll"}
	rapid.Check(t, func(rt *rapid.T) {
		z := loadZone(t, rapid.SampledFrom(zones).Draw(rt, "zone"))
		minutes := rapid.SliceOfNDistinct(rapid.IntRange(0, 59), 1, 4, rapid.ID).Draw(rt, "minutes")
		hours := rapid.SliceOfNDistinct(rapid.IntRange(0, 23), 1, 6, rapid.ID).Draw(rt, "hours")
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 365*24).Draw(rt, "hour")) * time.Hour)
		spec := fmt.Sprintf("%s %s * * *", joinInts(minutes), joinInts(hours))
		s := mustParse(t, spec, z)
		var got []string
		for at := s.Next(start); at.Before(start.Add(5 * 24 * time.Hour)); at = s.Next(at) {
			got = append(got, at.Format(time.RFC3339))
		}
		want := watchClock(start, start.Add(5*24*time.Hour), z, setOf(minutes), setOf(hours))
		if strings.Join(got, "\n") != strings.Join(want, "\n") {
			rt.Fatalf("%s in %s from %s:\ngot  %v\nwant %v", spec, z, start, got, want)
		}
	})
}

func watchClock(from, to time.Time, z *time.Location, minutes, hours map[int]bool) []string {
	var all []string
	seen := wallTime(from.Add(-30 * time.Hour).In(z)) // the latest wall time so far
	for at := from.Add(-30 * time.Hour); at.Before(to); at = at.Add(time.Minute) {
		now := wallTime(at.In(z))
		hit := false
		for f := seen.Add(time.Minute); !f.After(now); f = f.Add(time.Minute) {
			hit = hit || minutes[f.Minute()] && hours[f.Hour()]
		}
		if hit && at.After(from) {
			all = append(all, at.In(z).Format(time.RFC3339))
		}
		seen = laterTime(seen, now)
	}
	return all
}

func setOf(all []int) map[int]bool {
	in := map[int]bool{}
	for _, n := range all {
		in[n] = true
	}
	return in
}

func joinInts(all []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(all), "[]")), ",")
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ spec, want string }{
		{"0 2 * *", "expected exactly 5 fields, found 4"},
		{"0 0 2 * * *", "expected exactly 5 fields, found 6"},
		{"", "expected exactly 5 fields, found 0"},
		{"@daily", "expected exactly 5 fields, found 1"},
		{"CRON_TZ=UTC", "set timezone"}, // the parser would panic
		{"TZ=Europe/Berlin 0 2 * * *", "set timezone"},
		{"0 0 30 2 *", "never matches"},
		{"0 0 31 4,6,9,11 *", "never matches"},
		{"60 * * * *", `"60" is not a valid minute (0-59)`},
		{"0 2 * * 8", `"8" is not a valid weekday (0-7 or SUN-SAT; 0 and 7 are Sunday)`},
		{"a b c d e", `"a" is not a valid minute (0-59)`},
		{"0 2 * * fry", "invalid cron expression"},
		{"*/0 * * * *", "invalid cron expression"},
		{"*-5 * * * *", "invalid cron expression"},
		{", * * * *", "invalid cron expression"},
		{"0 2 -1 * *", "invalid cron expression"},
		{"5-1 * * * *", "invalid cron expression"},
	} {
		t.Run(c.spec, func(t *testing.T) {
			t.Parallel()
			if _, err := Parse(c.spec, time.UTC); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestSundayIsSevenToo(t *testing.T) {
	t.Parallel()
	saturday := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for spec, days := range map[string]string{
		"0 2 * * 7": "Sun Sun", "0 2 * * 5-7": "Sun Fri", "0 2 * * 1,7": "Sun Mon", "0 2 * * 0-7": "Sun Mon",
	} {
		s, err := Parse(spec, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		first := s.Next(saturday)
		if got := first.Format("Mon") + " " + s.Next(first).Format("Mon"); got != days || s.String() != spec {
			t.Errorf("%s: %s, want %s", spec, got, days)
		}
	}
}

func FuzzParseNeverPanics(f *testing.F) {
	for _, spec := range []string{"0 2 * * *", "CRON_TZ=UTC", "*/5 1-3 ? JAN sun", "@every 1h", "0 0 29 2 *"} {
		f.Add(spec)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := Parse(spec, time.UTC)
		if err == nil && !s.Next(at).After(at) {
			t.Fatalf("%q: next is %s", spec, s.Next(at))
		}
	})
}

func TestADailyTimeThatTheClocksSkipIsKnown(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ spec, zone, want string }{
		{"30 2 * * *", "Europe/Berlin", "02:30 03:00"},
		{"0 2 * * 0", "Europe/Berlin", "02:00 03:00"},
		{"30 2 * * 1", "Europe/Berlin", " "}, // never on a Sunday
		{"0 3 * * *", "Europe/Berlin", " "},
		{"59 1 * * *", "Europe/Berlin", " "},
		{"30 2,14 * * *", "Europe/Berlin", " "}, // not daily
		{"30 * * * *", "Europe/Berlin", " "},
		{"30 2 * * *", "UTC", " "},
		{"30 1 * * *", "Europe/Dublin", "01:30 02:00"},
		{"15 2 * * *", "Australia/Lord_Howe", "02:15 02:30"},
		{"0 0 * * *", "America/Santiago", "00:00 01:00"},
	} {
		skipped, instead := mustParse(t, c.spec, loadZone(t, c.zone)).Skipped(from)
		if got := skipped + " " + instead; got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.spec, c.zone, got, c.want)
		}
	}
}
