package console

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"aqueduck/internal/runlog"
)

// number is a whole number as people read it.
func number[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:] // a narrow space, which does not break
	}
	return s
}

func plural[T int | int64](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// iso is a time that has no doubt about it.
func iso(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func clock(t time.Time) string { return t.Format("15:04") }

// ago is how long ago a time was; "–" for none.
func ago(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.After(now):
		return until(now, t)
	case now.Sub(t) < time.Minute:
		return "just now"
	}
	return span(now.Sub(t)) + " ago"
}

// until is in how long a time comes.
func until(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.Sub(now) < time.Minute:
		return "now"
	}
	return "in " + span(t.Sub(now))
}

// span is a time in its two largest units.
func span(d time.Duration) string {
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

// took is how long something took.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
}

// percent of a share: all of it only when it is all.
func percent(share float64) string {
	if share < 1 {
		share = min(share, 0.99)
	}
	return fmt.Sprintf("%.0f\u202f%%", math.Floor(100*share))
}

// short is the end of a run's id, which tells those of a page apart.
func short(id string) string { return "…" + id[max(0, len(id)-6):] }

// mark is a state as a shape and a colour, so that it can be told by either.
type mark struct{ Class, Sign, Word string }

// shape is that of a state that a pipeline, a stream or a run can be in.
func shape(state string) mark {
	switch strings.ToLower(state) {
	case "ok", "on time", "fresh":
		return mark{"ok", "●", strings.ToLower(state)}
	case "late":
		return mark{"late", "▲", "late"}
	case "breached":
		return mark{"error", "◆", "much too old"}
	case "error", "interrupted":
		return mark{"late", "◆", strings.ToLower(state)}
	case "act", "failed":
		return mark{"error", "✖", strings.ToLower(state)}
	case "running":
		return mark{"busy", "▶", "running"}
	case "unavailable":
		return mark{"quiet", "⊘", "unavailable"}
	case "unfinished", "killed", "cut":
		return mark{"late", "◐", strings.ToLower(state)}
	}
	return mark{"quiet", "○", cmp.Or(strings.ToLower(state), "–")}
}

func state(h runlog.Health) mark {
	m := shape(string(h))
	if h == runlog.HealthAct {
		m.Word = "needs you"
	}
	return m
}

// streamState is the worse of how a stream's last reading ended and how old it is.
func streamState(s runlog.StreamStatus) mark {
	if s.Outcome != "" && s.Outcome != string(runlog.StatusOK) {
		return shape(s.Outcome)
	}
	return shape(cmp.Or(string(s.Freshness), s.Outcome))
}

// nulls is a share in percent of which the smallest is still some.
func nulls(percent float64) string {
	switch {
	case percent == 0:
		return "–"
	case percent < 1:
		return "< 1\u202f%"
	case percent > 99 && percent < 100:
		return "> 99\u202f%"
	}
	return fmt.Sprintf("%.0f\u202f%%", percent)
}
