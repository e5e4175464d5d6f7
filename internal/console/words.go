package console

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/runlog"
)

// formatAnyNumber is answer.FormatNumber for pages, which have both kinds.
func formatAnyNumber(n any) string {
	if n, ok := n.(int); ok {
		return answer.FormatNumber(n)
	}
	whole, _ := n.(int64)
	return answer.FormatNumber(whole)
}

func pluralForm[T int | int64](n T, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// formatISO formats a time in UTC; "" for none.
func formatISO(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// formatAgo formats how long ago a time was; "–" for none.
func formatAgo(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.After(now):
		return formatUntil(now, t)
	case now.Sub(t) < time.Minute:
		return "just now"
	}
	return answer.FormatSpan(now.Sub(t)) + " ago"
}

// formatUntil formats the time until a later time.
func formatUntil(now, t time.Time) string {
	switch {
	case t.IsZero():
		return "–"
	case t.Sub(now) < time.Minute:
		return "now"
	}
	return "in " + answer.FormatSpan(t.Sub(now))
}

// formatDuration formats the duration of something that has ended.
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

// formatPercent formats a share. It shows 100 % only for a complete one.
func formatPercent(share float64) string {
	if share < 1 {
		share = min(share, 0.99)
	}
	return fmt.Sprintf("%.0f\u202f%%", math.Floor(100*share))
}

// formatUsed formats the share of a budget that was used; "–" without one.
func formatUsed(share float64) string {
	switch {
	case share < 0:
		return "–"
	case share > 0 && share < 0.01:
		return "< 1\u202f%"
	}
	return fmt.Sprintf("%.0f\u202f%%", 100*share)
}

// shortRunID returns the eight characters that the command line calls a run by, too.
func shortRunID(id string) string { return runlog.ShortRun(id) }

// stateBadge is a state as a shape and a colour, each of which is enough to recognize it.
type stateBadge struct{ Class, Sign, Word string }

// badgeOf returns the badge of a state of a pipeline, a stream or a run.
func badgeOf(state string) stateBadge {
	switch strings.ToLower(state) {
	case "ok", "on time", "fresh":
		return stateBadge{"ok", "●", strings.ToLower(state)}
	case "late":
		return stateBadge{"late", "▲", "late"}
	case "breached":
		return stateBadge{"error", "◆", "breached"}
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

// streamState is the outcome of a stream's last reading if it failed, else its freshness.
func streamState(s runlog.StreamStatus) stateBadge {
	if s.Outcome != "" && s.Outcome != string(runlog.StatusOK) {
		return badgeOf(s.Outcome)
	}
	return badgeOf(cmp.Or(string(s.Freshness), s.Outcome))
}

// formatNullShare formats a share of nulls in percent. A small share is not shown as zero.
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

// breakName lets a long name break behind its underscores, and nowhere else.
func breakName(name string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(name), "_", "_<wbr>"))
}
