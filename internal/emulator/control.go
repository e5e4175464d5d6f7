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

// controls are for whoever runs the emulator in a process of its own, beside the operations. They need no token: it listens
// on loopback, and no page of somebody else is let in.
var controls = map[string]func(w *Workspace, rw http.ResponseWriter){
	"/_emulator":          (*Workspace).controlIndex,
	"/_emulator/":         (*Workspace).controlIndex,
	"/_emulator/requests": func(w *Workspace, rw http.ResponseWriter) { writeJSON(rw, w.Requests()) },
	"/_emulator/state":    func(w *Workspace, rw http.ResponseWriter) { writeJSON(rw, w.State()) },
	"/_emulator/knobs":    func(w *Workspace, rw http.ResponseWriter) { writeJSON(rw, w.k()) },
}

// ServeHTTP answers one request to the API, to the controls under /_emulator and /_oracle, or for the page of who looks with a browser.
func (w *Workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/_"):
		w.control(rw, r)
	case r.URL.Path == "/" && r.Header.Get("Authorization") == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		w.page(rw, r)
	default:
		w.serve(rw, r)
	}
}

func (w *Workspace) control(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch stream, oracle := strings.CutPrefix(path, "/_oracle/"); {
	case (oracle || strings.HasPrefix(path, "/_emulator")) && !isLocal(r):
		http.Error(rw, "the controls are for this machine, under 127.0.0.1 or localhost, and for no page of another place", http.StatusForbidden)
	case r.Method == http.MethodGet && oracle:
		w.controlOracle(rw, stream, r.URL.Query().Get("at"))
	case strings.HasPrefix(path, elsewherePath):
		w.serveElsewhere(rw, r)
	case r.Method == http.MethodGet && strings.HasPrefix(path, storagePath):
		w.serveExport(rw, r)
	case r.Method == http.MethodGet && controls[path] != nil:
		controls[path](w, rw)
	case r.Method == http.MethodPost && strings.HasPrefix(path, "/_emulator/"):
		w.controlDo(rw, r, strings.TrimPrefix(strings.TrimPrefix(path, "/_emulator/"), "do/"))
	default:
		http.Error(rw, "no such control; GET /_emulator/ tells all of them", http.StatusNotFound)
	}
}

// isLocal says whether a request was sent under a name of this machine, and by no page of another place in a browser.
func isLocal(r *http.Request) bool {
	return isLoopback(r.Host) && http.NewCrossOriginProtection().Check(r) == nil
}

// controlIndex tells what there is.
func (w *Workspace) controlIndex(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = io.WriteString(rw, "GET /_emulator/requests, /_emulator/state, /_emulator/knobs\n"+
		"GET /_oracle/STREAM?at=TIME of "+strings.Join(OracleStreams(), ", ")+
		"\nPOST /_emulator/do/OPERATION, with parameters as a JSON object or in the query:\n\n"+Operations()) // the client may have gone away
}

// controlDo carries out an operation. Parameters of the body count before those of the query.
func (w *Workspace) controlDo(rw http.ResponseWriter, r *http.Request, name string) {
	with, err := parameters(r)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := w.Do(name, with)
	switch {
	case errors.Is(err, ErrNoOperation):
		http.Error(rw, err.Error()+"; there are\n\n"+Operations(), http.StatusNotFound)
	case errors.Is(err, errForgotten):
		http.Error(rw, err.Error(), http.StatusInternalServerError)
	case err != nil:
		http.Error(rw, err.Error(), http.StatusBadRequest)
	default:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(append(answer, '\n')) // the client may have gone away
	}
}

func parameters(r *http.Request) (json.RawMessage, error) {
	with := map[string]any{}
	for name, values := range r.URL.Query() {
		with[name] = values[0]
	}
	dec := json.NewDecoder(io.LimitReader(r.Body, maxBody))
	dec.UseNumber()
	if err := dec.Decode(&with); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("the body is no JSON object: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("the body is more than a JSON object")
	}
	if len(with) == 0 {
		return nil, nil
	}
	return json.Marshal(with)
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

// State is where the workspace stands.
type State struct {
	Clock      time.Time `json:"clock"`
	Hours      int       `json:"hours"`
	Active     int       `json:"active"`
	Searchable int       `json:"searchable"`
	Inactive   int       `json:"inactive"` // in the list of inactive contacts
	Activities int       `json:"activities"`

	Conversations int `json:"conversations"` // that are not deleted
	Tickets       int `json:"tickets"`
	Waiting       int `json:"waiting"` // changes that search does not know yet
	Requests      int `json:"requests"`
}

// State counts what is there now.
func (w *server) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	w.settle()
	s := State{Clock: w.clock(), Hours: w.hours, Activities: len(w.feed), Tickets: len(w.ticketList), Waiting: w.idx.Backlog(), Requests: w.count}
	for i := range w.contacts {
		c := &w.contacts[i]
		if c.status == active {
			s.Active++
		}
		if c.Now != nil {
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
