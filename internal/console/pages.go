package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"aqueduck/internal/runlog"
)

// overviewView is the first page, with all pipelines.
type overviewView struct {
	pageView
	*runlog.Overview
	Counts  map[string]int // pipelines, by their health
	Retried int            // failed pipelines with a retry
	Totals  *runlog.Totals
}

func (c *Console) overviewPage(ctx context.Context, _ *http.Request) (string, framedPage, error) {
	o, err := c.readOverview(ctx)
	if err != nil {
		return "", nil, err
	}
	v := &overviewView{pageView: pageView{Title: "Overview", Here: "overview"}, Overview: o, Counts: map[string]int{}}
	for _, p := range o.Pipelines {
		v.Counts[string(p.Health)]++
		if p.Health == runlog.HealthError && p.Try > 0 {
			v.Retried++
		}
	}
	v.Totals, err = c.readTotals(ctx, o.Now)
	return "overview", v, err
}

// pipelineView is the page of a pipeline.
type pipelineView struct {
	pageView
	runlog.PipelineOverview
	Status *runlog.Overview
	Mine   []runlog.ActionItem
	Charts []runChart
	Coming *comingRun
}

func (c *Console) pipelinePage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	o, err := c.readOverview(ctx)
	if err != nil {
		return "", nil, err
	}
	p, ok := findPipeline(o, r.PathValue("name"))
	if !ok {
		return "", nil, errNotThere
	}
	v := &pipelineView{pageView: pageView{Title: p.Name, Here: "overview"}, PipelineOverview: p, Status: o, Coming: newComingRun(o.Now, p)}
	for _, n := range o.Needs {
		if n.Pipeline == p.Name {
			v.Mine = append(v.Mine, n)
		}
	}
	if v.Charts, err = chartsOf(c.o.Dir, p.Runs, c.zones.zoneOf(r)); err != nil {
		return "", nil, err
	}
	return "pipeline", v, nil
}

// runsView is the page with all runs, and what else is in the history: skipped times, rollbacks and checkpoints that a command changed.
type runsView struct {
	pageView
	Runs      []runlog.PastRun
	More      bool     // there are older ones
	Pipelines []string // those with runs, to choose from
	Pipeline  string   // only its runs; "": all
	NotOK     bool     // only runs that did not end OK
}

// Link is the address of the page with another filter.
func (v *runsView) Link(pipeline string, notOK bool) string {
	q := url.Values{}
	if pipeline != "" {
		q.Set("pipeline", pipeline)
	}
	if notOK {
		q.Set("outcome", "not-ok")
	}
	return "/runs?" + q.Encode()
}

// shows reports whether the filter keeps an entry of the history.
func (v *runsView) shows(r runlog.PastRun) bool {
	isRun := r.Run != "" && r.Pipeline != ""
	return (v.Pipeline == "" || r.Pipeline == v.Pipeline) && (!v.NotOK || isRun && r.Outcome != "OK")
}

// shownHistory is the number of runs that the page of all runs shows.
const shownHistory = 200

func (c *Console) runsPage(ctx context.Context, r *http.Request) (string, framedPage, error) {
	runs, err := runlog.History(ctx, c.o.Dir, "", knownRuns)
	if err != nil {
		return "", nil, err
	}
	q := r.URL.Query()
	v := &runsView{pageView: pageView{Title: "Runs", Here: "runs"}, Pipeline: q.Get("pipeline"), NotOK: q.Get("outcome") == "not-ok"}
	for _, run := range runs {
		if run.Pipeline != "" && !slices.Contains(v.Pipelines, run.Pipeline) {
			v.Pipelines = append(v.Pipelines, run.Pipeline)
		}
		if v.shows(run) {
			v.Runs = append(v.Runs, run)
		}
	}
	slices.Sort(v.Pipelines)
	if v.More = len(v.Runs) > shownHistory; v.More {
		v.Runs = v.Runs[:shownHistory]
	}
	return "runs", v, nil
}

// freshnessView is the page with the freshness of all streams.
type freshnessView struct {
	pageView
	Streams []runlog.StreamStatus
}

func (c *Console) freshnessPage(ctx context.Context, _ *http.Request) (string, framedPage, error) {
	o, err := c.readOverview(ctx)
	if err != nil {
		return "", nil, err
	}
	return "freshness", &freshnessView{pageView{Title: "Freshness", Here: "freshness"}, o.Streams}, nil
}
