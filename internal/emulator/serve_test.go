package emulator_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/control"
)

func TestRequestsAreLoggedAndOnlyGoodTokensGetTheRateLimit(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	for _, test := range []struct {
		auth   string
		status int
	}{{"-", 401}, {"Bearer nonsense", 401}, {"", 200}} {
		c.auth = test.auth
		r := c.do("GET", "/contacts", nil)
		if limit := r.header.Get("X-RateLimit-Limit"); r.status != test.status || (limit == "") != (test.status == 401) {
			t.Errorf("T117 %q: %d with a limit of %q", test.auth, r.status, limit)
		}
	}
	if log := c.w.Requests(); len(log) != c.w.RequestCount() || log[0].Auth || !log[1].Auth || log[0].Status != 401 || log[2].Status != 200 || log[0].Path != "/contacts" {
		t.Errorf("log: %+v", log)
	}
}

func TestTheClockIsTheWorkspacesOwn(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Start: time.Date(2031, 2, 3, 4, 5, 6, 0, time.UTC)})
	if got := c.do("GET", "/admins", nil).header.Get("Date"); got != "Mon, 03 Feb 2031 04:05:06 GMT" {
		t.Errorf("Date %q", got)
	}
	c.w.SimulateHours(2)
	if got := c.w.CurrentTime(); !got.Equal(time.Date(2031, 2, 3, 6, 5, 6, 0, time.UTC)) {
		t.Errorf("clock %v after two hours of life", got)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.NoDate = true })
	if got := c.do("GET", "/admins", nil).header.Get("Date"); got != "" {
		t.Errorf("T133: Date %q", got)
	}
	base := time.Date(2031, 2, 3, 4, 0, 0, 0, time.UTC)
	hours := 0
	follow := startWorkspace(t, emulator.Config{Start: base, Now: func() time.Time { return base.Add(time.Duration(hours)*time.Hour + 7*time.Second) }})
	hours = 5
	follow.w.SimulateHours(5)
	if got := follow.w.CurrentTime(); !got.Equal(base.Add(5*time.Hour + 7*time.Second)) {
		t.Errorf("a clock that follows a function: %v", got)
	}
	for _, row := range follow.w.Oracle("contact_activities") {
		if at := row["created_at"].(int64); at > follow.w.CurrentTime().Unix() {
			t.Fatal("an activity of the future")
		}
	}
}

func TestT117TheRateLimitIsSpreadOverTenSeconds(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{RatePerMinute: 60, Knobs: emulator.Knobs{RetryAfter: "seconds"}})
	var last apiReply
	for range 11 {
		last = c.do("GET", "/admins", nil)
	}
	if last.status != 429 || last.errorCode() != "rate_limit_exceeded" || last.header.Get("Retry-After") == "" || last.header.Get("X-RateLimit-Remaining") != "0" {
		t.Errorf("the eleventh: %d %v", last.status, last.header)
	}
	c.w.Advance(10 * time.Second)
	if r := c.do("GET", "/admins", nil); r.status != 200 {
		t.Errorf("in the next window: %d", r.status)
	}
}

func TestFaultsByNumberOfTheRequest(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	plan := map[int]*fault.Fault{
		1: {Status: 503}, 2: {Reset: true}, 3: {Truncate: true}, 4: {Garbage: true}, 5: {HTML: true},
		6: {Status: 200, Body: `{"type":"error.list","errors":[]}`}, 7: {Status: 302, Header: map[string]string{"Location": "http://127.0.0.1:1/"}},
		8: {Wait: time.Millisecond},
	}
	c.w.InjectFaults(func(n int, _ *http.Request) *fault.Fault { return plan[n] })
	check := func(n int, good func(r apiReply, err error) bool) {
		t.Helper()
		if r, err := c.tryRequest("GET", "/admins", nil); !good(r, err) {
			t.Errorf("request %d: %d %q %v", n, r.status, r.raw, err)
		}
	}
	check(1, func(r apiReply, err error) bool { return r.status == 503 && r.errorCode() == "service_unavailable" })
	check(2, func(_ apiReply, err error) bool { return err != nil })
	check(3, func(_ apiReply, err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) })
	check(4, func(r apiReply, _ error) bool { return r.status == 200 && !json.Valid(r.raw) })
	check(5, func(r apiReply, _ error) bool { return r.status == 404 && r.json == nil })
	check(6, func(r apiReply, _ error) bool { return r.status == 200 && r.json["type"] == "error.list" })
	check(7, func(r apiReply, _ error) bool { return r.status == 302 && r.header.Get("Location") != "" })
	check(8, func(r apiReply, _ error) bool { return r.status == 200 && json.Valid(r.raw) })
}

