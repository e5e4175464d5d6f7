package answer

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"
)

// FormatNumber formats a whole number with spaces between thousands.
func FormatNumber[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:] // a narrow space, which does not break
	}
	return s
}

// FormatSpan formats a duration in its two largest units.
func FormatSpan(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 10*time.Hour && d%time.Hour >= time.Minute:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/day)
}

// FormatValue formats a value for people.
func FormatValue(v any) string {
	switch n := v.(type) {
	case nil:
		return "–"
	case int64:
		return FormatNumber(n)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return FormatNumber(int64(n))
		}
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
	case time.Time:
		return n.UTC().Format("2006-01-02 15:04:05 UTC")
	case json.RawMessage:
		return string(n)
	}
	return fmt.Sprint(v)
}

// units are the words in names of columns that say in which unit its numbers are, with the length of one.
var units = []struct {
	word   string
	length time.Duration
}{{"seconds", time.Second}, {"minutes", time.Minute}, {"hours", time.Hour}, {"days", 24 * time.Hour}}

// formatMeasure formats a value as people write it, by the unit in the name of its column: a share with a percent sign, a time in its largest units.
func formatMeasure(column string, v any) string {
	n, ok := asNumber(v)
	length := unitOf(column)
	switch {
	case !ok:
		return FormatValue(v)
	case strings.HasPrefix(column, "percent"):
		return FormatValue(n) + "\u202f%"
	case length != 0:
		return formatTime(time.Duration(math.Round(n * float64(length))))
	}
	return FormatValue(v)
}

// unitOf gives the length of one of the unit in the name of a column; 0 without one.
func unitOf(column string) time.Duration {
	words := strings.Split(column, "_")
	for _, u := range units {
		if len(words) > 1 && slices.Contains(words, u.word) {
			return u.length
		}
	}
	return 0
}

// formatTime formats a measured time: seconds below a minute, and days with a fraction from two days on.
func formatTime(d time.Duration) string {
	switch size := d.Abs(); {
	case d == 0:
		return "0"
	case d < 0:
		return "−" + formatTime(size)
	case size < time.Minute:
		return FormatValue(math.Round(10*size.Seconds())/10) + " s"
	case size < time.Hour:
		return FormatValue(math.Round(10*size.Minutes())/10) + " min"
	case size < 48*time.Hour:
		return FormatSpan(size.Round(time.Minute))
	}
	return FormatValue(math.Round(10*d.Hours()/24)/10) + " days"
}

// asDate returns the day that a value is, or the first day of the month that it is.
func asDate(v any) (time.Time, bool) {
	s, _ := v.(string)
	for _, form := range []string{time.DateOnly, "2006-01"} {
		if at, err := time.Parse(form, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func asNumber(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case int32:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n)
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	}
	return 0, false
}
