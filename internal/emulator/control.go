package emulator

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// controls are for whoever runs the emulator in a process of its own. They need no token: it listens on loopback.
var controls = map[string]func(w *Workspace, rw http.ResponseWriter, r *http.Request){
	"GET /_emulator/requests": (*Workspace).controlRequests,
	"GET /_emulator/state":    (*Workspace).controlState,
	"POST /_emulator/live":    (*Workspace).controlLive,
	"POST /_emulator/advance": (*Workspace).controlAdvance,
	"POST /_emulator/chaos":   (*Workspace).controlChaos,
	"POST /_emulator/expire-cursors": func(w *Workspace, rw http.ResponseWriter, _ *http.Request) {
		w.ExpireCursors()
		w.controlState(rw, nil)
	},
}

func (w *Workspace) control(rw http.ResponseWriter, r *http.Request) {
	if stream, ok := strings.CutPrefix(r.URL.Path, "/_oracle/"); ok && r.Method == http.MethodGet {
		w.controlOracle(rw, stream, r.URL.Query().Get("at"))
		return
	}
	if strings.HasPrefix(r.URL.Path, elsewherePath) {
		w.serveElsewhere(rw, r)
		return
	}
	if strings.HasPrefix(r.URL.Path, storagePath) && r.Method == http.MethodGet {
		w.serveExport(rw, r)
		return
	}
	serve, ok := controls[r.Method+" "+r.URL.Path]
	if !ok {
		http.Error(rw, "no such control", http.StatusNotFound)
		return
	}
	serve(w, rw, r)
}

// controlOracle writes the rows of a stream as a JSON array, one row a line: those of now, or of the time asked for.
func (w *Workspace) controlOracle(rw http.ResponseWriter, stream, at string) {
	rows, err := w.truthAsked(stream, at)
	switch {
	case errors.Is(err, ErrNoStream):
		http.Error(rw, err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	enc := json.NewEncoder(rw)
	enc.SetEscapeHTML(false)
	before := "["
	for row := range rows {
		if _, err := io.WriteString(rw, before); err != nil {
			return // the client went away
		}
		before = ","
		if enc.Encode(row) != nil {
			return
		}
	}
	if before == "[" {
		_, _ = io.WriteString(rw, before)
	}
	_, _ = io.WriteString(rw, "]\n")
}

func (w *Workspace) truthAsked(stream, at string) (iter.Seq[map[string]any], error) {
	if at == "" {
		if rows := w.Truth(stream); rows != nil {
			return rows, nil
		}
		return nil, unknownStream(stream)
	}
	t, err := instant(at)
	if err != nil {
		return nil, err
	}
	return w.TruthAt(stream, t)
}

// instant reads a time as UNIX seconds or in RFC 3339.
func instant(text string) (time.Time, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Unix(n, 0), nil
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return t, fmt.Errorf("%q is no time: UNIX seconds, or as 2024-06-15T02:00:00Z", text)
	}
	return t, nil
}

func writeJSON(rw http.ResponseWriter, v any) {
	rw.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(rw).Encode(v) // the client may have gone away
}

func (w *Workspace) controlRequests(rw http.ResponseWriter, _ *http.Request) {
	writeJSON(rw, w.Requests())
}

// State is where the workspace stands.
type State struct {
	Clock      time.Time `json:"clock"`
	Hours      int       `json:"hours"`
	Active     int       `json:"active"`
	Searchable int       `json:"searchable"`
	Inactive   int       `json:"inactive"` // in the list of inactive contacts
	Activities int       `json:"activities"`

	Conversations int `json:"conversations"` // that are not deleted
	Waiting       int `json:"waiting"`       // changes that search does not know yet
	Requests      int `json:"requests"`
}

// State counts what is there now.
func (w *Workspace) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle()
	s := State{Clock: w.clock(), Hours: w.hours, Activities: len(w.feed), Waiting: len(w.idx.waiting), Requests: w.count}
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.status == active {
			s.Active++
		}
		if c.shown != nil {
			s.Searchable++
		}
		if c.listed {
			s.Inactive++
		}
	}
	for i := range w.threads {
		if !w.threads[i].deleted {
			s.Conversations++
		}
	}
	return s
}

func (w *Workspace) controlState(rw http.ResponseWriter, _ *http.Request) { writeJSON(rw, w.State()) }

// controlLive lets hours pass; a clock that follows a function is moved along, as nobody else will.
func (w *Workspace) controlLive(rw http.ResponseWriter, r *http.Request) {
	hours, err := strconv.Atoi(r.URL.Query().Get("hours"))
	if err != nil || hours < 0 {
		http.Error(rw, "hours must be a number", http.StatusBadRequest)
		return
	}
	if w.cfg.Now != nil {
		w.Advance(time.Duration(hours) * time.Hour)
	}
	w.Live(hours)
	w.controlState(rw, r)
}

func (w *Workspace) controlAdvance(rw http.ResponseWriter, r *http.Request) {
	d, err := time.ParseDuration(r.URL.Query().Get("by"))
	if err != nil {
		http.Error(rw, "by must be a duration, as 90m", http.StatusBadRequest)
		return
	}
	w.Advance(d)
	w.controlState(rw, r)
}

func (w *Workspace) controlChaos(rw http.ResponseWriter, r *http.Request) {
	if err := w.SetChaos(r.URL.Query().Get("set")); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	w.controlState(rw, r)
}
