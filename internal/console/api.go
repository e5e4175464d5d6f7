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

// registerAPI has the pages as JSON. What is asked for and how it looks changes only with the version in the path.
func (c *Console) registerAPI(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/overview", c.serveJSON(func(ctx context.Context, _ *http.Request) (any, error) { return c.readOverview(ctx) }))
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
		d, err := runlog.ReadRun(ctx, c.o.Dir, r.PathValue("id"))
		if err == nil && d == nil {
			err = errNotThere
		}
		return d, err
	}))
	mux.HandleFunc("GET /api/v1/events", c.streamEvents)
}

// serveJSON makes a handler of what reads something.
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

// lookEvery is how often a page that is live is told of a run under way: as often as the run tells of itself.
const lookEvery = time.Second

// streamEvents tells of the run under way for as long as somebody listens: event running with what run.json says, which is what the
// table of `sync` shows, whenever it changes; event idle when nothing runs, again whenever a run has ended.
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
	// It lives as long as its reader: neither side is hurried.
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
		text := ": still here\n\n" // a reader that has gone is noticed by this
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
		// A run may come and go between two looks: what it leaves behind tells of it.
		var ended time.Time
		if info, err := os.Stat(c.o.Dir.EndsFile()); err == nil {
			ended = info.ModTime().UTC()
		}
		return "event: idle\ndata: {\"ended\": \"" + ended.Format(time.RFC3339Nano) + "\"}\n\n", nil
	}
	text, err := json.Marshal(running)
	if err != nil {
		return "", fmt.Errorf("describe the run: %w", err)
	}
	return "event: running\ndata: " + string(text) + "\n\n", nil
}
