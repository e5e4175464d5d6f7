package front

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// ServeElsewhere plays the other host of redirects. It logs the headers of requests, so a test sees credentials that should not be there.
func (w *Server) ServeElsewhere(rw http.ResponseWriter, r *http.Request) {
	w.logRequest(control.Request{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Status: http.StatusOK,
		Auth: r.Header.Get("Authorization") != "", Header: r.Header.Clone()})
	rw.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(rw, `{"type":"list","data":[],"total_count":0,"pages":{"type":"pages","next":null}}`) // the client may have disconnected
}

// keptRequests bounds the log of requests: the newest ones stay.
const keptRequests = 200_000

// Requests returns the log of requests, oldest first.
func (w *Server) Requests() []control.Request {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return append([]control.Request(nil), w.requests...)
}

// RequestCount returns how many requests the API has received, also when no log is kept.
func (w *Server) RequestCount() int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.count
}

// RunBetween sets a function that runs before every request, with the request's number, so that a test can change the workspace between two
// requests. It runs without the workspace's lock. There is one such function, and nil removes it.
func (w *Server) RunBetween(f func(n int)) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.between = f
}

// maxBody is larger than any search, and than a bulk request of thousands of contacts.
const maxBody = 8 << 20

// ServeAPI answers one request to the API.
func (w *Server) ServeAPI(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		panic(http.ErrAbortHandler) // the body was cut: returning would say 200
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	n := w.numberRequest()
	f := w.chooseFault(n, r)
	entry := control.Request{N: n, Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery,
		Auth: r.Header.Get("Authorization") != "", Version: r.Header.Get(w.Options.VersionHeader)}
	if !f.DelayAnswer(r.Context()) {
		return
	}
	if f.CutsConnection() {
		entry.Fault = f.LogName()
		w.logRequest(entry)
		fault.CutConnection(rw)
		return
	}
	a, name := f.ReplacementAnswer(r, w.Options.Elsewhere), ""
	if a.Status == http.StatusTooManyRequests {
		a.Header = w.retryAfter()
	}
	if a.Status == 0 {
		a, name = w.answerRequest(n, r, body)
		a = w.applyForms(name, w.renameErrorCode(a))
		if w.K().Mutate != nil && a.Status < 300 {
			a.Body = w.K().Mutate(name, bytes.Clone(a.Body))
		}
	}
	a = f.ApplyToAnswer(a, event.NewRNG(w.Setup.Seed, event.ForGames, uint64(n)))
	a, replayed := w.cacheAnswer(f, r, body, a)
	entry.Status, entry.Route, entry.Fault = a.Status, name, f.Effective(a.Status, replayed).LogName()
	entry.Why = a.RefusalText()
	w.logRequest(entry)
	w.sendAnswer(rw, r, a, delivery{n: n, fault: f})
}

// numberRequest numbers a request and runs the function of RunBetween.
func (w *Server) numberRequest() int {
	w.Mu.Lock()
	w.count++
	n, between := w.count, w.between
	w.Mu.Unlock()
	if between != nil {
		between(n)
	}
	return n
}

func (w *Server) logRequest(e control.Request) {
	w.Mu.Lock()
	e.At = w.TimeHeld()
	if len(w.requests) >= keptRequests {
		w.requests = append(w.requests[:0], w.requests[keptRequests/2:]...)
	}
	if !w.Options.NoLog {
		w.requests = append(w.requests, e)
	}
	w.Mu.Unlock()
	if w.Options.Watch != nil {
		w.Options.Watch(e)
	}
}

// answerRequest checks the token, the version and the rate limit, then calls the route. It returns the answer and the route's name.
func (w *Server) answerRequest(n int, r *http.Request, body []byte) (answer.Answer, string) {
	who, refused := w.checkToken(n, r)
	if refused != nil {
		return *refused, ""
	}
	v, ok := w.requestedVersion(r)
	if !ok {
		return answer.Failure(http.StatusBadRequest, "parameter_invalid", "the version is not known"), ""
	}
	if a, limited := w.checkRateLimit(); limited {
		a.Header = w.retryAfter()
		return a, ""
	}
	q := &api.Request{N: n, Path: r.URL.Path, Base: "http://" + r.Host, Query: r.URL.Query(), Body: body, Version: v}
	rt, ids, known := api.FindRoute(r.Method, r.URL.EscapedPath()) // EscapedPath, as an escaped slash is part of an id
	switch {
	case rt == nil && known:
		return answer.Failure(http.StatusMethodNotAllowed, "method_not_allowed", "not this method"), ""
	case rt == nil, !w.VersionHas(v, rt.Since):
		return answer.Failure(http.StatusNotFound, "not_found", "Resource Not Found"), ""
	case rt.MatchesAny(w.K().Unavailable):
		return answer.Failure(http.StatusForbidden, "api_plan_restricted", "not part of this workspace's plan"), rt.Name
	case rt.MatchesAny(w.K().Forbidden):
		return answer.Failure(http.StatusForbidden, "token_unauthorized", "the token lacks a scope"), rt.Name
	case !who.HasScope(rt.Scope, w.K().ReadScopesOnly):
		return answer.Failure(http.StatusForbidden, "token_unauthorized", "the token lacks the scope "+rt.Scope), rt.Name
	case len(body) > maxBody:
		return answer.Failure(http.StatusBadRequest, "parameter_invalid", "the body is larger than 8 MiB"), rt.Name
	}
	q.ID, q.Inner, q.Route = ids[0], ids[1], rt.Name
	w.RunDueNow()
	return rt.Serve(w.Handlers, q), rt.Name
}

