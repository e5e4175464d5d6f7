package emulator

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// ServeHTTP answers one request to the API, to the controls under /_emulator and /_oracle, or for the page of who looks with a browser.
func (w *Workspace) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, elsewherePath):
		w.serveElsewhere(rw, r)
	case r.Method == http.MethodGet && strings.HasPrefix(path, storagePath):
		w.serveExport(rw, r)
	case strings.HasPrefix(path, "/_"):
		w.controls.ServeHTTP(rw, r)
	case path == "/" && r.Header.Get("Authorization") == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
		w.controls.ServePage(rw, r)
	default:
		w.serve(rw, r)
	}
}

// keptRequests bounds the log of requests: the newest are kept.
const keptRequests = 200_000

// Requests gives the log of requests, oldest first.
func (w *server) Requests() []control.Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]control.Request(nil), w.requests...)
}

// Count is how many requests the API has received, also when no log is kept.
func (w *server) Count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// Between has f run before every request with the request's number, so that a script can change the workspace between
// any two. It runs outside the workspace's lock. One is kept; nil takes it away.
func (w *server) Between(f func(n int)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.between = f
}

// maxBody is more than any question has, and than thousands of contacts in bulk.
const maxBody = 8 << 20

// serve answers one request to the API.
func (w *server) serve(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		panic(http.ErrAbortHandler) // the body was cut: returning would say 200
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	n := w.arrive()
	f := w.fault(n, r)
	entry := control.Request{N: n, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Auth: r.Header.Get("Authorization") != "", Version: r.Header.Get(w.opts.VersionHeader)}
	if !f.wait(r.Context()) {
		return
	}
	if f.cuts() {
		entry.Fault = f.word()
		w.note(entry)
		cut(rw)
		return
	}
	a, name := f.instead(r, w.opts.Elsewhere), ""
	if a.status == http.StatusTooManyRequests {
		a.header = w.retryAfter()
	}
	if a.status == 0 {
		a, name = w.answer(n, r, body)
		a = w.formed(name, w.renamed(a))
		if w.k().Mutate != nil && a.status < 300 {
			a.body = w.k().Mutate(name, bytes.Clone(a.body))
		}
	}
	a = f.spoil(a, event.NewRNG(w.cfg.Seed, event.ForGames, uint64(n)))
	a, replayed := w.cached(f, r, body, a)
	entry.Status, entry.Route, entry.Fault = a.status, name, f.played(a.status, replayed).word()
	entry.Why = a.why()
	w.note(entry)
	w.send(rw, r, a, sending{n: n, fault: f})
}

// arrive numbers a request and lets the script between requests run.
func (w *server) arrive() int {
	w.mu.Lock()
	w.count++
	n, between := w.count, w.between
	w.mu.Unlock()
	if between != nil {
		between(n)
	}
	return n
}

func (w *server) note(e control.Request) {
	w.mu.Lock()
	e.At = w.clock()
	if len(w.requests) >= keptRequests {
		w.requests = append(w.requests[:0], w.requests[keptRequests/2:]...)
	}
	if !w.opts.NoLog {
		w.requests = append(w.requests, e)
	}
	w.mu.Unlock()
	if w.opts.Watch != nil {
		w.opts.Watch(e)
	}
}

// answer checks who asks, in which version and how often, and has the route answer.
func (w *server) answer(n int, r *http.Request, body []byte) (answer, string) {
	who, refused := w.admit(n, r)
	if refused != nil {
		return *refused, ""
	}
	v, ok := w.version(r)
	if !ok {
		return failure(http.StatusBadRequest, "parameter_invalid", "the version is not known"), ""
	}
	if a, limited := w.limit(); limited {
		a.header = w.retryAfter()
		return a, ""
	}
	q := &request{n: n, path: r.URL.Path, base: "http://" + r.Host, query: r.URL.Query(), body: body, version: v}
	rt, ids, known := find(r.Method, r.URL.EscapedPath()) // an escaped slash is part of an id
	switch {
	case rt == nil && known:
		return failure(http.StatusMethodNotAllowed, "method_not_allowed", "not this method"), ""
	case rt == nil, !w.has(v, rt.since):
		return failure(http.StatusNotFound, "not_found", "Resource Not Found"), ""
	case rt.among(w.k().Unavailable):
		return failure(http.StatusForbidden, "api_plan_restricted", "not part of this workspace's plan"), rt.name
	case rt.among(w.k().Forbidden):
		return failure(http.StatusForbidden, "token_unauthorized", "the token lacks a scope"), rt.name
	case !who.may(rt.scope, w.k().ReadScopesOnly):
		return failure(http.StatusForbidden, "token_unauthorized", "the token lacks the scope "+rt.scope), rt.name
	case len(body) > maxBody:
		return failure(http.StatusBadRequest, "parameter_invalid", "the body is larger than 8 MiB"), rt.name
	}
	q.id, q.inner, q.route = ids[0], ids[1], rt.name
	w.catchUp()
	return rt.serve(w, q), rt.name
}

