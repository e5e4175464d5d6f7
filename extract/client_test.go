package extract

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/extract/api"
	"aqueduck/extract/internal/apitest"
)

// askOnce asks for one record of the deleted contacts: the simplest request there is.
func askOnce(c *api.Client) ([]byte, error) {
	record, _, err := FirstRecord(context.Background(), c, sweepStream())
	return record, err
}

// Holds: S13.
func TestNewRefusesWhatCannotWork(t *testing.T) {
	t.Parallel()
	good := api.Options{BaseURL: "https://api.example.com", Token: "canary-token-1", Version: "2.17"}
	tests := map[string]struct {
		change func(*api.Options)
		want   string // words of the error; empty: it works
	}{
		"good":                  {func(*api.Options) {}, ""},
		"a path":                {func(o *api.Options) { o.BaseURL = "https://api.example.com/v1/" }, ""},
		"loopback":              {func(o *api.Options) { o.BaseURL = "http://127.0.0.1:8080" }, ""},
		"loopback of IPv6":      {func(o *api.Options) { o.BaseURL = "http://[::1]:8080" }, ""},
		"localhost":             {func(o *api.Options) { o.BaseURL = "http://localhost:8080" }, ""},
		"plain http":            {func(o *api.Options) { o.BaseURL = "http://api.example.com" }, "https://"},
		"plain http, this LAN":  {func(o *api.Options) { o.BaseURL = "http://192.168.1.4" }, "https://"},
		"disguised loopback":    {func(o *api.Options) { o.BaseURL = "http://127.0.0.1.example.com" }, "https://"},
		"no address":            {func(o *api.Options) { o.BaseURL = "" }, "names no host"},
		"no scheme":             {func(o *api.Options) { o.BaseURL = "api.example.com" }, "names no host"},
		"another scheme":        {func(o *api.Options) { o.BaseURL = "ftp://api.example.com" }, "https://"},
		"a password":            {func(o *api.Options) { o.BaseURL = "https://a:canary-token-1@api.example.com" }, "may have only"},
		"a query":               {func(o *api.Options) { o.BaseURL = "https://api.example.com?token=canary-token-1" }, "may have only"},
		"not a URL":             {func(o *api.Options) { o.BaseURL = "https://a:canary-token-1@[::1" }, "not a URL"},
		"no token":              {func(o *api.Options) { o.Token = "" }, "the token is empty"},
		"token with line break": {func(o *api.Options) { o.Token = "canary-token-1\n" }, "line breaks"},
		"no version":            {func(o *api.Options) { o.Version = "" }, "is not an API version"},
		"header with a space":   {func(o *api.Options) { o.VersionHeader = "Service Version" }, "not a header name"},
		"header of our own":     {func(o *api.Options) { o.VersionHeader = "authorization" }, `"authorization" is a header with another meaning`},
		"limit below zero":      {func(o *api.Options) { o.RequestsPerMinute = -1 }, "below zero"},
	}
	for name, test := range tests {
		o := good
		test.change(&o)
		c, err := api.New(o)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "canary")):
			t.Errorf("%s: %v, want %q", name, err, test.want)
		case c != nil:
			c.Close()
		}
	}
}

