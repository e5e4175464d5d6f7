package term

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// JoinFew joins the first names of a list, and says how many more there are.
func JoinFew(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Truncate cuts a text to a length, for a table.
func Truncate(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// OrUnknown formats a number after a prefix; a negative number is "?".
func OrUnknown(n int64, prefix string) string {
	if n < 0 {
		return "?"
	}
	return prefix + Thousands(n)
}

// Duration formats a duration: 11.2s, 4m10s, 7h10m.
func Duration(d time.Duration) string {
	const tenth = 100 * time.Millisecond
	switch {
	case d.Round(tenth) < time.Minute:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d.Round(time.Second) < time.Hour:
		d = d.Round(time.Second)
		return formatUnitPair(d/time.Minute, "m", d%time.Minute/time.Second, "s")
	}
	d = d.Round(time.Minute)
	return formatUnitPair(d/time.Hour, "h", d%time.Hour/time.Minute, "m")
}

func formatUnitPair(large time.Duration, unit string, small time.Duration, smallUnit string) string {
	if small == 0 {
		return fmt.Sprintf("%d%s", large, unit)
	}
	return fmt.Sprintf("%d%s%d%s", large, unit, small, smallUnit)
}

// Count formats a number of things: 1 row, 2 rows.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return Thousands(int64(n)) + " " + thing + "s"
}

// Thousands formats a number with commas between thousands.
func Thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// WithNote joins a prefix and a text; "" when the text is empty.
func WithNote(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// OrDash formats a time as RFC 3339 in UTC; a dash for the zero time.
func OrDash(t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return t.UTC().Format(time.RFC3339)
}

// ShortTime formats a time in its zone for people who look at it now: 03:54 on the same day, 20 Nov 03:54 in the same year, otherwise the date. It
// names a zone other than UTC, and is a dash for the zero time.
func ShortTime(now, t time.Time) string {
	zone := ""
	if _, offset := t.Zone(); offset != 0 {
		zone = t.Format(" MST")
	}
	switch now = now.In(t.Location()); {
	case t.IsZero():
		return "–"
	case t.Format(time.DateOnly) == now.Format(time.DateOnly):
		return t.Format("15:04") + zone
	case t.Year() == now.Year():
		return t.Format("2 Jan 15:04") + zone
	}
	return t.Format(time.DateOnly)
}

// Ago formats how long before now a time was: 5 min ago, 2 h ago, 3 days ago.
func Ago(now, t time.Time) string {
	if now.Sub(t) < time.Minute {
		return "just now"
	}
	return Span(now.Sub(t)) + " ago"
}

// Span formats a span of time in its largest unit: 5 min, 2 h, 3 days.
func Span(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d.Round(time.Minute) < time.Hour:
		return fmt.Sprintf("%d min", d.Round(time.Minute)/time.Minute)
	case d.Round(time.Hour) < 2*day:
		return fmt.Sprintf("%d h", d.Round(time.Hour)/time.Hour)
	}
	return fmt.Sprintf("%d days", d.Round(day)/day)
}

// SpanLeft formats an estimate of the time that is left, no more exact than it is: 40 s, 12 min, 3 h 20 min.
func SpanLeft(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", max(1, d/time.Second))
	case d < time.Hour:
		return fmt.Sprintf("%d min", (d+time.Minute-1)/time.Minute)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// Percent formats a share as a percentage with two significant digits.
func Percent(share float64) string {
	return strconv.FormatFloat(100*share, 'f', max(0, 1-int(math.Floor(math.Log10(100*share)))), 64) + " %"
}
