package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"math"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"time"

	"aqueduck/load/failure"
)

func (c *Console) dataRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /data", c.page(c.dataPage))
	mux.HandleFunc("GET /data/q/{name}", c.page(c.questionPage))
	mux.HandleFunc("GET /data/t/{schema}/{table}", c.page(c.tablePage))
	mux.HandleFunc("GET /api/v1/data", c.json(func(ctx context.Context, _ *http.Request) (any, error) { return c.published(ctx) }))
	mux.HandleFunc("GET /api/v1/data/{schema}/{table}", c.json(func(ctx context.Context, r *http.Request) (any, error) {
		d, t, err := c.tableOf(ctx, r)
		if err != nil {
			return nil, err
		}
		p, err := d.profile(ctx, t)
		return struct {
			*Table
			Profile []profile `json:"profile"`
		}{t, p}, err
	}))
	mux.HandleFunc("GET /api/v1/questions", c.json(func(ctx context.Context, r *http.Request) (any, error) {
		d, err := c.published(ctx)
		if err != nil {
			return nil, err
		}
		return c.questions(d, workspaceOf(r))
	}))
	mux.HandleFunc("GET /api/v1/questions/{name}", c.json(func(ctx context.Context, r *http.Request) (any, error) {
		_, a, err := c.answerOf(ctx, r)
		return a, err
	}))
}

// dataView is what there is for analysts.
type dataView struct {
	view
	Nothing   bool // is published yet
	Questions []group
	About     *asking
	Schemas   []schemaView
}

// asking is which workspace questions are asked about, where there are several.
type asking struct {
	Asked string // among All
	All   []string
}

// about is nil for a configuration of one workspace.
func (c *Console) about(asked []question) *asking {
	config, _ := c.o.Config()
	all := config.Names()
	if len(all) < 2 || len(asked) == 0 {
		return nil
	}
	return &asking{Asked: asked[0].Workspace, All: all}
}

func workspaceOf(r *http.Request) string { return r.URL.Query().Get("workspace") }

// group are the questions about one thing.
type group struct {
	About string
	All   []question
}

type schemaView struct {
	Name   string
	Tables []*Table
}

func (c *Console) dataPage(ctx context.Context, r *http.Request) (string, framed, error) {
	v := &dataView{view: view{Title: "Data", Here: "data"}}
	d, err := c.published(ctx)
	if errors.Is(err, failure.ErrNothingPublished) {
		v.Nothing = true
		return "data", v, nil
	}
	if err != nil {
		return "", nil, err
	}
	all, err := c.questions(d, workspaceOf(r))
	if err != nil {
		return "", nil, err
	}
	v.About = c.about(all)
	for _, q := range all {
		about, _, _ := strings.Cut(q.Name, "_")
		i := slices.IndexFunc(v.Questions, func(g group) bool { return g.About == about })
		if i < 0 {
			i, v.Questions = len(v.Questions), append(v.Questions, group{About: about})
		}
		v.Questions[i].All = append(v.Questions[i].All, q)
	}
	for _, t := range d.Tables {
		if n := len(v.Schemas); n == 0 || v.Schemas[n-1].Name != t.Schema {
			v.Schemas = append(v.Schemas, schemaView{Name: t.Schema})
		}
		last := &v.Schemas[len(v.Schemas)-1]
		last.Tables = append(last.Tables, t)
	}
	return "data", v, nil
}

// tableView is one table.
type tableView struct {
	view
	*Table
	Profiles map[string]profile
	Rows     int64
	Large    bool // its values are looked at when somebody asks
	Failed   string
}

// quickRows is how many rows a page looks at without being asked.
const quickRows = 200_000

func (c *Console) tableOf(ctx context.Context, r *http.Request) (*data, *Table, error) {
	d, err := c.published(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := d.table(r.PathValue("schema"), r.PathValue("table"))
	if t == nil {
		return nil, nil, errNotThere
	}
	return d, t, nil
}

func (c *Console) tablePage(ctx context.Context, r *http.Request) (string, framed, error) {
	d, t, err := c.tableOf(ctx, r)
	if err != nil {
		return "", nil, err
	}
	v := &tableView{view: view{Title: t.Name, Here: "data"}, Table: t, Rows: t.Rows, Profiles: map[string]profile{}}
	// What a view costs nobody knows before it is asked.
	if (t.Rows < 0 || t.Rows > quickRows) && r.URL.Query().Get("profile") == "" && !d.looked(t) {
		v.Large = true
		return "table", v, nil
	}
	profiles, err := d.profile(ctx, t)
	if errors.Is(err, context.DeadlineExceeded) {
		v.Failed = fmt.Sprintf("Its values take longer to look at than %s.", took(questionTime))
		return "table", v, nil
	}
	if err != nil {
		return "", nil, err
	}
	for _, p := range profiles {
		v.Profiles[p.Column], v.Rows = p, p.Rows
	}
	return "table", v, nil
}

// looked says whether the values of a table were looked at already.
func (d *data) looked(t *Table) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.profiles[t.Schema+"."+t.Name]
	return ok
}

