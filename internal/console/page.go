package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/pipeline"
)

// view is what every page shows around its own.
type view struct {
	Title    string
	Here     string // which of the places in the head is this
	Now      time.Time
	ReadOnly bool
	In       bool // somebody has logged in
	Address  string
	Program  string // its version
	Trouble  string
	Said     string // what the last button did, or why it did not
	Wanting  int    // things that want a person
	Emulated bool
}

func (v *view) frame() *view { return v }

// framed is every page's own.
type framed interface{ frame() *view }

// errors that pages end with.
var (
	errNotThere = errors.New("there is no such page")
	errForm     = errors.New("the form cannot be read")
	errReadOnly = errors.New("this console only shows: it was started with --read-only")
)

// page makes a handler of what reads a page's content.
func (c *Console) page(read func(context.Context, *http.Request) (name string, content framed, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, content, err := read(r.Context(), r)
		if err != nil {
			c.wrong(w, r, err)
			return
		}
		v := content.frame()
		o, err := c.overview(r.Context())
		if err != nil {
			c.wrong(w, r, err)
			return
		}
		v.In, v.Now, v.Emulated = true, o.Now, o.Emulated
		v.Wanting = len(slices.DeleteFunc(slices.Clone(o.Needs), func(n pipeline.Need) bool { return !n.Act }))
		v.Trouble, v.Said = c.o.Trouble(), said[r.URL.Query().Get("said")]
		c.show(w, r, http.StatusOK, name, content)
	}
}

