package console

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/internal/runlog"
)

// paceLane is how many requests a minute a workspace was sent over the time of a run, against the budget.
type paceLane struct {
	Workspace string        // "": the run has only one
	Budget    int           // requests per minute at the end
	Most      int64         // requests per minute in the busiest stretch
	Picture   template.HTML // on the time axis of the run
	Values    template.HTML // its axis of values
}

// pacesOf draws a lane for each workspace.
func pacesOf(points []runlog.PacePoint, from time.Time, whole time.Duration) (all []paceLane) {
	var names []string
	for _, p := range points {
		if !slices.Contains(names, p.Workspace) {
			names = append(names, p.Workspace)
		}
	}
	for _, name := range names {
		own := slices.DeleteFunc(slices.Clone(points), func(p runlog.PacePoint) bool { return p.Workspace != name || !p.To.After(p.From) })
		if len(own) == 0 {
			continue
		}
		one := paceLane{Budget: own[len(own)-1].Budget}
		if len(names) > 1 {
			one.Workspace = name
		}
		for _, p := range own {
			one.Most = max(one.Most, int64(math.Round(perMinute(p))))
		}
		one.Picture, one.Values = drawPace(own, from, whole)
		all = append(all, one)
	}
	return all
}

// perMinute is the pace of a stretch.
func perMinute(p runlog.PacePoint) float64 { return float64(p.Requests) / p.To.Sub(p.From).Minutes() }

// farBudget is how many times the pace a budget may be to be drawn: the curve would lie on the ground below a higher one.
const farBudget = 3

// drawPace draws the pace of each stretch as a step, and the budget as a dashed line where it is near.
func drawPace(points []runlog.PacePoint, from time.Time, whole time.Duration) (picture, values template.HTML) {
	most, allowed := 0.0, 0.0
	for _, p := range points {
		most, allowed = max(most, perMinute(p)), max(allowed, float64(p.Budget))
	}
	near := allowed <= farBudget*most
	if near {
		most = max(most, allowed)
	}
	ticks := answer.Ticks("requests", most)
	top := ticks[len(ticks)-1].Value
	grid, values := answer.DrawAxis(ticks)
	x := func(at time.Time) float64 { return max(0, min(1000*float64(at.Sub(from))/float64(whole), 1000)) }
	y := func(n float64) float64 { return 100 * (1 - n/top) }
	var b, pace, budget strings.Builder
	b.WriteString(`<svg class="pace" viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="requests a minute over the time of the run">`)
	b.WriteString(string(grid))
	for i, p := range points {
		step := "L"
		if i == 0 {
			step = "M"
		}
		fmt.Fprintf(&pace, "%s%.1f %.1fH%.1f", step, x(p.From), y(perMinute(p)), x(p.To))
		fmt.Fprintf(&budget, "%s%.1f %.1fH%.1f", step, x(p.From), y(float64(p.Budget)), x(p.To))
	}
	fmt.Fprintf(&b, `<path class="area" d="%sV100H%.1fz"/><path class="line" d="%s"/>`, pace.String(), x(points[0].From), pace.String())
	if near {
		fmt.Fprintf(&b, `<path class="budget" d="%s"/>`, budget.String())
	}
	for _, p := range points {
		fmt.Fprintf(&b, `<g><title>%s requests in %s, %.0f a minute, of %s a minute, from %s on</title><rect class="hit" x="%.1f" y="0" width="%.1f" height="100"/></g>`,
			answer.FormatNumber(p.Requests), formatDuration(p.To.Sub(p.From)), perMinute(p), answer.FormatNumber(p.Budget), formatDuration(p.From.Sub(from)), x(p.From), x(p.To)-x(p.From))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()), values
}
