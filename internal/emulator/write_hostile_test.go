package emulator_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// A body with many references, side by side or nested, is parsed in one pass.
func TestBodyWithManyReferencesIsReadQuickly(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the clock, which the race detector slows down: make test runs it")
	}
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	const open = `<span class="service-dynamic-content" data-service-dynamic-content-key="key_0">`
	const many = 1500
	began := time.Now()
	for name, body := range map[string]string{"beside": strings.Repeat(open+"x</span>", many), "inside": strings.Repeat(open, many) + strings.Repeat("</span>", many),
		"never closed": strings.Repeat(open, many)} {
		for _, version := range []string{"2.16", "2.17"} {
			c.version = version
			if r := c.do("POST", "/articles", m{"title": name, "author_id": 5, "body": body}); r.status != 200 {
				t.Errorf("%s, %s: %d %.200s", name, version, r.status, r.raw)
			}
		}
	}
	if took := time.Since(began); took > 20*time.Second { // quadratic time would be most of a minute
		t.Errorf("it took %s", took)
	}
}

// oddValues are values that hardly any field expects.
var oddValues = []any{nil, m{}, []any{}, []any{nil}, []any{m{}}, m{"": nil}, "", " ", "0", "x\x00<&>", -1, 0, 1.5, json.Number("1e400"), json.Number("9223372036854775808"), true,
	json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000)), strings.Repeat("9", 4000)}

// mutateBody calls f with a body in which one value after the other, at every depth, is replaced by an odd one, and with the body itself.
func mutateBody(body any, f func(body any)) {
	switch body := body.(type) {
	case m:
		for name, was := range body {
			for _, value := range oddValues {
				body[name] = value
				f(body)
			}
			mutateBody(was, func(inner any) {
				body[name] = inner
				f(body)
			})
			delete(body, name)
			f(body)
			body[name] = was
		}
	case []m:
		for i := range body {
			list := make([]any, len(body))
			for n := range body {
				list[n] = body[n]
			}
			mutateBody(body[i], func(inner any) {
				list[i] = inner
				f(list)
			})
		}
	}
}

// Whatever a body contains, the status is one of the document's. A refused body is in no journal, and a replay gives the same result for the
// others.
func TestOddBodiesAreAnsweredAndReplayed(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	all := c.writeRequests()
	sent, refused := 0, 0
	ask := func(a writeRequest, body any) {
		lines := len(*done)
		r := c.do(a.method, a.path, body)
		sent++
		if r.status >= 300 {
			refused++
			if r.json["type"] != "error.list" || len(*done) != lines {
				t.Errorf("%s %s %v: %d %.200s, and %d lines", a.method, a.path, body, r.status, r.raw, len(*done)-lines)
			}
		}
		if !slices.Contains([]int{200, 202, 400, 404, 409}, r.status) || len(*done) > lines+1 || !json.Valid(r.raw) {
			t.Errorf("%s %s %v: %d %.200s", a.method, a.path, body, r.status, r.raw)
		}
	}
	for _, a := range all {
		if a.method == http.MethodDelete {
			continue
		}
		mutateBody(a.body, func(body any) { ask(a, body) })
		pass(time.Second)
	}
	pass(time.Hour)
	if sent < 1000 || refused < sent/2 || len(*done) < 100 {
		t.Errorf("of %d bodies %d were refused, and the journal has %d lines", sent, refused, len(*done))
	}
	sameTruth(t, again(), c.w)
}

// A request with a body that ends early gets no success, and changes nothing.
func TestTruncatedBodyIsNotAnswered(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	active := len(c.w.ContactIDs("active"))
	if r := c.do("POST", "/contacts", m{"role": "lead", "name": strings.Repeat("x", 8<<20)}); r.status != 400 || !strings.Contains(string(r.raw), "larger than 8 MiB") {
		t.Errorf("a body that is too large: %d %.200s", r.status, r.raw)
	}
	for name, body := range map[string]string{
		"its length":  "Content-Length: 100\r\n\r\n" + `{"role": "lead"}`,
		"its chunks":  "Transfer-Encoding: chunked\r\n\r\n10\r\n" + `{"role": "lead"}` + "\r\n",
		"a bad chunk": "Transfer-Encoding: chunked\r\n\r\nzz\r\n" + `{"role": "lead"}` + "\r\n0\r\n\r\n",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(c.url, "http://"))
		failOn(t, err)
		_, err = conn.Write([]byte("POST /contacts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + c.w.AccessToken() + "\r\n" + body))
		failOn(t, err)
		failOn(t, conn.(*net.TCPConn).CloseWrite())
		answer, err := io.ReadAll(conn)
		failOn(t, err)
		failOn(t, conn.Close())
		if strings.Contains(string(answer), " 200 ") || len(c.w.ContactIDs("active")) != active {
			t.Errorf("%s: %d contacts, and it is answered\n%s", name, len(c.w.ContactIDs("active"))-active, answer)
		}
	}
}
