package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"aqueduck/internal/answer"
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
			a = a.Filtered(filterOf(r)).First(mostRows)
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
	Filter answer.Filter
	First  string   // day of the range that the page offers; "": its rows are neither days nor months
	Last   string   // likewise
	Teams  []string // that the page offers
	Same   string   // the filter and the workspace, as a part of an address
	answer.View
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

func (c *Console) answerOf(ctx context.Context, r *http.Request) (savedQuery, *answer.Result, error) {
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
	v.Same = v.Filter.Parameters(workspaceOf(r))
	if a != nil {
		v.Teams = a.Teams()
		if a.IsDated() {
			v.First, v.Last = a.Limits()
		}
		v.View = answer.NewView(a.Filtered(v.Filter).First(mostRows), q.Draw)
	}
	return "question", v, nil
}

// filterOf returns the part of an answer that a request asks for.
func filterOf(r *http.Request) answer.Filter { return answer.FilterOf(r.URL.Query()) }
