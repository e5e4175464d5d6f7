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

	"aqueduck/internal/dictionary"
	"aqueduck/load/failure"
)

func (c *Console) dataRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /data", c.servePage(c.dataPage))
	mux.HandleFunc("GET /questions", c.servePage(dashboardPage(c)))
	mux.HandleFunc("GET /data/q/{name}", c.servePage(c.questionPage))
	mux.HandleFunc("GET /data/q/{name}/csv", c.serveDownload)
	mux.HandleFunc("GET /data/q/{name}/png", servePicture(c))
	mux.HandleFunc("GET /data/t/{schema}/{table}", c.servePage(c.tablePage))
	mux.HandleFunc("GET /api/v1/data", c.serveJSON(func(ctx context.Context, _ *http.Request) (any, error) { return c.readPublished(ctx) }))
	mux.HandleFunc("GET /api/v1/data/{schema}/{table}", c.serveJSON(func(ctx context.Context, r *http.Request) (any, error) {
		d, t, err := c.tableOf(ctx, r)
		if err != nil {
			return nil, err
		}
		p, err := d.profileTable(ctx, t)
		return struct {
			*Table
			Profile []columnProfile `json:"profile"`
		}{t, p}, err
	}))
	mux.HandleFunc("GET /api/v1/questions", c.serveJSON(func(ctx context.Context, r *http.Request) (any, error) {
		d, err := c.readPublished(ctx)
		if err != nil {
			return nil, err
		}
		return c.savedQueries(d, workspaceOf(r))
	}))
	mux.HandleFunc("GET /api/v1/questions/{name}", c.serveJSON(func(ctx context.Context, r *http.Request) (any, error) {
		_, a, err := c.answerOf(ctx, r)
		if a != nil {
			a = a.filtered(filterOf(r)).first(mostRows)
		}
		return a, err
	}))
}

// dataView is the page with tables and saved queries.
type dataView struct {
	pageView
	Nothing   bool   // nothing is published yet
	Query     string // the filter; "": everything is listed, and folded
	Questions []dictionary.SubjectGroup[savedQuery]
	About     *workspaceChoice
	Schemas   []schemaView
}

// workspaceChoice is the choice of the workspace that the saved queries are about.
type workspaceChoice struct {
	Asked string // the chosen one of All
	All   []string
}

// offerWorkspaces returns nil for a configuration with one workspace.
func (c *Console) offerWorkspaces(asked []savedQuery) *workspaceChoice {
	config, _ := c.o.Config()
	all := config.WorkspaceNames()
	if len(all) < 2 || len(asked) == 0 {
		return nil
	}
	return &workspaceChoice{Asked: asked[0].Workspace, All: all}
}

func workspaceOf(r *http.Request) string { return r.URL.Query().Get("workspace") }

type schemaView struct {
	Name     string
	Tables   int
	Subjects []dictionary.SubjectGroup[foundTable]
}

func (c *Console) dataPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	v := &dataView{pageView: pageView{Title: "Data", Here: "data"}}
	d, err := c.readPublished(ctx)
	if errors.Is(err, failure.ErrNothingPublished) {
		v.Nothing = true
		return "data", v, nil
	}
	if err != nil {
		return "", nil, err
	}
	all, err := c.savedQueries(d, workspaceOf(r))
	if err != nil {
		return "", nil, err
	}
	v.About = c.offerWorkspaces(all)
	v.Query = strings.TrimSpace(r.URL.Query().Get("q"))
	filter := newFilter(v.Query)
	v.Questions = dictionary.GroupBySubject(filter.findQueries(all), func(q savedQuery) string { return q.Name })
	for tables := d.Tables; len(tables) > 0; {
		schema, n := tables[0].Schema, 0
		for n < len(tables) && tables[n].Schema == schema {
			n++
		}
		if found := filter.findTables(tables[:n]); len(found) > 0 {
			v.Schemas = append(v.Schemas, schemaView{schema, len(found), dictionary.GroupBySubject(found, func(t foundTable) string { return t.Name })})
		}
		tables = tables[n:]
	}
	return "data", v, nil
}

// tableView is the page of a table.
type tableView struct {
	pageView
	*Table
	Profiles map[string]columnProfile
	Rows     int64
	Large    bool // its values are read only on request
	Failed   string
	Lineage  *lineageView
}

// quickRows is the largest number of rows whose values a page reads without a request.
const quickRows = 200_000

func (c *Console) tableOf(ctx context.Context, r *http.Request) (*publishedData, *Table, error) {
	d, err := c.readPublished(ctx)
	if err != nil {
		return nil, nil, err
	}
	t := d.findTable(r.PathValue("schema"), r.PathValue("table"))
	if t == nil {
		return nil, nil, errNotThere
	}
	return d, t, nil
}

