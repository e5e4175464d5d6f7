package emulator

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
)

// Fault is what happens to one request instead of, or on top of, its answer.
type Fault struct {
	Status   int               // this status is answered, the question is not even looked at; 0: the real answer
	Body     string            // with Status; "": an error.list that fits it
	Header   map[string]string // added to the answer
	Wait     time.Duration     // before the answer, in real time
	Reset    bool              // the connection is reset without an answer
	Truncate bool              // half of the body is sent, then the connection is cut
	Garbage  bool              // the answer is followed by something that is no JSON
	HTML     bool              // a proxy's page instead of JSON, with Status or 404
	Redirect bool              // the answer is a way to another host, with Status or 302 (trap T119): Config.Elsewhere
	Drip     time.Duration     // the body comes in sixteen pieces, with this time between them
	Replay   bool              // a cache gives the answer that this question had before, with its Age (trap T121)
	Mislabel bool              // the answer is said to be compressed and is not
	Game     Game              // what is done to the JSON of a good answer
}

// Inject has f decide about every request by its number; nil from f lets it pass. One f is kept; nil takes it away.
// Bodies may be read by f.
func (w *server) Inject(f func(n int, r *http.Request) *Fault) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.inject = f
}

// fault asks the injection first, then chaos.
func (w *server) fault(n int, r *http.Request) *Fault {
	w.mu.Lock()
	inject, chaos := w.inject, w.chaos
	w.mu.Unlock()
	if inject != nil {
		body := r.Body
		f := inject(n, r)
		r.Body = body
		if f != nil {
			return f
		}
	}
	return chaos.draw(n, event.NewRNG(w.cfg.Seed, event.ForChaos, uint64(n)))
}

// wait holds the answer back. It says false when the client gave up.
func (f *Fault) wait(ctx context.Context) bool {
	if f == nil || f.Wait == 0 {
		return true
	}
	t := time.NewTimer(f.Wait)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// pieces is how many a body comes in that drips.
const pieces = 16

// drip sends a body slowly. It stops when the client has gone away.
func (f *Fault) drip(ctx context.Context, rw http.ResponseWriter, body []byte) {
	size := len(body)/pieces + 1
	for piece := range slices.Chunk(body, size) {
		if _, err := rw.Write(piece); err != nil {
			return
		}
		_ = http.NewResponseController(rw).Flush()
		if !(&Fault{Wait: f.Drip}).wait(ctx) {
			return
		}
	}
}

// word names what a fault does, for the log of requests, as --chaos names it.
func (f *Fault) word() string {
	if f == nil {
		return ""
	}
	status := strconv.Itoa(f.Status)
	var words []string
	for _, w := range []struct {
		name string
		on   bool
	}{{"reset", f.Reset}, {"truncate", f.Truncate}, {"garbage", f.Garbage}, {"html404", f.HTML}, {"header", len(f.Header) > 0},
		{"redirect:" + status, f.Redirect}, {"drip:" + f.Drip.String(), f.Drip != 0}, {"age", f.Replay}, {"encoding", f.Mislabel}, {string(f.Game), f.Game != ""},
		{"429", f.Status == http.StatusTooManyRequests}, {"error:" + status, f.Status != 0 && f.Status != http.StatusTooManyRequests && !f.Redirect && !f.HTML},
		{"slow:" + f.Wait.String(), f.Wait != 0}} {
		if w.on {
			words = append(words, w.name)
		}
	}
	return strings.Join(words, ", ")
}

// played is what came of a fault: no game where there was no good JSON, and no old answer where the question had none.
func (f *Fault) played(status int, replayed bool) *Fault {
	if f == nil {
		return nil
	}
	came := *f
	came.Replay = f.Replay && replayed
	if status >= 300 {
		came.Game = ""
	}
	return &came
}

func (f *Fault) cuts() bool { return f != nil && f.Reset }

// cut resets the connection where the server lets us, and ends it otherwise.
func cut(rw http.ResponseWriter) {
	conn, _, err := http.NewResponseController(rw).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, not an end
	}
	_ = conn.Close()
}

const proxyPage = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body>\r\n</html>\r\n"

// instead is the answer that takes the place of the real one; a status of 0 says that there is none.
func (f *Fault) instead(r *http.Request, elsewhere string) answer {
	switch {
	case f == nil, f.Status == 0 && !f.HTML && !f.Redirect:
		return answer{}
	case f.Redirect:
		status := f.Status
		if status == 0 {
			status = http.StatusFound
		}
		if elsewhere == "" {
			elsewhere = "http://" + r.Host
		}
		return answer{status: status, header: map[string]string{"Location": elsewhere + elsewherePath + r.URL.Path}}
	case f.HTML:
		status := f.Status
		if status == 0 {
			status = http.StatusNotFound
		}
		return answer{status: status, body: []byte(proxyPage), header: map[string]string{"Content-Type": "text/html"}}
	case f.Body != "":
		return answer{status: f.Status, body: []byte(f.Body)}
	}
	code, ok := errorCodes[f.Status]
	if !ok {
		code = "server_error"
	}
	return failure(f.Status, code, http.StatusText(f.Status))
}

var errorCodes = map[int]string{400: "client_error", 401: "unauthorized", 403: "api_plan_restricted", 404: "not_found",
	408: "request_timeout", 429: "rate_limit_exceeded", 503: "service_unavailable", 504: "request_timeout"}

// elsewherePath is where redirects lead. Whoever follows one finds a plausible list there, and that it came is noted.
const elsewherePath = "/_elsewhere"

// serveElsewhere is the other host: it notes the headers that it gets, credentials that should not be there among them.
func (w *server) serveElsewhere(rw http.ResponseWriter, r *http.Request) {
	w.note(control.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Status: http.StatusOK,
		Auth: r.Header.Get("Authorization") != "", Header: r.Header.Clone()})
	rw.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(rw, `{"type":"list","data":[],"total_count":0,"pages":{"type":"pages","next":null}}`) // the client may have gone away
}

// spoil adds to an answer what the fault adds.
func (f *Fault) spoil(a answer, r *event.RNG) answer {
	if f == nil {
		return a
	}
	if f.Game != "" && a.status < 300 {
		a.body = f.Game.play(a.body, r)
	}
	if f.Garbage {
		a.body = append(bytes.Clone(a.body), "\n<!-- 502 upstream -->"...)
	}
	if len(f.Header) > 0 {
		header := map[string]string{}
		for name, value := range a.header {
			header[name] = value
		}
		for name, value := range f.Header {
			header[name] = value
		}
		a.header = header
	}
	return a
}