func TestChaosIsReadAndDrawn(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"error=x", "quake=0.1", "error=2", "slow=p95", "429="} {
		if err := fault.CheckChaos(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{
		Chaos: "error=0.2:502,429=0.2,reset=0.05,truncate=0.05,slow=p95:1ms,garbage=0.05,html404=0.05"}})
	counts := map[int]int{}
	for range 400 {
		r, err := c.tryRequest("GET", "/admins", nil)
		if err != nil {
			r.status = -1
		}
		counts[r.status]++
	}
	for status, least := range map[int]int{200: 100, 502: 40, 429: 40, 404: 5, -1: 10} {
		if counts[status] < least {
			t.Errorf("status %d came %d times of 400", status, counts[status])
		}
	}
}

func TestT116TokenIsRevokedAtARequest(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{RevokeAt: 3}})
	got := [3]int{}
	for i := range got {
		got[i] = c.do("GET", "/admins", nil).status
	}
	if got != [3]int{200, 200, 401} {
		t.Errorf("statuses %v", got)
	}
}

func TestT115AnotherWorkspacesIdAndMutatedBodies(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Mutate: func(route string, body []byte) []byte {
		return []byte(strings.Replace(string(body), `"data":[{`, `"data":[{"route":"`+route+`",`, 1))
	}}})
	c.w.SetWorkspaceID("elsewhere")
	if got := c.searchContacts(updatedSince(0)).dataItems()[0]; got["workspace_id"] != "elsewhere" || got["route"] != "contacts.search" {
		t.Errorf("contact %v", got)
	}
}

func TestControlsForASeparateProcess(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{})
	post := func(path string) control.WorkspaceState {
		t.Helper()
		r := c.do("POST", path, nil)
		var s control.WorkspaceState
		if err := json.Unmarshal(r.raw, &s); err != nil || r.status != 200 {
			t.Fatalf("%s: %d %s", path, r.status, r.raw)
		}
		return s
	}
	if s := post("/_emulator/live?hours=3"); s.Hours != 3 {
		t.Errorf("state %+v", s)
	}
	post("/_emulator/chaos?set=error%3D1:500")
	if r := c.do("GET", "/admins", nil); r.status != 500 {
		t.Errorf("chaos: %d", r.status)
	}
	post("/_emulator/chaos?set=")
	before := c.w.CurrentTime()
	post("/_emulator/advance?by=90m")
	if d := c.w.CurrentTime().Sub(before); d != 90*time.Minute {
		t.Errorf("advanced by %v", d)
	}
	for _, stream := range emulator.OracleStreams() {
		var rows []map[string]any
		if err := json.Unmarshal(c.do("GET", "/_oracle/"+stream, nil).raw, &rows); err != nil || len(rows) != len(c.w.Oracle(stream)) {
			t.Errorf("%s: %d rows, %v", stream, len(rows), err)
		}
	}
	var log []control.Request
	if err := json.Unmarshal(c.do("GET", "/_emulator/requests", nil).raw, &log); err != nil || len(log) != 1 {
		t.Errorf("log %v %v", log, err)
	}
}