func (c *Console) tablePage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	d, t, err := c.tableOf(ctx, r)
	if err != nil {
		return "", nil, err
	}
	v := &tableView{pageView: pageView{Title: t.Name, Here: "data"}, Table: t, Rows: t.Rows, Profiles: map[string]columnProfile{}}
	if v.Lineage, err = lineageOf(ctx, c, d, t); err != nil {
		return "", nil, err
	}
	// The cost of a view without a row count is not known in advance.
	if _, known := d.knownProfile(t); !known && (t.Rows < 0 || t.Rows > quickRows) && r.URL.Query().Get("profile") == "" {
		v.Large = true
		return "table", v, nil
	}
	profiles, err := d.profileTable(ctx, t)
	if errors.Is(err, context.DeadlineExceeded) {
		v.Failed = fmt.Sprintf("The statistics of its values take longer than %s.", formatDuration(questionTime))
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

// questionView is a saved query with its answer.
type questionView struct {
	pageView
	savedQuery
	About  *workspaceChoice
	Filter answerFilter
	First  string   // day of the range that the page offers; "": its rows are neither days nor months
	Last   string   // likewise
	Teams  []string // that the page offers
	Same   string   // the filter and the workspace, as a part of an address
	Header []columnHeader
	Lines  [][]tableCell
	Series *series // a picture with a bar for each hour, day, week or month; nil without one
	Drawn  string  // name of the drawn column
	Hidden []string
	More   bool
}

type columnHeader struct {
	Name   string
	Number bool
}

// tableCell is a value with its bar.
type tableCell struct {
	Text   string
	Number bool
	Bar    template.HTML
	Hidden bool
}

// findQuestion returns the saved query that an address names, and the data that it asks.
func findQuestion(ctx context.Context, c *Console, r *http.Request) (*publishedData, savedQuery, error) {
	d, err := c.readPublished(ctx)
	if err != nil {
		return nil, savedQuery{}, err
	}
	all, err := c.savedQueries(d, workspaceOf(r))
	if err != nil {
		return nil, savedQuery{}, err
	}
	i := slices.IndexFunc(all, func(q savedQuery) bool { return q.Name == r.PathValue("name") })
	if i < 0 {
		return nil, savedQuery{}, errNotThere
	}
	return d, all[i], nil
}

func (c *Console) answerOf(ctx context.Context, r *http.Request) (savedQuery, *queryResult, error) {
	d, q, err := findQuestion(ctx, c, r)
	if err != nil || len(q.Lacks) > 0 {
		return q, nil, err
	}
	a, err := d.runSavedQuery(ctx, q)
	return q, a, err
}

func (c *Console) questionPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	q, a, err := c.answerOf(ctx, r)
	if err != nil {
		return "", nil, err
	}
	v := &questionView{pageView: pageView{Title: q.Question, Here: "data"}, savedQuery: q, About: c.offerWorkspaces([]savedQuery{q}), Filter: filterOf(r)}
	v.Same = v.Filter.query(workspaceOf(r))
	if a != nil {
		v.Teams = a.teams()
		if a.isDated() {
			v.First, v.Last = a.limits()
		}
		v.drawAnswer(a.filtered(v.Filter).first(mostRows))
	}
	return "question", v, nil
}

// drawAnswer makes a table of an answer, with bars for the drawn column. If its rows are times or hours of the day, it also draws a picture.
func (v *questionView) drawAnswer(a *queryResult) {
	v.Hidden, v.More = a.Hidden, a.More
	drawn := v.findDrawn(a)
	var scale valueScale
	if drawn >= 0 {
		scale = scaleOf(a, drawn)
		v.Drawn = a.Columns[drawn]
	}
	for _, row := range a.Rows {
		line := make([]tableCell, len(row))
		for i, value := range row {
			line[i] = tableCell{Text: formatMeasure(a.Columns[i], value), Number: v.Header[i].Number, Hidden: slices.Contains(a.Hidden, a.Columns[i])}
			if n, ok := asNumber(value); ok && i == drawn && scale.span() > 0 {
				line[i].Bar = scale.drawBar(n)
			}
		}
		v.Lines = append(v.Lines, line)
	}
	if drawn >= 0 && a.isSeries() {
		picture := drawSeries(a, drawn)
		v.Series = &picture
	}
}

// isSeries reports whether each row of an answer is another time, or another hour of the day, and there are enough of them for a picture.
func (a *queryResult) isSeries() bool {
	times := map[string]bool{}
	for _, row := range a.Rows {
		times[formatValue(row[0])] = true
	}
	return len(a.Rows) > 3 && len(times) == len(a.Rows) && (a.Columns[0] == "hour_of_day" || a.isDated())
}

// findDrawn adds the columns to the header and gives the number of the column to draw: the one that the query names, else the first column of numbers
// after the first column; -1 without one.
func (v *questionView) findDrawn(a *queryResult) int {
	drawn := -1
	for i, name := range a.Columns {
		numbers := len(a.Rows) > 0
		for _, row := range a.Rows {
			_, ok := asNumber(row[i])
			numbers = numbers && (ok || row[i] == nil)
		}
		numbers = numbers && !slices.Contains(a.Hidden, name)
		v.Header = append(v.Header, columnHeader{name, numbers})
		if numbers && (name == v.Draw || drawn < 0 && i > 0 && v.Draw == "") {
			drawn = i
		}
	}
	return drawn
}

// isDateOrMonth reports whether a value is a day or a month.
func isDateOrMonth(v any) bool {
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

func asNumber(v any) (float64, bool) {
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

// formatValue formats a value for people.
func formatValue(v any) string {
	switch n := v.(type) {
	case nil:
		return "–"
	case int64:
		return formatNumber(n)
	case float64:
		if n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			return formatNumber(int64(n))
		}
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", n), "0"), ".")
	case time.Time:
		return n.UTC().Format("2006-01-02 15:04:05 UTC")
	case json.RawMessage:
		return string(n)
	}
	return fmt.Sprint(v)
}