func TestT113T121EveryRequestSaysWhoAndWhichVersionAndAsksNoCache(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[{"id":"1"}]}`))
	c := a.newClient(t, func(o *api.Options) { o.VersionHeader = "Api-Version" })
	if _, err := askOnce(c); err != nil {
		t.Fatal(err)
	}
	got := a.Requests()[0]
	want := map[string]string{
		"Authorization": "Bearer secret-token-of-the-tests", "Api-Version": "2.17", "Accept": "application/json",
		"Accept-Encoding": "gzip", "Cache-Control": "no-cache", "User-Agent": "aqueduck",
	}
	for name, value := range want {
		if got.Header.Get(name) != value {
			t.Errorf("%s: %q, want %q", name, got.Header.Get(name), value)
		}
	}
	if got.Query != "page=1&per_page=1" {
		t.Errorf("One asked %s", got.Query)
	}
}

func TestT115OneAndCountTellWhoseWorkspaceItIs(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(30)...)
	c := ws.newClient(t)
	record, at, err := FirstRecord(context.Background(), c, searchStream())
	if err != nil || !strings.Contains(string(record), `"c000"`) || at.Unix() != noon.Unix() {
		t.Errorf("One: %s, %v, %v", record, at, err)
	}
	if total, err := CountRecords(context.Background(), c, searchStream()); err != nil || total != 30 {
		t.Errorf("Count: %d, %v", total, err)
	}
	empty := serveAPI(t, apitest.AnswerWith(`{"data":[]}`)).newClient(t)
	if record, err := askOnce(empty); record != nil || err != nil {
		t.Errorf("One of nothing: %s, %v", record, err)
	}
	if total, err := CountRecords(context.Background(), empty, sweepStream()); total != -1 || err != nil {
		t.Errorf("Count that is not told: %d, %v", total, err)
	}
	if _, err := CountRecords(context.Background(), empty, overStream()); err == nil {
		t.Error("Count of what has no list: no error")
	}
}

func TestT116RefusedTokenStopsEverything(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`401 {"type":"error.list","request_id":"r9","errors":[{"code":"unauthorized","message":"Access Token Invalid secret-token-of-the-tests"}]}`))
	c := a.newClient(t)
	_, err := askOnce(c)
	var e *api.Error
	if !errors.As(err, &e) || e.Class != api.ClassAuth || e.Status != 401 || e.RequestID != "r9" || strings.Contains(err.Error(), "secret-token") {
		t.Errorf("got %v", err)
	}
	if _, _, err := tryDrain(NewReader(c, Request{Stream: searchStream()})); api.ClassOf(err) != api.ClassAuth {
		t.Errorf("then: %v", err)
	}
	if c.Requests() != 1 {
		t.Errorf("%d requests after the token was refused, want 1", c.Requests())
	}
}

// Holds: S5.
func TestT116RotatedTokenIsReadOnce(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		if r.Header.Get("Authorization") != "Bearer second" {
			apitest.Reply(w, `401 {"type":"error.list","errors":[{"code":"token_revoked","message":"x"}]}`)
			return
		}
		apitest.Reply(w, `{"data":[]}`)
	})
	for name, test := range map[string]struct {
		next     []api.Secret
		class    api.Class
		requests int64
	}{
		"rotated":   {next: []api.Secret{"second"}, requests: 2},
		"unchanged": {next: []api.Secret{"secret-token-of-the-tests"}, class: api.ClassAuth, requests: 1},
		"no better": {next: []api.Secret{"third", "fourth"}, class: api.ClassAuth, requests: 2},
		"empty":     {next: []api.Secret{""}, class: api.ClassAuth, requests: 1},
	} {
		n := 0
		c := a.newClient(t, func(o *api.Options) {
			o.Refresh = func() (api.Secret, error) { n++; return test.next[n-1], nil }
		})
		if _, err := askOnce(c); api.ClassOf(err) != test.class || c.Requests() != test.requests || n != 1 {
			t.Errorf("%s: %v after %d requests, %d readings", name, err, c.Requests(), n)
		}
	}
}

// Holds: T82.
func TestAnswersAreClassified(t *testing.T) {
	t.Parallel()
	const usualAttempts = 5
	list := func(status int, code string) string {
		return fmt.Sprintf(`%d {"type":"error.list","request_id":null,"errors":[{"code":%q,"message":"m"}]}`, status, code)
	}
	tests := map[string]struct {
		answer   string
		class    api.Class
		requests int64
	}{
		"plan":               {list(403, "api_plan_restricted"), api.ClassPlan, 1},
		"scope":              {list(403, "forbidden"), api.ClassScope, 1},
		"scope, HTML":        {"403 <html>", api.ClassScope, 1},
		"not found":          {errNotFound, api.ClassNotFound, 1},
		"bare 404":           {"404 <html>", api.ClassTransient, usualAttempts},
		"400":                {list(400, "parameter_invalid"), api.ClassContract, 1},
		"422":                {"422 {}", api.ClassContract, 1},
		"client_error":       {list(400, "client_error"), api.ClassContract, 1}, // without a cursor it is about something else
		"408":                {"408 ", api.ClassTransient, usualAttempts},
		"429":                {list(429, "rate_limit_exceeded"), api.ClassTransient, usualAttempts},
		"500":                {"500 <html>", api.ClassTransient, usualAttempts},
		"503":                {list(503, "service_unavailable"), api.ClassTransient, usualAttempts},
		"204":                {"204 ", api.ClassContract, 1},
		"T19 error list":     {`{"type":"error.list","errors":[{"code":"parameter_invalid","message":"x"}]}`, api.ClassContract, 3},
		"T19 plan":           {`{"type":"error.list","errors":[{"code":"api_plan_restricted","message":"x"}]}`, api.ClassPlan, 1},
		"T19 token":          {`{"type":"error.list","errors":[{"code":"token_revoked","message":"x"}]}`, api.ClassAuth, 1},
		"T19 quota":          {`{"type":"error.list","errors":[{"code":"rate_limit_exceeded","message":"x"}]}`, api.ClassTransient, usualAttempts},
		"T19 list and error": {`{"type":"error.list","data":[],"errors":[]}`, api.ClassContract, 3},
		"T19 {}":             {`{}`, api.ClassContract, 3},
		"T19 other key":      {`{"items":[]}`, api.ClassContract, 3},
		"T19 list is null":   {`{"data":null}`, api.ClassContract, 3},
		"T19 list is object": {`{"data":{}}`, api.ClassContract, 3},
		"T19 list twice":     {`{"data":[],"data":[]}`, api.ClassContract, 3},
		"T19 HTML":           {"<html>all fine</html>", api.ClassTransient, usualAttempts},
		"T19 empty":          {"", api.ClassTransient, usualAttempts},
		"T19 null":           {"null", api.ClassContract, 3},
		"T19 a list":         {"[]", api.ClassContract, 3},
		"T120 cut":           {`{"data":[{"id":"1"}`, api.ClassTransient, usualAttempts},
		"T120 trailing":      {`{"data":[]}<html>`, api.ClassTransient, usualAttempts},
		"T120 second answer": {`{"data":[]} {"data":[]}`, api.ClassTransient, usualAttempts},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, apitest.AnswerWith(test.answer))
			c := a.newClient(t)
			_, err := askOnce(c)
			if api.ClassOf(err) != test.class || c.Requests() != test.requests || c.Retries() != test.requests-1 {
				t.Errorf("%v after %d requests; want class %s after %d", err, c.Requests(), test.class, test.requests)
			}
		})
	}
}

func TestErrorsSayWhatWasBeingDone(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`503 {"type":"error.list","request_id":"abc","errors":[{"code":"service_unavailable","message":"come\n  again"}]}`))
	_, err := askOnce(a.newClient(t, func(o *api.Options) {
		o.Wait = func(ctx context.Context, _ time.Duration) error { return a.Clock.Wait(ctx, 7*time.Second) }
	}))
	want := "request deleted_contacts: GET /contacts/deleted: 503 service_unavailable: come again (5 attempts in 28s, request_id abc)"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// TestTheErrorOfAPageCountsTheAttemptsOfAllItsSizes: an API that dies in the middle of a list is asked for smaller pages too.
func TestTheErrorOfAPageCountsTheAttemptsOfAllItsSizes(t *testing.T) {
	t.Parallel()
	c := serveAPI(t, apitest.AnswerWith(`503 {}`)).newClient(t)
	_, _, err := tryDrain(NewReader(c, Request{Stream: sweepStream()}))
	if want := fmt.Sprintf("(%d attempts in ", c.Requests()); err == nil || c.Requests() < 6 || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v after %d requests, want %q", err, c.Requests(), want)
	}
}

func TestTransientFailuresLoseNothing(t *testing.T) {
	t.Parallel()
	const good = `{"data":[{"id":"1"}]}`
	for name, bad := range map[string]string{
		"500": "500 ", "502": "502 <html>", "408": "408 ", "404": "404 <html>", "429": "429 ", "cut": `{"data":[`, "HTML": "<html>", "wrong": "{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := serveAPI(t, apitest.AnswerWith(bad, bad, good))
			c := a.newClient(t)
			if record, err := askOnce(c); err != nil || string(record) != `{"id":"1"}` || c.Requests() != 3 || c.Retries() != 2 {
				t.Errorf("%s, %v after %d requests", record, err, c.Requests())
			}
		})
	}
}

func TestMaxRequestsEndsARunCleanly(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(100)...)
	s := searchStream()
	s.Read.Page.Size = 10
	state := State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}
	c := ws.newClient(t, func(o *api.Options) { o.MaxRequests = 3 })
	ids, pages, err := tryDrain(NewReader(c, Request{Stream: s, State: state}))
	if !errors.Is(err, api.ErrBudget) || len(ids) != 30 || c.Requests() != 3 {
		t.Fatalf("%d records, %v after %d requests", len(ids), err, c.Requests())
	}
	more, _ := drainPhase(t, NewReader(ws.newClient(t), Request{Stream: s, State: lastState(pages)}))
	if got := sortedDistinct(append(ids, more...)); !slices.Equal(got, ws.contactIDs()) {
		t.Errorf("read %v", got)
	}
}

func TestStreamsSideBySideShareOneBudget(t *testing.T) {
	t.Parallel()
	ws := newWorkspace(t, minutesOf(100)...)
	s := searchStream()
	s.Read.Page.Size = 10
	c := ws.newClient(t, func(o *api.Options) { o.MaxRequests = 25 })
	done := make(chan int64)
	for range 4 {
		go func() {
			_, _, err := tryDrain(NewReader(c, Request{Stream: s, State: State{SyncedTo: secondsBeforeNoon(11 * hour), HistoryDone: true}}))
			if err != nil && !errors.Is(err, api.ErrBudget) {
				t.Error(err)
			}
			done <- c.Requests()
		}()
	}
	for range 4 {
		<-done
	}
	if c.Requests() != 25 || len(ws.Requests()) != 25 {
		t.Errorf("%d requests counted, %d sent; want 25", c.Requests(), len(ws.Requests()))
	}
}

func TestSentIsCountedByStream(t *testing.T) {
	t.Parallel()
	a := nestedAPI(t, tagList(10, `,"total_count":12,"url":"/contacts/c1/tags"`), tagList(0, ""), func(w http.ResponseWriter, _, _ int) { apitest.Reply(w, tagList(12, "")) })
	c := a.newClient(t)
	if _, err := askOnce(c); err != nil { // counts for none
		t.Fatal(err)
	}
	drainPhase(t, NewReader(c, Request{Stream: taggedStream(), State: State{SyncedTo: secondsBeforeNoon(2 * hour), HistoryDone: true}}))
	if got := c.CountsFor(taggedStream()); got.Requests != 2 || got.Retries != 0 {
		t.Errorf("%+v sent for the contacts, want a page and a nested list", got)
	}
}

func TestServerNowNeedsAnAnswer(t *testing.T) {
	t.Parallel()
	a := serveAPI(t, apitest.AnswerWith(`{"data":[]}`))
	c := a.newClient(t)
	if !c.ServerNow().IsZero() {
		t.Error("a server's time before any answer")
	}
	if _, err := askOnce(c); err != nil {
		t.Fatal(err)
	}
	a.Clock.Set(noon.Add(time.Hour))
	if got := c.ServerNow(); !got.Equal(noon.Add(time.Hour)) {
		t.Errorf("server's now %v", got)
	}
}
