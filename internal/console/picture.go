package console

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/chart"
	"aqueduck/internal/problem"
)

// mostDrawn limits the bars of a picture whose rows are no times.
const mostDrawn = 30

// servePicture answers the chart of a saved query as a PNG file.
func servePicture(c *Console) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		q, content, err := pictureOf(r.Context(), c, r)
		if err != nil {
			c.renderError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", "image/png")
		w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.png"`, q.Name))
		// A reader that has disconnected needs no error.
		_, _ = w.Write(content)
	}
}

func pictureOf(ctx context.Context, c *Console, r *http.Request) (savedQuery, []byte, error) {
	q, a, err := c.answerOf(ctx, r)
	if err != nil {
		return q, nil, err
	}
	if a == nil {
		return q, nil, q.lacking()
	}
	f := filterOf(r)
	picture, ok := chartOf(q, a.filtered(f).first(mostRows))
	if !ok {
		return q, nil, &problem.Problem{Class: "usage", What: "the answer has no numbers to draw", Next: "open /data/q/" + q.Name}
	}
	o, err := c.readOverview(ctx)
	if err != nil {
		return q, nil, err
	}
	said := []string{"aqueduck"}
	for _, p := range o.Pipelines {
		if !p.AsOf.IsZero() && len(said) == 1 {
			said = append(said, "data as of "+formatExact(p.AsOf, c.zones.zoneOf(r)))
		}
	}
	picture.Source = strings.Join(append(said, f.words()...), " · ")
	content, err := chart.WritePNG(picture)
	return q, content, err
}

// chartOf returns the picture of an answer, as the page of its query draws it: standing bars for times, lying ones for other rows.
func chartOf(q savedQuery, a *queryResult) (chart.Chart, bool) {
	v := &questionView{savedQuery: q}
	drawn := v.findDrawn(a)
	if drawn < 0 || len(a.Rows) == 0 {
		return chart.Chart{}, false
	}
	c := chart.Chart{Title: q.Question, Measure: a.Columns[drawn], Standing: a.isSeries()}
	rows, names := a.Rows, []string(nil)
	scale := scaleOf(a, drawn)
	if c.Standing {
		rows = oldestFirst(rows)
		names = shortNames(rows)
		for _, tick := range scale.axis(a, drawn).ticks {
			c.Ticks = append(c.Ticks, chart.Tick{Value: tick, Text: formatMeasure(c.Measure, tick)})
		}
	} else {
		rows = rows[:min(len(rows), mostDrawn)]
		for _, row := range rows {
			names = append(names, v.nameRow(a, row))
		}
		c.Ticks = []chart.Tick{{Value: scale.least}, {Value: scale.most}}
	}
	for i, row := range rows {
		n, ok := asNumber(row[drawn])
		if !ok {
			n = math.NaN()
		}
		c.Bars = append(c.Bars, chart.Bar{Name: names[i], Text: formatMeasure(c.Measure, row[drawn]), Value: n})
	}
	return c, true
}

// nameRow names a row by its columns that are no numbers.
func (v *questionView) nameRow(a *queryResult, row []any) string {
	var words []string
	for i, h := range v.Header {
		switch {
		case h.Number || i > 0 && slices.Contains(a.Hidden, h.Name):
		case slices.Contains(a.Hidden, h.Name):
			words = append(words, "•••")
		default:
			words = append(words, formatMeasure(h.Name, row[i]))
		}
	}
	if len(words) == 0 {
		return formatMeasure(a.Columns[0], row[0])
	}
	return strings.Join(words[:min(len(words), 3)], ", ")
}
