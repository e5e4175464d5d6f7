package console

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
)

// actionMessages has the message after a button, by the word in the page's address. The address itself is never shown as text.
var actionMessages = map[string]string{
	"run": "The run has started.", "retry": "The failed streams are being retried.", "cancel": "The run is stopping: it commits complete batches first.",
	"reload": "The configuration was reloaded.",
}

// pageView is the part that all pages have.
type pageView struct {
	Title    string
	Here     string // the entry of the menu that this page belongs to
	Now      time.Time
	ReadOnly bool
	In       bool // a user is logged in
	Address  string
	Program  string // the program's version
	Trouble  string
	Said     string // result or error of the last button
	Several  bool   // there is more than one workspace
	Wanting  int    // number of items that need action
	Emulated bool
	Path     string // of the page itself, with its query
	Zone     string // time zone of the warehouse
}

func (v *pageView) pageFrame() *pageView { return v }

// framedPage is the view of a page; it embeds pageView.
type framedPage interface{ pageFrame() *pageView }

// Errors of pages.
var (
	errNotThere = errors.New("this page does not exist")
	errForm     = errors.New("the form cannot be read")
	errReadOnly = errors.New("the console is read-only: it was started with --read-only")
)

// servePage makes a handler of a function that reads a page's content.
func (c *Console) servePage(read func(context.Context, *http.Request) (name string, content framedPage, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name, content, err := read(r.Context(), r)
		if err != nil {
			c.renderError(w, r, err)
			return
		}
		v := content.pageFrame()
		o, err := c.readOverview(r.Context())
		if err != nil {
			c.renderError(w, r, err)
			return
		}
		v.In, v.Now, v.Emulated = true, o.Now, o.Emulated
		config, _ := c.o.Config()
		v.Several = len(config.NameList) > 1
		v.Wanting = len(slices.DeleteFunc(slices.Clone(o.Needs), func(n runlog.ActionItem) bool { return !n.Act }))
		v.Trouble, v.Said = c.o.Trouble(), actionMessages[r.URL.Query().Get("said")]
		c.renderPage(w, r, http.StatusOK, name, content)
	}
}

// renderPage writes a page. It is complete before its first byte is sent, so an error can still replace it.
func (c *Console) renderPage(w http.ResponseWriter, r *http.Request, status int, name string, content framedPage) {
	v := content.pageFrame()
	v.Path, v.Zone = "/", c.zones.warehouseZone()
	if r.Method == http.MethodGet {
		v.Path = r.URL.RequestURI()
	}
	v.ReadOnly, v.Address, v.Program = c.o.ReadOnly, c.o.Address, c.o.Version
	var b bytes.Buffer
	part := "layout.html"
	page, err := c.zones.pageIn(name, c.zones.zoneOf(r))
	if err != nil {
		http.Error(w, "the page cannot be rendered: "+err.Error(), http.StatusInternalServerError)
		return
	}
	if r.URL.Query().Get("part") == "live" && page.Lookup("live") != nil {
		part = "live"
	}
	if err := page.ExecuteTemplate(&b, part, content); err != nil {
		http.Error(w, "the page cannot be rendered: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// A reader that has disconnected needs no error.
	_, _ = w.Write(b.Bytes())
}

// errorView is the page of an error.
type errorView struct {
	pageView
	What, Next string
}

// OverviewNext is the next step for a name or an address that does not exist.
const OverviewNext = "open the overview; for programs, GET /api/v1/overview lists the pipelines"

// renderError writes an error and its next step, as a page or as JSON.
func (c *Console) renderError(w http.ResponseWriter, r *http.Request, err error) {
	status, p := http.StatusInternalServerError, problem.AsProblem(err)
	switch {
	case errors.Is(err, errNotThere):
		status, p = http.StatusNotFound, &problem.Problem{Class: "usage", What: err.Error(), Next: OverviewNext}
	case errors.Is(err, errForm):
		status, p = http.StatusBadRequest, &problem.Problem{Class: "usage", What: err.Error(), Next: "send it again"}
	case errors.Is(err, errReadOnly):
		status, p = http.StatusForbidden, &problem.Problem{Class: "usage", What: err.Error(), Next: "restart `aqueduck serve` without --read-only"}
	case p.Class == "busy" || p.Class == "usage":
		status = http.StatusConflict
	case p.Class == "config":
		status = http.StatusUnprocessableEntity
	case p.Class == "data":
		status = http.StatusServiceUnavailable
	}
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if status == http.StatusNotFound {
			p.Next = "list pipelines and runs: GET /api/v1/overview; list tables: GET /api/v1/data"
		}
		writeProblem(w, status, p.Class, p.Error(), p.Next)
		return
	}
	v := &errorView{pageView: pageView{Title: "Not done", In: true}, What: p.Error(), Next: p.Next}
	v.Now, v.Emulated = runlog.WarehouseTime(c.o.Dir, c.o.Now())
	c.renderPage(w, r, status, "error", v)
}

// fresh is how long an overview is used again: people do not notice a second.
const fresh = time.Second

// readOverview returns the state of all pipelines.
func (c *Console) readOverview(ctx context.Context) (*runlog.Overview, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.seen != nil && c.o.Now().Before(c.until) {
		return c.seen, nil
	}
	config, catalogue := c.o.Config()
	o, err := runlog.ReadOverview(ctx, c.o.Dir, config, catalogue, c.o.Now())
	if err != nil {
		return nil, err
	}
	o.RepeatFlags(c.o.Given)
	c.seen, c.until = o, c.o.Now().Add(fresh)
	return o, nil
}

// clearOverview makes the next page read the state again.
func (c *Console) clearOverview() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen = nil
}

// totalsFresh is how long totals are used again: they sum over a week and more.
const totalsFresh = 30 * time.Second

// readTotals returns how much the warehouse holds, and what its pipelines did of late.
func (c *Console) readTotals(ctx context.Context, now time.Time) (*runlog.Totals, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	file := c.o.Dir.Current()
	if c.totals != nil && c.totalsFile == file && c.o.Now().Before(c.totalsUntil) {
		return c.totals, nil
	}
	config, _ := c.o.Config()
	t, err := runlog.ReadTotals(ctx, c.o.Dir, config, now)
	if err != nil {
		return nil, err
	}
	c.totals, c.totalsFile, c.totalsUntil = t, file, c.o.Now().Add(totalsFresh)
	return t, nil
}

func findPipeline(o *runlog.Overview, name string) (runlog.PipelineOverview, bool) {
	i := slices.IndexFunc(o.Pipelines, func(p runlog.PipelineOverview) bool { return p.Name == name })
	if i < 0 {
		return runlog.PipelineOverview{}, false
	}
	return o.Pipelines[i], true
}
