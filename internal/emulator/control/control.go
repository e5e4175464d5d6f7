// Package control serves the controls of an emulated workspace: the page, the log of requests, the truth, operations.
package control

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// maxBody is more than the parameters of any operation.
const maxBody = 8 << 20

// WorkspaceInfo is the part of a workspace's description that does not change while it is served.
type WorkspaceInfo struct {
	Streams    []string // the streams of the oracle
	Operations string   // all operations, as a table in Markdown
	Knobs      func() any
	OpenAPI    []byte                 // the description of the API
	RouteOf    func(r Request) string // the name of the route that a request went to, "" for none
}

// Server serves the controls of a workspace. They need no token, because it listens on loopback and refuses pages of other origins.
type Server struct {
	w     Target
	about WorkspaceInfo
}

// New returns the controls of a workspace.
func New(w Target, about WorkspaceInfo) *Server { return &Server{w, about} }

// OpenAPIPath is where the description of the API is served.
const OpenAPIPath = "/openapi.json"

// ServeHTTP answers a request under /_emulator or /_oracle, and for the description of the API.
func (s *Server) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch stream, oracle := strings.CutPrefix(path, "/_oracle/"); {
	case (oracle || path == OpenAPIPath || strings.HasPrefix(path, "/_emulator")) && !isLocal(r):
		http.Error(rw, "the controls are for this machine, under 127.0.0.1 or localhost, and for no page of another place", http.StatusForbidden)
	case r.Method == http.MethodGet && oracle:
		s.writeTruth(rw, stream, r.URL.Query().Get("at"))
	case r.Method == http.MethodGet && path == OpenAPIPath:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(s.about.OpenAPI) // the client may have disconnected
	case r.Method == http.MethodGet && (path == "/_emulator" || path == "/_emulator/"):
		s.writeIndex(rw)
	case r.Method == http.MethodGet && path == "/_emulator/requests":
		writeJSON(rw, s.w.Requests())
	case r.Method == http.MethodGet && path == "/_emulator/state":
		writeJSON(rw, s.w.CurrentState())
	case r.Method == http.MethodGet && path == "/_emulator/knobs":
		writeJSON(rw, s.about.Knobs())
	case r.Method == http.MethodPost && strings.HasPrefix(path, "/_emulator/"):
		s.carryOut(rw, r, strings.TrimPrefix(strings.TrimPrefix(path, "/_emulator/"), "do/"))
	default:
		http.Error(rw, "no such control; GET /_emulator/ tells all of them", http.StatusNotFound)
	}
}

// isLocal reports whether a request names this machine as its host, and does not come from a page of another origin in a browser.
func isLocal(r *http.Request) bool {
	return isLoopback(r.Host) && http.NewCrossOriginProtection().Check(r) == nil
}

// writeIndex lists the controls.
func (s *Server) writeIndex(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "text/markdown; charset=utf-8")
	_, _ = io.WriteString(rw, "GET /_emulator/requests, /_emulator/state, /_emulator/knobs, /openapi.json\n"+
		"GET /_oracle/STREAM?at=TIME of "+strings.Join(s.about.Streams, ", ")+
		"\nPOST /_emulator/do/OPERATION, with parameters as a JSON object or in the query:\n\n"+s.about.Operations) // the client may have disconnected
}

// carryOut carries out an operation. Parameters of the body win over those of the query.
func (s *Server) carryOut(rw http.ResponseWriter, r *http.Request, name string) {
	with, err := readParameters(r)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	answer, err := s.w.RunOperation(name, with)
	switch {
	case errors.Is(err, ErrNoOperation):
		http.Error(rw, err.Error()+"; there are\n\n"+s.about.Operations, http.StatusNotFound)
	case errors.Is(err, ErrForgotten):
		http.Error(rw, err.Error(), http.StatusInternalServerError)
	case err != nil:
		http.Error(rw, err.Error(), http.StatusBadRequest)
	default:
		rw.Header().Set("Content-Type", "application/json")
		_, _ = rw.Write(append(answer, '\n')) // the client may have disconnected
	}
}

func readParameters(r *http.Request) (json.RawMessage, error) {
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

// writeTruth writes the rows of a stream as a JSON array, one row a line, for now or for the time that the request names.
func (s *Server) writeTruth(rw http.ResponseWriter, stream, at string) {
	rows, err := s.findTruth(stream, at)
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

func (s *Server) findTruth(stream, at string) (iter.Seq[map[string]any], error) {
	if at == "" {
		if rows := s.w.Truth(stream); rows != nil {
			return rows, nil
		}
		return nil, fmt.Errorf("%w %q; the oracle knows %s", ErrNoStream, stream, strings.Join(s.about.Streams, ", "))
	}
	t, err := ParseTime(at)
	if err != nil {
		return nil, err
	}
	return s.w.TruthAt(stream, t)
}

// ParseTime reads a time in UNIX seconds or RFC 3339.
func ParseTime(text string) (time.Time, error) {
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
	_ = json.NewEncoder(rw).Encode(v) // the client may have disconnected
}

// isLoopback reports whether a Host names this machine.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}
