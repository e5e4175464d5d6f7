package console

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/answer"
	"aqueduck/load/layout"

	"aqueduck/internal/runlog"
)

// The pictures of this file are SVG text made of numbers and of fixed words. Names from the source are not in them: templates escape those.

// shownRuns is the number of runs in a strip.
const shownRuns = 30

// toTheMinute is the form of times in titles.
const toTheMinute = "2006-01-02 15:04 MST"

// drawRunStrip draws the last runs of a pipeline, the newest on the right. Each is a link with the shape of its outcome.
func drawRunStrip(runs []runlog.PastRun, zone *time.Location) template.HTML {
	const wide, high = 9, 18
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="strip" viewBox="0 0 %d %d" width="%d" height="%d" role="group" aria-label="the last runs">`, shownRuns*wide, high, shownRuns*wide, high)
	runs = runs[:min(len(runs), shownRuns)]
	for i := range shownRuns {
		x := (shownRuns - 1 - i) * wide
		if i >= len(runs) {
			fmt.Fprintf(&b, `<rect class="none" x="%d" y="8" width="3" height="2"/>`, x+3)
			continue
		}
		r := runs[i]
		m := badgeOf(r.Outcome)
		title := fmt.Sprintf("%s, %s, %d rows", r.Started.In(zone).Format(toTheMinute), m.Word, r.Rows)
		if r.CaughtUp {
			title += ", catch-up run"
		}
		fmt.Fprintf(&b, `<a href="/runs/%s"><title>%s</title><rect class="hit" x="%d" y="0" width="%d" height="%d"/>`, template.URLQueryEscaper(r.Run), template.HTMLEscapeString(title), x, wide, high)
		switch m.Class {
		case "ok":
			fmt.Fprintf(&b, `<rect class="ok" x="%d" y="1" width="7" height="16" rx="1.5"/>`, x+1)
		case "error":
			fmt.Fprintf(&b, `<rect class="error faint" x="%d" y="1" width="7" height="16" rx="1.5"/><path class="error" d="M%d 5.5l5 7m0-7l-5 7"/>`, x+1, x+2)
		default:
			fmt.Fprintf(&b, `<rect class="late hollow" x="%d.75" y="1.75" width="5.5" height="14.5" rx="1.5"/>`, x+1)
		}
		if r.CaughtUp {
			fmt.Fprintf(&b, `<path class="caught" d="M%d 13.5h5"/>`, x+2)
		}
		b.WriteString("</a>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// drawSparkline draws the number of rows of the last runs as bars, each above its run in the strip. The heights are square roots: otherwise
// a first run would hide all others.
func drawSparkline(runs []runlog.PastRun) template.HTML {
	const wide, high = 9, 24
	runs = runs[:min(len(runs), shownRuns)]
	most := max(1, maxRows(runs))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="rows of the last runs, at most %d">`, shownRuns*wide, high, shownRuns*wide, high, most)
	for i, r := range runs {
		h := max(1, high*math.Sqrt(float64(r.Rows)/float64(most)))
		fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="7" height="%.1f"/>`, (shownRuns-1-i)*wide+1, high-h, h)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// maxRows returns the rows of the largest run that a strip shows: the value of the highest bar above it.
func maxRows(runs []runlog.PastRun) (most int64) {
	for _, r := range runs[:min(len(runs), shownRuns)] {
		most = max(most, r.Rows)
	}
	return most
}

// runChart shows one measure over the runs of a pipeline, as stacked columns.
type runChart struct {
	Title    string
	Bars     template.HTML
	Values   template.HTML // the axis of values on its left
	From, To time.Time
	Legend   []legendEntry
	Cut      string // value of the highest column, if it is cut off at the top
}

type legendEntry struct{ Class, Word string }

// chartColumn is the column of a run in a chart. Its parts are ordered from the bottom up.
type chartColumn struct {
	run   runlog.PastRun
	parts []columnPart
	label string
}

type columnPart struct {
	class string
	value float64
}

// chartsOf draws rows, duration and requests of the runs of a pipeline. Requests are divided by their answers if the run has a trace.
func chartsOf(dir layout.Dir, runs []runlog.PastRun, zone *time.Location) ([]runChart, error) {
	runs = slices.Clone(runs)
	slices.Reverse(runs)
	if len(runs) == 0 {
		return nil, nil
	}
	var rows, times, requests []chartColumn
	for _, r := range runs {
		length := r.Finished.Sub(r.Started)
		class := "main"
		if r.Outcome == "FAILED" {
			class = "error"
		}
		rows = append(rows, chartColumn{r, []columnPart{{class, float64(r.Rows)}}, answer.FormatNumber(r.Rows) + " rows"})
		times = append(times, chartColumn{r, []columnPart{{class, length.Seconds()}}, formatDuration(length)})
		limited, broken, err := answersOf(dir, r.Run)
		if err != nil {
			return nil, err
		}
		requests = append(requests, chartColumn{r, []columnPart{{"main", float64(r.Requests - limited - broken)}, {"late", float64(limited)}, {"error", float64(broken)}},
			fmt.Sprintf("%s requests, %d answered with 429, %d with 5xx or not answered", answer.FormatNumber(r.Requests), limited, broken)})
	}
	return []runChart{newRunChart("Rows written", "rows", rows, zone, nil), newRunChart("Duration", answer.Seconds, times, zone, nil),
		newRunChart("Requests", "requests", requests, zone, []legendEntry{{"main", "2xx"}, {"late", "429"}, {"error", "5xx"}})}, nil
}

// newRunChart draws columns, with the axis of a measure.
func newRunChart(title, measure string, columns []chartColumn, zone *time.Location, legend []legendEntry) runChart {
	highest, fits := columnHeights(columns)
	ticks := answer.Ticks(measure, fits)
	grid, values := answer.DrawAxis(ticks)
	c := runChart{title, drawColumns(columns, ticks[len(ticks)-1].Value, grid, zone), values, columns[0].run.Started, columns[len(columns)-1].run.Started, legend, ""}
	if highest > fits {
		if c.Cut = answer.FormatNumber(int64(highest)); measure == answer.Seconds {
			c.Cut = formatDuration(time.Duration(highest * float64(time.Second)))
		}
	}
	return c
}

// columnHeights returns the highest column, and the highest that the axis has room for. A first run may have a hundred times the rows of a night: a
// column of more than ten times the median is cut off at the top, because nobody could tell the others apart.
func columnHeights(columns []chartColumn) (highest, fits float64) {
	var sums []float64
	for _, c := range columns {
		if sum := c.sumParts(); sum > 0 {
			sums = append(sums, sum)
		}
	}
	if len(sums) == 0 {
		return 0, 0
	}
	slices.Sort(sums)
	limit := 10 * sums[(len(sums)-1)/2]
	for _, sum := range sums {
		if sum <= limit {
			fits = sum
		}
	}
	return sums[len(sums)-1], fits
}

// answersOf returns how many requests of a run were refused by the rate limit, and how many failed.
func answersOf(dir layout.Dir, run string) (limited, broken int64, err error) {
	t, err := runlog.ReadTrace(dir, run)
	if err != nil || t == nil {
		return 0, 0, err
	}
	for _, s := range t.Streams {
		limited, broken = limited+s.Limited, broken+s.Failed
	}
	return limited, broken, nil
}

func (c chartColumn) sumParts() (sum float64) {
	for _, p := range c.parts {
		sum += p.value
	}
	return sum
}

// drawColumns draws columns into a box with the width of the page; top is the value of its upper edge, where higher columns are cut off.
func drawColumns(columns []chartColumn, top float64, grid template.HTML, zone *time.Location) template.HTML {
	const high, slots = 100.0, 12 // with few runs the columns stay narrow
	n := max(len(columns), slots)
	wide := 600.0 / float64(n)
	var b strings.Builder
	b.WriteString(`<svg class="bars" viewBox="0 0 600 100" preserveAspectRatio="none" role="group" aria-label="one column a run">`)
	b.WriteString(string(grid))
	for i, c := range columns {
		x, y := float64(n-len(columns)+i)*wide, high
		fmt.Fprintf(&b, `<a href="/runs/%s"><title>%s: %s</title><rect class="hit" x="%.2f" y="0" width="%.2f" height="100"/>`,
			template.URLQueryEscaper(c.run.Run), c.run.Started.In(zone).Format(toTheMinute), template.HTMLEscapeString(c.label), x, wide)
		scale := high / max(top, c.sumParts())
		for _, p := range c.parts {
			h := scale * p.value
			if p.value > 0 {
				h = max(h, 1)
			}
			y -= h
			fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, p.class, x+wide*0.1, y, wide*0.8, h)
		}
		if c.sumParts() > top {
			fmt.Fprintf(&b, `<path class="cut" d="M%.2f 14l%.2f -6"/>`, x, wide)
		}
		b.WriteString("</a>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}