// show writes a page. It is made whole before its first byte is sent.
func (c *Console) show(w http.ResponseWriter, r *http.Request, status int, name string, content framed) {
	v := content.frame()
	v.ReadOnly, v.Address, v.Program = c.o.ReadOnly, c.o.Address, c.o.Version
	var b bytes.Buffer
	page, part := c.pages[name], "layout.html"
	if r.URL.Query().Get("part") == "live" && page.Lookup("live") != nil {
		part = "live"
	}
	if err := page.ExecuteTemplate(&b, part, content); err != nil {
		http.Error(w, "the page cannot be made: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// Whoever has gone away reads no error.
	_, _ = w.Write(b.Bytes())
}

// errorView is a page that could not be shown.
type errorView struct {
	view
	What, Next string
}

// wrong says on a page, or as JSON, what went wrong and what helps.
func (c *Console) wrong(w http.ResponseWriter, r *http.Request, err error) {
	status, p := http.StatusInternalServerError, pipeline.AsProblem(err)
	switch {
	case errors.Is(err, errNotThere):
		status, p = http.StatusNotFound, &pipeline.Problem{Class: "usage", What: err.Error(), Next: "go back to the overview"}
	case errors.Is(err, errForm):
		status, p = http.StatusBadRequest, &pipeline.Problem{Class: "usage", What: err.Error(), Next: "send it again"}
	case errors.Is(err, errReadOnly):
		status, p = http.StatusForbidden, &pipeline.Problem{Class: "usage", What: err.Error(), Next: "start `aqueduck serve` without it"}
	case p.Class == "busy" || p.Class == "usage":
		status = http.StatusConflict
	case p.Class == "config":
		status = http.StatusUnprocessableEntity
	case p.Class == "data":
		status = http.StatusServiceUnavailable
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if status == http.StatusNotFound {
			p.Next = "GET /api/v1/overview names pipelines and runs, GET /api/v1/data tables"
		}
		problem(w, status, p.Class, p.Error(), p.Next)
		return
	}
	c.show(w, r, status, "error", &errorView{view: view{Title: "Not done", In: true, Now: c.o.Now()}, What: p.Error(), Next: p.Next})
}

// fresh is how long an overview is shown to whoever asks: a page is looked at by people.
const fresh = time.Second

// overview is what is known of all pipelines.
func (c *Console) overview(ctx context.Context) (*pipeline.Overview, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen != nil && c.o.Now().Before(c.until) {
		return c.seen, nil
	}
	config, catalogue := c.o.Config()
	o, err := pipeline.ReadOverview(ctx, c.o.Dir, config, catalogue, c.o.Now())
	if err != nil {
		return nil, err
	}
	c.seen, c.until = o, c.o.Now().Add(fresh)
	return o, nil
}

// forget has the next page look anew.
func (c *Console) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = nil
}

// overviewView is the first page.
type overviewView struct {
	view
	*pipeline.Overview
	Counts map[string]int
}

func (c *Console) overviewPage(ctx context.Context, _ *http.Request) (string, framed, error) {
	o, err := c.overview(ctx)
	if err != nil {
		return "", nil, err
	}
	counts := map[string]int{}
	for _, p := range o.Pipelines {
		counts[string(p.Health)]++
	}
	return "overview", &overviewView{view{Title: "Overview", Here: "overview"}, o, counts}, nil
}

// pipelineView is the page of a pipeline.
type pipelineView struct {
	view
	pipeline.PipelineOverview
	Status *pipeline.Overview
	Mine   []pipeline.Need
	Charts []chart
}

func (c *Console) pipelinePage(ctx context.Context, r *http.Request) (string, framed, error) {
	o, err := c.overview(ctx)
	if err != nil {
		return "", nil, err
	}
	p, ok := find(o, r.PathValue("name"))
	if !ok {
		return "", nil, errNotThere
	}
	v := &pipelineView{view: view{Title: p.Name, Here: "overview"}, PipelineOverview: p, Status: o}
	for _, n := range o.Needs {
		if n.Pipeline == p.Name {
			v.Mine = append(v.Mine, n)
		}
	}
	if v.Charts, err = c.charts(p.Runs); err != nil {
		return "", nil, err
	}
	return "pipeline", v, nil
}

func find(o *pipeline.Overview, name string) (pipeline.PipelineOverview, bool) {
	i := slices.IndexFunc(o.Pipelines, func(p pipeline.PipelineOverview) bool { return p.Name == name })
	if i < 0 {
		return pipeline.PipelineOverview{}, false
	}
	return o.Pipelines[i], true
}

// runsView is the list of all runs.
type runsView struct {
	view
	Runs []pipeline.PastRun
}

func (c *Console) runsPage(ctx context.Context, _ *http.Request) (string, framed, error) {
	o, err := c.overview(ctx)
	if err != nil {
		return "", nil, err
	}
	v := &runsView{view: view{Title: "Runs", Here: "runs"}}
	for _, p := range o.Pipelines {
		v.Runs = append(v.Runs, p.Runs...)
	}
	slices.SortStableFunc(v.Runs, func(a, b pipeline.PastRun) int { return b.Started.Compare(a.Started) })
	return "runs", v, nil
}

// runView is the page of a run.
type runView struct {
	view
	*pipeline.RunAccount
	Axis    axis
	Errors  []failed
	Can     bool // be stopped from here
	Healing bool // what failed can be read again from here
}

// failed are the streams that met an error of one class.
type failed struct {
	Class   string
	Act     bool
	Streams []pipeline.RunStream
}

func (c *Console) runPage(ctx context.Context, r *http.Request) (string, framed, error) {
	d, err := pipeline.ReadRun(ctx, c.o.Dir, r.PathValue("id"))
	if err != nil {
		return "", nil, err
	}
	if d == nil {
		return "", nil, errNotThere
	}
	v := &runView{view: view{Title: "Run of " + d.Pipeline, Here: "runs"}, RunAccount: d, Axis: axisOf(d)}
	for _, s := range d.Streams {
		if s.Error == "" {
			continue
		}
		class := d.ClassOf(s)
		i := slices.IndexFunc(v.Errors, func(f failed) bool { return f.Class == class })
		if i < 0 {
			i, v.Errors = len(v.Errors), append(v.Errors, failed{Class: class, Act: pipeline.Wanting(class)})
		}
		v.Errors[i].Streams = append(v.Errors[i].Streams, s)
	}
	config, _ := c.o.Config()
	_, ours := config.Pipeline(d.Pipeline)
	v.Can = ours && d.Running != nil
	v.Healing = ours && d.Running == nil && d.Outcome != "OK"
	return "run", v, nil
}

// freshnessView is every stream, with how old it is.
type freshnessView struct {
	view
	Streams []pipeline.StreamStatus
}

func (c *Console) freshnessPage(ctx context.Context, _ *http.Request) (string, framed, error) {
	o, err := c.overview(ctx)
	if err != nil {
		return "", nil, err
	}
	return "freshness", &freshnessView{view{Title: "Freshness", Here: "freshness"}, o.Streams}, nil
}
