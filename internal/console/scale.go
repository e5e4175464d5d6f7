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

// drawSeries draws a column for each row, the oldest on the left. Each has its row's value as a title.
func (s valueScale) drawSeries(a *queryResult, column int) template.HTML {
	rows := slices.Clone(a.Rows)
	if len(rows) > 1 && formatValue(rows[0][0]) > formatValue(rows[len(rows)-1][0]) {
		slices.Reverse(rows)
	}
	wide := 600 / float64(len(rows))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label="%s: one column a row of the table">`, template.HTMLEscapeString(a.Columns[column]))
	for i, row := range rows {
		n, ok := asNumber(row[column])
		if !ok || s.span() == 0 {
			continue
		}
		begin, length := s.place(n)
		fmt.Fprintf(&b, `<g><title>%s: %s</title><rect class="main%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/></g>`, template.HTMLEscapeString(formatValue(row[0])),
			template.HTMLEscapeString(formatMeasure(a.Columns[column], row[column])), fallen(n), float64(i)*wide+wide*0.1, 100*(1-begin-length), wide*0.8, 100*length)
	}
	if s.least < 0 {
		fmt.Fprintf(&b, `<line class="zero" x1="0" x2="600" y1="%[1]g" y2="%[1]g"/>`, 100*s.most/s.span())
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
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
	words := strings.Split(column, "_")
	switch {
	case !ok:
		return formatValue(v)
	case words[0] == "percent":
		return formatValue(n) + "\u202f%"
	}
	for _, u := range units {
		if len(words) > 1 && slices.Contains(words, u.word) {
			return formatTime(time.Duration(n * float64(u.length)))
		}
	}
	return formatValue(v)
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
