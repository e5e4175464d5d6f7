package answer

import (
	"html/template"
	"math"
	"slices"
	"strings"

	"aqueduck/internal/chart"
)

// View is an answer as a page shows it: a table with bars for the drawn column. If its rows are times or hours of the day, it has a picture, too.
type View struct {
	Header []ColumnHead
	Lines  [][]Cell
	Series *Series  // a line over days, weeks or months, or a bar for each hour; nil without one
	Drawn  string   // name of the drawn column; "": there is none
	Hidden []string // names of columns whose values are personal
	More   bool     // the answer has more rows than these

	result *Result
	drawn  int // -1: no column
}

// ColumnHead is the name of a column, and what it holds.
type ColumnHead struct {
	Name   string
	Number bool // each value is a number or null
}

// Cell is a value with its bar.
type Cell struct {
	Text   string
	Number bool          // its column is one of numbers
	Bar    template.HTML // "": another column is drawn
	Hidden bool          // its value is personal
}

// NewView draws the column that a query names, else the first column of numbers after the first column.
func NewView(a *Result, draw string) View {
	v := View{Hidden: a.Hidden, More: a.More, result: a}
	v.findDrawn(draw)
	var scale valueScale
	if v.drawn >= 0 {
		scale = scaleOf(a, v.drawn)
		v.Drawn = a.Columns[v.drawn]
	}
	for _, row := range a.Rows {
		line := make([]Cell, len(row))
		for i, value := range row {
			line[i] = Cell{Text: formatMeasure(a.Columns[i], value), Number: v.Header[i].Number, Hidden: slices.Contains(a.Hidden, a.Columns[i])}
			if n, ok := asNumber(value); ok && i == v.drawn && scale.span() > 0 {
				line[i].Bar = scale.drawBar(n)
			}
		}
		v.Lines = append(v.Lines, line)
	}
	if v.drawn >= 0 && a.isSeries() {
		picture := drawSeries(a, v.drawn)
		v.Series = &picture
	}
	return v
}

// findDrawn adds the columns to the header, and finds the one to draw.
func (v *View) findDrawn(draw string) {
	a := v.result
	v.drawn = -1
	for i, name := range a.Columns {
		numbers := len(a.Rows) > 0
		for _, row := range a.Rows {
			_, ok := asNumber(row[i])
			numbers = numbers && (ok || row[i] == nil)
		}
		numbers = numbers && !slices.Contains(a.Hidden, name)
		v.Header = append(v.Header, ColumnHead{name, numbers})
		if numbers && (name == draw || v.drawn < 0 && i > 0 && draw == "") {
			v.drawn = i
		}
	}
}

// NamedValue is a row by its name, with the cell of the drawn column.
type NamedValue struct {
	Name string
	Cell
}

// NamedValues returns the first rows of the answer.
func (v *View) NamedValues(most int) (all []NamedValue) {
	for i := range min(len(v.Lines), most) {
		one := NamedValue{Name: v.nameRow(v.result.Rows[i])}
		if v.drawn >= 0 {
			one.Cell = v.Lines[i][v.drawn]
		}
		all = append(all, one)
	}
	return all
}

// nameRow names a row by its columns that are no numbers.
func (v *View) nameRow(row []any) string {
	var words []string
	for i, h := range v.Header {
		switch {
		case h.Number || i > 0 && slices.Contains(v.Hidden, h.Name):
		case slices.Contains(v.Hidden, h.Name):
			words = append(words, "•••")
		default:
			words = append(words, formatMeasure(h.Name, row[i]))
		}
	}
	if len(words) == 0 {
		return formatMeasure(v.result.Columns[0], row[0])
	}
	return strings.Join(words[:min(len(words), 3)], ", ")
}

// mostLying limits the bars of a picture whose rows are no times.
const mostLying = 30

// Chart returns the picture as its page draws it: a line over time, standing bars for hours, lying ones for other rows. It is false without numbers to draw.
func (v *View) Chart(title string) (chart.Chart, bool) {
	if v.drawn < 0 || len(v.Lines) == 0 {
		return chart.Chart{}, false
	}
	a := v.result
	c := chart.Chart{Title: title, Measure: v.Drawn, Standing: v.Series != nil, Line: v.Series != nil && !a.isHourly()}
	scale := scaleOf(a, v.drawn)
	if !c.Standing {
		c.Ticks = []chart.Tick{{Value: scale.least}, {Value: scale.most}}
		for _, row := range a.Rows[:min(len(a.Rows), mostLying)] {
			c.Bars = append(c.Bars, chart.Bar{Name: v.nameRow(row), Text: formatMeasure(v.Drawn, row[v.drawn]), Value: orNaN(row[v.drawn])})
		}
		return c, true
	}
	c.Ticks = scale.ticksOf(a, v.drawn)
	times := newTimeline(a)
	for place := range times.places {
		c.Bars = append(c.Bars, chart.Bar{Name: times.name(place), Value: math.NaN()})
	}
	for i, row := range times.rows {
		c.Bars[times.at[i]].Value = orNaN(row[v.drawn])
	}
	return c, true
}

func orNaN(v any) float64 {
	if n, ok := asNumber(v); ok {
		return n
	}
	return math.NaN()
}
