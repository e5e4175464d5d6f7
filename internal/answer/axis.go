package answer

import (
	"fmt"
	"html/template"
	"strings"

	"aqueduck/internal/chart"
)

// Seconds is the measure of an axis of times; any other name is one of numbers.
const Seconds = "in_seconds"

// Ticks are the round values of an axis from 0 that has room for most, and their texts.
func Ticks(measure string, most float64) []chart.Tick {
	a := &Result{Columns: []string{measure}, Rows: [][]any{{most}}}
	return scaleOf(a, 0).ticksOf(a, 0)
}

// ticksOf are the round values of a column's axis, and their texts.
func (s valueScale) ticksOf(a *Result, column int) (all []chart.Tick) {
	for _, tick := range s.axis(a, column).ticks {
		all = append(all, chart.Tick{Value: tick, Text: formatMeasure(a.Columns[column], tick)})
	}
	return all
}

// DrawAxis draws the lines of an axis into a picture that is 100 high, and the texts beside it.
func DrawAxis(ticks []chart.Tick) (grid, values template.HTML) {
	least, most := ticks[0].Value, ticks[len(ticks)-1].Value
	var lines, texts strings.Builder
	for _, tick := range ticks {
		y := 100 * (most - tick.Value) / (most - least)
		class := "grid"
		if tick.Value == 0 {
			class = "zero"
		}
		fmt.Fprintf(&lines, `<line class="%s" x1="0" x2="100%%" y1="%[2]g" y2="%[2]g"/>`, class, y)
		fmt.Fprintf(&texts, `<text x="100%%" y="%g%%" dy=".32em" text-anchor="end">%s</text>`, y, template.HTMLEscapeString(tick.Text))
	}
	return template.HTML(lines.String()), template.HTML(texts.String())
}
