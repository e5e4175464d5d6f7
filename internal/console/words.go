package console

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"aqueduck/internal/runlog"
)

// formatNumber is a whole number as people read it.
func formatNumber[T int | int64](n T) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:] // a narrow space, which does not break
	}
	return s
}

func pluralForm[T int | int64](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// formatISO is a time that has no doubt about it.
func formatISO(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func formatClock(t time.Time) string { return t.Format("15:04") }

// formatAgo is how long ago a time was; "–" for none.
func formatAgo(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.After(now):
		return formatUntil(now, t)
	case now.Sub(t) < time.Minute:
		return "just now"
	}
	return formatSpan(now.Sub(t)) + " ago"
}

// formatUntil is in how long a time comes.
func formatUntil(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.Sub(now) < time.Minute:
		return "now"
	}
	return "in " + formatSpan(t.Sub(now))
}

// formatSpan is a time in its two largest units.
func formatSpan(d time.Duration) string {
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

// formatDuration is how long something took.
func formatDuration(d time.Duration) string {
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

// formatPercent of a share: all of it only when it is all.
func formatPercent(share float64) string {
	if share < 1 {
		share = min(share, 0.99)
	}
	return fmt.Sprintf("%.0f\u202f%%", math.Floor(100*share))
}

// shortRunID is the end of a run's id, which tells those of a page apart.
func shortRunID(id string) string { return "…" + id[max(0, len(id)-6):] }

// stateBadge is a state as a shape and a colour, so that it can be told by either.
type stateBadge struct{ Class, Sign, Word string }

// badgeOf is that of a state that a pipeline, a stream or a run can be in.
func badgeOf(state string) stateBadge {
	switch strings.ToLower(state) {
	case "ok", "on time", "fresh":
		return stateBadge{"ok", "●", strings.ToLower(state)}
	case "late":
		return stateBadge{"late", "▲", "late"}
	case "breached":
		return stateBadge{"error", "◆", "SLA breached"}
	case "error", "interrupted":
		return stateBadge{"late", "◆", strings.ToLower(state)}
	case "act", "failed":
		return stateBadge{"error", "✖", strings.ToLower(state)}
	case "running":
		return stateBadge{"busy", "▶", "running"}
	case "unavailable":
		return stateBadge{"quiet", "⊘", "unavailable"}
	case "unfinished", "killed", "cut":
		return stateBadge{"late", "◐", strings.ToLower(state)}
	}
	return stateBadge{"quiet", "○", cmp.Or(strings.ToLower(state), "–")}
}

func healthBadge(h runlog.Health) stateBadge {
	m := badgeOf(string(h))
	if h == runlog.HealthAct {
		m.Word = "needs action"
	}
	return m
}

// streamState is the worse of how a stream's last reading ended and how old it is.
func streamState(s runlog.StreamStatus) stateBadge {
	if s.Outcome != "" && s.Outcome != string(runlog.StatusOK) {
		return badgeOf(s.Outcome)
	}
	return badgeOf(cmp.Or(string(s.Freshness), s.Outcome))
}

// formatNullShare is a share in percent of which the smallest is still some.
func formatNullShare(percent float64) string {
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