// rate counts requests in windows of ten seconds, over which the quota of a minute is spread (api-notes, Limits).
type rate struct {
	window int64
	used   int
}

const (
	rateWindow = 10
	unlimited  = 100_000 // a minute, announced when there is no limit
)

func (w *server) quota() int {
	if w.opts.RatePerMinute == 0 {
		return unlimited * rateWindow / 60
	}
	return max(1, w.opts.RatePerMinute*rateWindow/60)
}

func (w *server) limit() (answer, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.now() / rateWindow; now != w.rate.window {
		w.rate = rate{window: now}
	}
	w.rate.used++
	if w.opts.RatePerMinute == 0 || w.rate.used <= w.quota() {
		return answer{}, false
	}
	return failure(http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded rate limit"), true
}

// retryAfter is sent with 429 in the form that the knob asks for, if any.
func (w *server) retryAfter() map[string]string {
	now := w.Clock()
	left := rateWindow - now.Unix()%rateWindow
	switch w.k().RetryAfter {
	case "seconds":
		return map[string]string{"Retry-After": strconv.FormatInt(left, 10)}
	case "date":
		return map[string]string{"Retry-After": now.Add(time.Duration(left) * time.Second).UTC().Format(http.TimeFormat)}
	}
	return nil
}

var gzips = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is a valid one
	return z
}}

// minGzip is the size below which compressing is not worth it.
const minGzip = 1024

// sending is how an answer goes out.
type sending struct {
	n     int    // number of the request
	fault *Fault // what happens on the way; nil: nothing
}

func (w *server) send(rw http.ResponseWriter, r *http.Request, a answer, s sending) {
	h := rw.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Request-Id", requestID(w.cfg.Seed, s.n))
	w.headers(h, a)
	for name, value := range a.header {
		h.Set(name, value)
	}
	body := a.body
	if len(body) >= minGzip && !w.k().NoGzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var buf bytes.Buffer
		buf.Grow(len(body) / 4)
		z := gzips.Get().(*gzip.Writer)
		z.Reset(&buf)
		_, _ = z.Write(body) // a buffer takes everything
		_ = z.Close()
		gzips.Put(z)
		body = buf.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	if s.fault != nil && s.fault.Mislabel {
		h.Set("Content-Encoding", "gzip")
		body = a.body
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(a.status)
	switch {
	case s.fault != nil && s.fault.Truncate:
		_, _ = rw.Write(body[:len(body)/2])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler) // the server cuts the connection
	case s.fault != nil && s.fault.Drip > 0:
		s.fault.drip(r.Context(), rw, body)
	default:
		_, _ = rw.Write(body) // the client may have gone away
	}
}

// headers sets the clock and the state of the quota, the latter only for those with a good token.
func (w *server) headers(h http.Header, a answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.k().NoDate {
		h["Date"] = nil // keeps net/http from adding its own
	} else {
		h.Set("Date", w.clock().Add(w.k().DateOffset).UTC().Format(http.TimeFormat))
	}
	if w.k().NoRateHeaders || a.status == http.StatusUnauthorized {
		return
	}
	quota := w.quota()
	left, reset := max(0, quota-w.rate.used), (w.rate.window+1)*rateWindow
	if w.k().OddRateHeaders {
		left, reset = -left, reset-3600
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(quota))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset, 10))
}

func requestID(seed uint64, n int) string {
	return fmt.Sprintf("req_%016x", event.Mix(seed^uint64(n)<<20))
}

// renamed gives an error the code that the knob has for its own.
func (w *server) renamed(a answer) answer {
	if a.status < http.StatusBadRequest {
		return a
	}
	for usual, code := range w.k().Codes {
		if before, after, found := bytes.Cut(a.body, []byte(`"code":"`+usual+`"`)); found {
			a.body = slices.Concat(before, []byte(`"code":`), jsontext.AppendString(nil, code), after)
			return a
		}
	}
	return a
}

// why is what a refusal says; "" where it is none, or says nothing that can be read.
func (a answer) why() string {
	var said struct{ Errors []struct{ Message string } }
	if a.status < http.StatusBadRequest || json.Unmarshal(a.body, &said) != nil || len(said.Errors) == 0 {
		return ""
	}
	return said.Errors[0].Message
}

// failure is an error in the form of workspace-api 7.
func failure(status int, code, message string) answer {
	b := append([]byte(nil), `{"type":"error.list","request_id":null,"errors":[{"code":`...)
	b = jsontext.AppendString(b, code)
	b = append(b, `,"message":`...)
	b = jsontext.AppendString(b, message)
	return answer{status: status, body: append(b, `}]}`...)}
}

func notFound(what string) answer {
	return failure(http.StatusNotFound, "not_found", what+" Not Found")
}
