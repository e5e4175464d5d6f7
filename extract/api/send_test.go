package api

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"aqueduck/extract/internal/apitest"
	"aqueduck/schemas"
)

func TestT118EnqueueIsNeverRepeated(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith("500 "))
	c := a.newClient(t)
	_, err := c.Send(context.Background(), Call{Op: "enqueue", Method: "POST", Path: "/export/reporting_data/enqueue"})
	if ClassOf(err) != ClassTransient || c.Requests() != 1 {
		t.Errorf("%v after %d requests", err, c.Requests())
	}
}

// Holds: S6.
func TestOnlyReadingIsPossible(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
	c := a.newClient(t)
	for _, test := range []struct {
		method, path string
		allowed      bool
	}{
		{"GET", "/anything", true}, {"POST", "/contacts/search", true}, {"POST", "/companies/list", true}, {"POST", "/export/reporting_data/enqueue", true},
		{"POST", "/contacts", false}, {"POST", "/contacts/merge", false}, {"POST", "/contacts/bulk", false}, {"POST", "/tickets/enqueue", false},
		{"POST", "/x/export/reporting_data/enqueue", false}, {"POST", "/contacts/search/x", false}, {"POST", "/research", false}, {"POST", "", false},
		{"PUT", "/contacts/search", false}, {"DELETE", "/contacts/1", false}, {"PATCH", "/contacts/search", false}, {"HEAD", "/contacts", false}, {"get", "/contacts", false},
	} {
		before := c.Requests()
		_, err := c.Send(context.Background(), Call{Op: "try", Method: test.method, Path: test.path})
		if sent := c.Requests() > before; sent != test.allowed || (err == nil) != test.allowed {
			t.Errorf("%s %s: sent %t, %v", test.method, test.path, sent, err)
		}
	}
}

// Holds: S9.
func TestT119RedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	var led atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		led.Add(1)
		apitest.Reply(w, `{"data":[]}`)
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
			target := other.URL
			if status%2 == 0 {
				target = "/contacts/elsewhere"
			}
			http.Redirect(w, r, target+"?signature=secret", status)
		})
		c := a.newClient(t)
		_, err := c.Ask(t.Context(), Question{Stream: &schemas.Stream{Name: "contacts"}, Method: http.MethodPost, Path: "/contacts/search", Body: []byte("{}")})
		if !errors.Is(err, ErrRedirect) || c.Requests() != 1 || strings.Contains(err.Error(), "signature") {
			t.Errorf("%d: %v after %d requests", status, err, c.Requests())
		}
	}
	if led.Load() != 0 {
		t.Errorf("%d requests were led elsewhere", led.Load())
	}
}
