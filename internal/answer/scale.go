package answer

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"time"
)

// valueScale is the range of a drawn column. It contains 0: bars above it rise, bars below it fall.
type valueScale struct{ least, most float64 }

// scaleOf gives the range of a column of an answer.
func scaleOf(a *Result, column int) (s valueScale) {
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

// valueAxis is a scale from one tick to another.
type valueAxis struct {
	scale valueScale
	ticks []float64 // from the least to the most
}

// timeSteps are the distances of ticks that people expect of times, from a second to a day.
var timeSteps = []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute,
	15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour}

// axis gives the scale of a column with round ticks, at most five distances of them.
func (s valueScale) axis(a *Result, column int) (x valueAxis) {
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
func (s valueScale) holdsWholeNumbers(a *Result, column int) bool {
	return unitOf(a.Columns[column]) == 0 && !slices.ContainsFunc(a.Rows, func(row []any) bool { n, ok := asNumber(row[column]); return ok && n != math.Trunc(n) })
}

// fallen is the class of a bar below 0, behind another one.
func fallen(n float64) string {
	if n < 0 {
		return " fall"
	}
	return ""
}
