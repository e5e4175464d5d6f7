package console

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"aqueduck/internal/runlog"
)

// registerAPI registers the pages as JSON. Paths and answers change only together with the version in the path.
func (c *Console) registerAPI(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/overview", c.serveJSON(func(ctx context.Context, _ *http.Request) (any, error) { return c.readOverview(ctx) }))
	mux.HandleFunc("GET /api/v1/workspaces", c.serveJSON(func(ctx context.Context, _ *http.Request) (any, error) { return c.o.Workspaces(ctx) }))
	mux.HandleFunc("GET /api/v1/totals", c.serveJSON(func(ctx context.Context, _ *http.Request) (any, error) {
		o, err := c.readOverview(ctx)
		if err != nil {
			return nil, err
		}
		return c.readTotals(ctx, o.Now)
	}))
	mux.HandleFunc("GET /api/v1/pipelines/{name}", c.serveJSON(func(ctx context.Context, r *http.Request) (any, error) {
		o, err := c.readOverview(ctx)
		if err != nil {
			return nil, err
		}
		if p, ok := findPipeline(o, r.PathValue("name")); ok {
			return p, nil
		}
		return nil, errNotThere
	}))
	mux.HandleFunc("GET /api/v1/runs/{id}", c.serveJSON(func(ctx context.Context, r *http.Request) (any, error) {
		return readRun(ctx, &c.o, r)
	}))
	mux.HandleFunc("GET /api/v1/runs/{id}/log", c.serveJSON(c.serveLog))
	mux.HandleFunc("GET /api/v1/events", c.streamEvents)
}

// serveJSON makes a handler of a function that reads something.
func (c *Console) serveJSON(read func(context.Context, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := read(r.Context(), r)
		if err != nil {
			c.renderError(w, r, err)
			return
		}
		writeJSON(w, http.StatusOK, v)
	}
}

// lookEvery is how often run.json is read for live pages: as often as a run writes it.
const lookEvery = time.Second

// streamEvents streams the active run until the reader disconnects: event `running` with the content of run.json when it changes, and event
// `idle` when nothing runs, again after each run that ended.
func (c *Console) streamEvents(w http.ResponseWriter, r *http.Request) {
	select {
	case c.live <- struct{}{}:
		defer func() { <-c.live }()
	default:
		w.Header().Set("Retry-After", "60")
		writeProblem(w, http.StatusServiceUnavailable, "busy", fmt.Sprintf("the limit of %d live pages is reached", mostLive), "close other pages of the console")
		return
	}
	control := http.NewResponseController(w)
	// The stream lasts as long as its reader, so it has no deadlines.
	_, _ = control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})
	w.Header().Set("Content-Type", "text/event-stream")
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	last := ""
	for {
		event, err := c.readRunEvent()
		if err != nil {
			return
		}
		text := ": still here\n\n" // notices a reader that has disconnected
		if event != last {
			text, last = event, event
		}
		if _, err := fmt.Fprint(w, text); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-c.ending:
			return
		case <-tick.C:
		}
	}
}

func (c *Console) readRunEvent() (string, error) {
	running, err := runlog.ReadRunning(c.o.Dir)
	if err != nil {
		return "", err
	}
	if running == nil {
		// A run may begin and end between two looks: then only the size of the file that records ends shows it.
		var size int64
		if info, err := os.Stat(c.o.Dir.EndsFile()); err == nil {
			size = info.Size()
		}
		return fmt.Sprintf("event: idle\ndata: {\"ended_bytes\": %d}\n\n", size), nil
	}
	text, err := json.Marshal(running)
	if err != nil {
		return "", fmt.Errorf("describe the run: %w", err)
	}
	return "event: running\ndata: " + string(text) + "\n\n", nil
}
