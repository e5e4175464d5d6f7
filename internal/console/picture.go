package console

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"aqueduck/internal/answer"
	"aqueduck/internal/chart"
	"aqueduck/internal/problem"
)

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
	v := answer.NewView(a.Filtered(f).First(mostRows), q.Draw)
	picture, ok := v.Chart(q.Question)
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
	picture.Source = strings.Join(append(said, f.Words()...), " · ")
	content, err := chart.WritePNG(picture)
	return q, content, err
}