// questionView is a saved query with its answer.
type questionView struct {
	view
	question
	About  *asking
	Header []header
	Lines  [][]cell
	Series template.HTML // of days, weeks or months: one column each
	First  string
	Last   string
	Drawn  string // which column is
	Hidden []string
	More   bool
}

type header struct {
	Name   string
	Number bool
}

// cell is a value, and how long its bar is.
type cell struct {
	Text   string
	Number bool
	Bar    template.HTML
	Hidden bool
}

func (c *Console) answerOf(ctx context.Context, r *http.Request) (question, *answer, error) {
	d, err := c.published(ctx)
	if err != nil {
		return question{}, nil, err
	}
	all, err := c.questions(d, workspaceOf(r))
	if err != nil {
		return question{}, nil, err
	}
	i := slices.IndexFunc(all, func(q question) bool { return q.Name == r.PathValue("name") })
	if i < 0 {
		return question{}, nil, errNotThere
	}
	if len(all[i].Lacks) > 0 {
		return all[i], nil, nil
	}
	a, err := d.answer(ctx, all[i])
	return all[i], a, err
}

func (c *Console) questionPage(ctx context.Context, r *http.Request) (string, framed, error) {
	q, a, err := c.answerOf(ctx, r)
	if err != nil {
		return "", nil, err
	}
	v := &questionView{view: view{Title: q.Question, Here: "data"}, question: q, About: c.about([]question{q})}
	if a != nil {
		v.draw(a)
	}
	return "question", v, nil
}

// draw makes a table of an answer, with bars for its first column of numbers, and above it a picture where its rows are times.
func (v *questionView) draw(a *answer) {
	v.Hidden, v.More = a.Hidden, a.More
	drawn := -1
	var most float64
	for i, name := range a.Columns {
		numbers := len(a.Rows) > 0
		for _, row := range a.Rows {
			_, ok := numeric(row[i])
			numbers = numbers && (ok || row[i] == nil)
		}
		numbers = numbers && !slices.Contains(a.Hidden, name)
		v.Header = append(v.Header, header{name, numbers})
		if numbers && drawn < 0 && i > 0 {
			drawn = i
		}
	}
	if drawn >= 0 {
		for _, row := range a.Rows {
			if n, ok := numeric(row[drawn]); ok {
				most = max(most, math.Abs(n))
			}
		}
		v.Drawn = a.Columns[drawn]
	}
	for _, row := range a.Rows {
		line := make([]cell, len(row))
		for i, value := range row {
			line[i] = cell{Text: text(value), Number: v.Header[i].Number, Hidden: slices.Contains(a.Hidden, a.Columns[i])}
			if n, ok := numeric(value); ok && i == drawn && most > 0 {
				line[i].Bar = bar(math.Abs(n) / most)
			}
		}
		v.Lines = append(v.Lines, line)
	}
	if drawn >= 0 && len(a.Rows) > 3 && !slices.ContainsFunc(a.Rows, func(row []any) bool { return !timely(row[0]) }) {
		v.Series, v.First, v.Last = series(a, drawn, most), text(a.Rows[0][0]), text(a.Rows[len(a.Rows)-1][0])
		if v.First > v.Last {
			v.First, v.Last = v.Last, v.First
		}
	}
}

// timely says whether a value is a day or a month.
func timely(v any) bool {
	s, ok := v.(string)
	if !ok {
		return false
	}
	for _, form := range []string{time.DateOnly, "2006-01"} {
		if _, err := time.Parse(form, s); err == nil {
			return true
		}
	}
	return false
}

// series draws one column a row, the oldest on the left.
func series(a *answer, drawn int, most float64) template.HTML {
	rows := slices.Clone(a.Rows)
	if len(rows) > 1 && text(rows[0][0]) > text(rows[len(rows)-1][0]) {
		slices.Reverse(rows)
	}
	wide := 600 / float64(len(rows))
	var b strings.Builder
	b.WriteString(`<svg class="bars" viewBox="0 0 600 100" preserveAspectRatio="none" role="img" aria-label="one column a row of the table">`)
	for i, row := range rows {
		n, _ := numeric(row[drawn])
		h := 100 * math.Abs(n) / max(most, 1e-9)
		fmt.Fprintf(&b, `<g><title>%s: %s</title><rect class="main" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/></g>`, template.HTMLEscapeString(text(row[0])),
			template.HTMLEscapeString(text(row[drawn])), float64(i)*wide+wide*0.1, 100-h, wide*0.8, h)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

func bar(share float64) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="inbar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect width="%.1f" height="10"/></svg>`, 100*share))
}

func numeric(v any) (float64, bool) {
	switch n := v.(type) {
	case int64:
		return float64(n), true
	case int32:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n)
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	case *big.Int:
		f, _ := new(big.Float).SetInt(n).Float64()
		return f, true
	}
	return 0, false
}

// text is a value as people read it.
func text(v any) string {
	switch n := v.(type) {
	case nil:
		return "–"
	case int64:
		return number(n)
	case float64:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
	case time.Time:
		return n.UTC().Format("2006-01-02 15:04:05 UTC")
	case json.RawMessage:
		return string(n)
	}
	return fmt.Sprint(v)
}
