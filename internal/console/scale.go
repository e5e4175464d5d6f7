package console

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
)

// valueScale is the range of a drawn column. It contains 0: bars above it rise, bars below it fall.
type valueScale struct{ least, most float64 }

// scaleOf gives the range of a column of an answer.
func scaleOf(a *queryResult, column int) (s valueScale) {
	for _, row := range a.Rows {
		if n, ok := asNumber(row[column]); ok {
			s.least, s.most = min(s.least, n), max(s.most, n)
		}
	}
	return s
}

func (s valueScale) span() float64 { return s.most - s.least }

// place gives where a value's bar begins and how long it is, both as shares of the scale from its least value.
func (s valueScale) place(n float64) (begin, length float64) {
	return (min(n, 0) - s.least) / s.span(), math.Abs(n) / s.span()
}

// drawBar draws the bar of a value in its row of the table.
func (s valueScale) drawBar(n float64) template.HTML {
	begin, length := s.place(n)
	return template.HTML(fmt.Sprintf(`<svg class="inbar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="main%s" x="%.1f" width="%.1f" height="10"/></svg>`,
		fallen(n), 100*begin, 100*length))
}

// series is a column of an answer as a picture: one bar a row, the oldest on the left, and two axes.
type series struct {
	Bars, Values, Rows template.HTML // the picture, the axis of values on its left, and the axis of rows below it
}

// drawSeries draws a bar for each row. The title of a row's whole height is its value, so it shows wherever the pointer is.
func drawSeries(a *queryResult, column int) series {
	name, steps := a.Columns[column], scaleOf(a, column).axis(a, column)
	s, rows := steps.scale, oldestFirst(a.Rows)
	wide := 600 / float64(len(rows))
	var bars, values strings.Builder
	fmt.Fprintf(&bars, `<svg class="bars" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label="%s: one column a row of the table">`, template.HTMLEscapeString(name))
	for _, tick := range steps.ticks {
		y := 100 * (s.most - tick) / s.span()
		class := "grid"
		if tick == 0 {
			class = "zero"
		}
		fmt.Fprintf(&bars, `<line class="%s" x1="0" x2="600" y1="%[2]g" y2="%[2]g"/>`, class, y)
		fmt.Fprintf(&values, `<text x="100%%" y="%g%%" dy=".32em" text-anchor="end">%s</text>`, y, template.HTMLEscapeString(formatMeasure(name, tick)))
	}
	for i, row := range rows {
		x := float64(i) * wide
		fmt.Fprintf(&bars, `<g><title>%s: %s</title><rect class="hit" x="%.2f" y="0" width="%.2f" height="100"/>`, template.HTMLEscapeString(formatValue(row[0])),
			template.HTMLEscapeString(formatMeasure(name, row[column])), x, wide)
		if n, ok := asNumber(row[column]); ok {
			begin, length := s.place(n)
			fmt.Fprintf(&bars, `<rect class="main%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, fallen(n), x+wide*0.1, 100*(1-begin-length), wide*0.8, 100*length)
		}
		bars.WriteString("</g>")
	}
	bars.WriteString("</svg>")
	return series{template.HTML(bars.String()), template.HTML(values.String()), nameRows(rows)}
}

// comesAfter reports whether the first row of an answer is later than its last one.
func comesAfter(first, last any) bool {
	f, ok := asNumber(first)
	if l, also := asNumber(last); ok && also {
		return f > l
	}
	return formatValue(first) > formatValue(last)
}

// oldestFirst returns rows in the order of their times.
func oldestFirst(rows [][]any) [][]any {
	rows = slices.Clone(rows)
	if len(rows) > 1 && comesAfter(rows[0][0], rows[len(rows)-1][0]) {
		slices.Reverse(rows)
	}
	return rows
}

// shortNames returns the names of rows of times: a month for months, and a day without its year for days.
func shortNames(rows [][]any) (names []string) {
	months := !slices.ContainsFunc(rows, func(row []any) bool { return !strings.HasSuffix(formatValue(row[0]), "-01") })
	for _, row := range rows {
		text := formatValue(row[0])
		if at, err := time.Parse(time.DateOnly, text); err == nil && months {
			text = at.Format("2006-01")
		} else if err == nil {
			text = at.Format("01-02")
		}
		names = append(names, text)
	}
	return names
}

// nameRows writes the names of at most six rows, each below the middle of its bar.
func nameRows(rows [][]any) template.HTML {
	every := (len(rows) + 5) / 6
	names := shortNames(rows)
	var b strings.Builder
	for i := 0; i < len(rows); i += every {
		fmt.Fprintf(&b, `<text x="%.2f%%" y="1em" text-anchor="middle">%s</text>`, 100*(float64(i)+0.5)/float64(len(rows)), template.HTMLEscapeString(names[i]))
	}
	return template.HTML(b.String())
}

// valueAxis is a scale from one tick to another.
type valueAxis struct {
	scale valueScale
	ticks []float64 // from the least to the most
}

// timeSteps are the distances of ticks that people expect of times, from a second to a day.
var timeSteps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// axis gives the scale of a column with round ticks, at most five distances of them.
func (s valueScale) axis(a *queryResult, column int) (x valueAxis) {
	if s.span() == 0 {
		s.most = 1
	}
	unit := 1.0
	if length := unitOf(a.Columns[column]); length != 0 {
		unit = 1 / length.Seconds()
	}
	const most = 5
	step := 0.0
	if unit != 1 || unitOf(a.Columns[column]) == time.Second {
		for _, one := range timeSteps {
			if step == 0 && s.span() <= most*one.Seconds()*unit {
				step = one.Seconds() * unit
			}
		}
		unit *= 24 * 3600 // longer times are counted in days
	}
	if step == 0 {
		step = roundStep(s.span()/unit/most) * unit
	}
	if s.holdsWholeNumbers(a, column) {
		step = max(step, 1)
	}
	from, to := math.Floor(s.least/step), math.Ceil(s.most/step)
	for n := from; n <= to; n++ {
		x.ticks = append(x.ticks, n*step)
	}
	x.scale = valueScale{from * step, to * step}
	return x
}

// roundStep gives the next of 1, 2 and 5 times a power of ten.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, times := range []float64{1, 2, 5} {
		if times*power >= least*(1-1e-9) {
			return times * power
		}
	}
	return 10 * power
}

// holdsWholeNumbers reports whether a column is of counts.
func (s valueScale) holdsWholeNumbers(a *queryResult, column int) bool {
	return unitOf(a.Columns[column]) == 0 && !slices.ContainsFunc(a.Rows, func(row []any) bool { n, ok := asNumber(row[column]); return ok && n != math.Trunc(n) })
}

// fallen is the class of a bar below 0, behind another one.
func fallen(n float64) string {
	if n < 0 {
		return " fall"
	}
	return ""
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
		return formatValue(v)
	case strings.HasPrefix(column, "percent"):
		return formatValue(n) + "\u202f%"
	case length != 0:
		return formatTime(time.Duration(math.Round(n * float64(length))))
	}
	return formatValue(v)
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
		return formatValue(math.Round(10*size.Seconds())/10) + " s"
	case size < time.Hour:
		return formatValue(math.Round(10*size.Minutes())/10) + " min"
	case size < 48*time.Hour:
		return formatSpan(size.Round(time.Minute))
	}
	return formatValue(math.Round(10*d.Hours()/24)/10) + " days"
}
