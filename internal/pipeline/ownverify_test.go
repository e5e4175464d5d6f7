package pipeline_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"aqueduck/internal/runner"
	"aqueduck/internal/verify"
)

// TestRowsThatNoListCanShowAreNoGhosts: a value that the source refuses, and a list that ends at its cap, say nothing about the rows that a run keeps.
func TestRowsThatNoListCanShowAreNoGhosts(t *testing.T) {
	t.Parallel()
	b := newBed(t, tinyConfig(305))
	var later atomic.Bool
	b.interceptRequests(func(rw http.ResponseWriter, r *http.Request) bool {
		rw.Header().Set("Date", b.space.CurrentTime().UTC().Format(http.TimeFormat))
		kind := r.URL.Query().Get("kind")
		switch {
		case r.URL.Path == "/capped" && later.Load():
			fmt.Fprint(rw, `{"data":[{"id":3},{"id":4}]}`)
		case r.URL.Path == "/capped":
			fmt.Fprint(rw, `{"data":[{"id":1},{"id":2}]}`)
		case kind == "b" && later.Load():
			rw.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(rw, `{"type":"error.list","errors":[{"code":"parameter_invalid","message":"kind"}]}`)
		case kind == "a" && later.Load():
			fmt.Fprint(rw, `{"data":[]}`)
		default:
			fmt.Fprintf(rw, `{"data":[{"id":1,"kind":%q}]}`, kind)
		}
		return true
	})
	b.writeStreamFiles("capped, kinds", `stream: capped
read: {endpoint: GET /capped, records: data, page: {by: none, most: 2}, since: {by: full}}
key: [id]
absent: gone
columns: [{name: id, type: text}]
---
stream: kinds
read: {endpoint: GET /kinds, records: data, page: {by: none}, since: {by: full}, over: {values: [a, b], as: kind, optional: [b]}}
key: [kind, id]
absent: gone
columns: [{name: kind, type: text}, {name: id, type: text}]
`)
	b.syncOnce(runner.Options{})
	later.Store(true)
	b.space.Advance(time.Hour)
	b.syncOnce(runner.Options{Select: []string{"capped"}})
	v, err := verify.Verify(t.Context(), b.runner, b.runner.Config.Pipelines, verify.VerifyOptions{Requests: 200}, func(string) {})
	b.failOn(err)
	if got := strings.Join(listDifferences(v), "; "); got != `kinds ghost ["a","1"] ` {
		t.Errorf("found %s", got)
	}
}