const (
	rateWindow = 10
	unlimited  = 100_000 // requests a minute, announced when there is no limit
)

func (w *Server) windowQuota() int {
	if w.Options.RatePerMinute == 0 {
		return unlimited * rateWindow / 60
	}
	return max(1, w.Options.RatePerMinute*rateWindow/60)
}

func (w *Server) checkRateLimit() (answer.Answer, bool) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if now := w.UnixNow() / rateWindow; now != w.rate.window {
		w.rate = rateCounter{window: now}
	}
	w.rate.used++
	if w.Options.RatePerMinute == 0 || w.rate.used <= w.windowQuota() {
		return answer.Answer{}, false
	}
	return answer.Failure(http.StatusTooManyRequests, "rate_limit_exceeded", "Exceeded rate limit"), true
}

// retryAfter returns the header of a 429 in the form of the knob, if any.
func (w *Server) retryAfter() map[string]string {
	now := w.CurrentTime()
	left := rateWindow - now.Unix()%rateWindow
	switch w.K().RetryAfter {
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

// minGzip is the smallest body, in bytes, that is compressed.
const minGzip = 1024

// delivery sends an answer.
type delivery struct {
	n     int          // number of the request
	fault *fault.Fault // fault on the way of the answer; nil: none
}

func (w *Server) sendAnswer(rw http.ResponseWriter, r *http.Request, a answer.Answer, s delivery) {
	h := rw.Header()
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("X-Request-Id", requestID(w.Setup.Seed, s.n))
	w.setHeaders(h, a)
	for name, value := range a.Header {
		h.Set(name, value)
	}
	body := a.Body
	if len(body) >= minGzip && !w.K().NoGzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		var buf bytes.Buffer
		buf.Grow(len(body) / 4)
		z := gzips.Get().(*gzip.Writer)
		z.Reset(&buf)
		_, _ = z.Write(body) // a buffer cannot fail
		_ = z.Close()
		gzips.Put(z)
		body = buf.Bytes()
		h.Set("Content-Encoding", "gzip")
	}
	if s.fault != nil && s.fault.Mislabel {
		h.Set("Content-Encoding", "gzip")
		body = a.Body
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	rw.WriteHeader(a.Status)
	switch {
	case s.fault != nil && s.fault.Truncate:
		_, _ = rw.Write(body[:len(body)/2])
		_ = http.NewResponseController(rw).Flush()
		panic(http.ErrAbortHandler) // the server cuts the connection
	case s.fault != nil && s.fault.Drip > 0:
		s.fault.SendSlowly(r.Context(), rw, body)
	default:
		_, _ = rw.Write(body) // the client may have disconnected
	}
}

// setHeaders sets the date and the rate limit. Only requests with a good token get the rate limit.
func (w *Server) setHeaders(h http.Header, a answer.Answer) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if w.K().NoDate {
		h["Date"] = nil // keeps net/http from adding its own
	} else {
		h.Set("Date", w.TimeHeld().Add(w.K().DateOffset).UTC().Format(http.TimeFormat))
	}
	if w.K().NoRateHeaders || a.Status == http.StatusUnauthorized {
		return
	}
	quota := w.windowQuota()
	left, reset := max(0, quota-w.rate.used), (w.rate.window+1)*rateWindow
	if w.K().OddRateHeaders {
		left, reset = -left, reset-3600
	}
	h.Set("X-RateLimit-Limit", strconv.Itoa(quota))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(left))
	h.Set("X-RateLimit-Reset", strconv.FormatInt(reset, 10))
}

func requestID(seed uint64, n int) string {
	return fmt.Sprintf("req_%016x", event.MixBits(seed^uint64(n)<<20))
}

// renameErrorCode replaces an error code by the one of the knob Codes.
func (w *Server) renameErrorCode(a answer.Answer) answer.Answer {
	if a.Status < http.StatusBadRequest {
		return a
	}
	for usual, code := range w.K().Codes {
		if before, after, found := bytes.Cut(a.Body, []byte(`"code":"`+usual+`"`)); found {
			a.Body = slices.Concat(before, []byte(`"code":`), jsontext.AppendString(nil, code), after)
			return a
		}
	}
	return a
}
