package fault

import (
	"bytes"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/event"
)

// DelayAnswer holds the answer back. It returns false when the client gave up.
func (f *Fault) DelayAnswer(ctx context.Context) bool {
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

// SendSlowly sends a body in pieces. It stops when the client disconnects.
func (f *Fault) SendSlowly(ctx context.Context, rw http.ResponseWriter, body []byte) {
	size := len(body)/pieces + 1
	for piece := range slices.Chunk(body, size) {
		if _, err := rw.Write(piece); err != nil {
			return
		}
		_ = http.NewResponseController(rw).Flush()
		if !(&Fault{Wait: f.Drip}).DelayAnswer(ctx) {
			return
		}
	}
}

// LogName returns the names of the fault's effects as --chaos spells them, for the log of requests.
func (f *Fault) LogName() string {
	if f == nil {
		return ""
	}
	status := strconv.Itoa(f.Status)
	var words []string
	for _, w := range []struct {
		name string
		on   bool
	}{{"reset", f.Reset}, {"truncate", f.Truncate}, {"garbage", f.Garbage}, {"html404", f.HTML}, {"header", len(f.Header) > 0},
		{"redirect:" + status, f.Redirect}, {"drip:" + f.Drip.String(), f.Drip != 0}, {"age", f.Replay}, {"encoding", f.Mislabel}, {string(f.Mangling), f.Mangling != ""},
		{"429", f.Status == http.StatusTooManyRequests}, {"error:" + status, f.Status != 0 && f.Status != http.StatusTooManyRequests && !f.Redirect && !f.HTML},
		{"slow:" + f.Wait.String(), f.Wait != 0}} {
		if w.on {
			words = append(words, w.name)
		}
	}
	return strings.Join(words, ", ")
}

// Effective returns the effects that a fault had in fact: no mangling where there was no good JSON, and no replay where the cache had no
// earlier answer.
func (f *Fault) Effective(status int, replayed bool) *Fault {
	if f == nil {
		return nil
	}
	effective := *f
	effective.Replay = f.Replay && replayed
	if status >= 300 {
		effective.Mangling = ""
	}
	return &effective
}

// CutsConnection reports whether the connection is cut before anything is answered.
func (f *Fault) CutsConnection() bool { return f != nil && f.Reset }

// ReplacementAnswer returns the answer that takes the place of the real one. A status of 0 means that there is none.
func (f *Fault) ReplacementAnswer(r *http.Request, elsewhere string) answer.Answer {
	switch {
	case f == nil, f.Status == 0 && !f.HTML && !f.Redirect:
		return answer.Answer{}
	case f.Redirect:
		status := f.Status
		if status == 0 {
			status = http.StatusFound
		}
		if elsewhere == "" {
			elsewhere = "http://" + r.Host
		}
		return answer.Answer{Status: status, Header: map[string]string{"Location": elsewhere + ElsewherePath + r.URL.Path}}
	case f.HTML:
		status := f.Status
		if status == 0 {
			status = http.StatusNotFound
		}
		return answer.Answer{Status: status, Body: []byte(ProxyPage), Header: map[string]string{"Content-Type": "text/html"}}
	case f.Body != "":
		return answer.Answer{Status: f.Status, Body: []byte(f.Body)}
	}
	code, ok := errorCodes[f.Status]
	if !ok {
		code = "server_error"
	}
	return answer.Failure(f.Status, code, http.StatusText(f.Status))
}

// ApplyToAnswer returns an answer with the headers and body changes of the fault.
func (f *Fault) ApplyToAnswer(a answer.Answer, r *event.RNG) answer.Answer {
	if f == nil {
		return a
	}
	if f.Mangling != "" && a.Status < 300 {
		a.Body = f.Mangling.mangleBody(a.Body, r)
	}
	if f.Garbage {
		a.Body = append(bytes.Clone(a.Body), "\n<!-- 502 upstream -->"...)
	}
	if len(f.Header) > 0 {
		header := map[string]string{}
		for name, value := range a.Header {
			header[name] = value
		}
		for name, value := range f.Header {
			header[name] = value
		}
		a.Header = header
	}
	return a
}
