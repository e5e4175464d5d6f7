package answer

import (
	"fmt"
	"html/template"
	"strings"
)

// Series is a column of an answer as a picture with two axes, the oldest row on the left: a line for days, weeks and months, and a bar for each hour of the day.
// Its texts are SVG made of numbers, and of names that are escaped.
type Series struct {
	Picture, Values, Rows template.HTML // the picture, the axis of values on its left, and the axis of rows below it
}

// drawSeries draws a column. The title of a row's whole height is its value, so it shows wherever the pointer is.
func drawSeries(a *Result, column int) Series {
	name, steps, times := a.Columns[column], scaleOf(a, column).axis(a, column), newTimeline(a)
	s, wide := steps.scale, 600/float64(times.places)
	var picture strings.Builder
	fmt.Fprintf(&picture, `<svg class="bars" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label="%s over time; the table has its values">`, template.HTMLEscapeString(name))
	grid, values := DrawAxis(scaleOf(a, column).ticksOf(a, column))
	picture.WriteString(string(grid))
	if !a.isHourly() {
		drawLine(&picture, times, s, column)
	}
	for i, row := range times.rows {
		x := float64(times.at[i]) * wide
		fmt.Fprintf(&picture, `<g><title>%s: %s</title><rect class="hit" x="%.2f" y="0" width="%.2f" height="100"/>`, template.HTMLEscapeString(FormatValue(row[0])),
			template.HTMLEscapeString(formatMeasure(name, row[column])), x, wide)
		if n, ok := asNumber(row[column]); ok && a.isHourly() {
			begin, length := s.place(n)
			fmt.Fprintf(&picture, `<rect class="main%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, fallen(n), x+wide*0.1, 100*(1-begin-length), wide*0.8, 100*length)
		} else if ok {
			fmt.Fprintf(&picture, `<path class="dot" d="M%.2f %.2fh0"/>`, x+wide/2, 100*(s.most-n)/s.span())
		}
		picture.WriteString("</g>")
	}
	picture.WriteString("</svg>")
	return Series{template.HTML(picture.String()), values, nameTimes(times)}
}

// drawLine draws a line for each stretch of rows without a gap, and the area between it and 0.
func drawLine(picture *strings.Builder, times timeline, s valueScale, column int) {
	wide, zero := 600/float64(times.places), 100*s.most/s.span()
	var stretch []string
	from, to := 0.0, 0.0
	flush := func() {
		if len(stretch) > 1 {
			path := strings.Join(stretch, "L")
			fmt.Fprintf(picture, `<path class="area" d="M%.2f %.2fL%sL%.2f %.2fz"/><path class="line" d="M%s"/>`, from, zero, path, to, zero, path)
		}
		stretch = nil
	}
	for i, row := range times.rows {
		n, ok := asNumber(row[column])
		if !ok || i > 0 && times.at[i]-times.at[i-1] > 1 {
			flush()
		}
		if !ok {
			continue
		}
		to = (float64(times.at[i]) + 0.5) * wide
		if len(stretch) == 0 {
			from = to
		}
		stretch = append(stretch, fmt.Sprintf("%.2f %.2f", to, 100*(s.most-n)/s.span()))
	}
	flush()
}

// nameTimes writes the names of at most six places, each below the middle of its own.
func nameTimes(times timeline) template.HTML {
	every := (times.places + 5) / 6
	var b strings.Builder
	for place := 0; place < times.places; place += every {
		fmt.Fprintf(&b, `<text x="%.2f%%" y="1em" text-anchor="middle">%s</text>`, 100*(float64(place)+0.5)/float64(times.places), template.HTMLEscapeString(times.name(place)))
	}
	return template.HTML(b.String())
}
