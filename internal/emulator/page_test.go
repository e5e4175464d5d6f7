package emulator_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/webhook"
)

// fetchPage requests the page as a browser does, under a name of this machine.
func (c *apiClient) fetchPage(host string) (status int, header http.Header, page string) {
	c.t.Helper()
	req, err := http.NewRequest("GET", c.url+"/", nil)
	c.failOn(err)
	if host != "" {
		req.Host = host
	}
	res, err := fresh.RoundTrip(req)
	c.failOn(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	c.failOn(err)
	return res.StatusCode, res.Header, string(text)
}

func TestThePageShowsWhatIsThereAndWhatWasAsked(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 12, WorkspaceID: "ws42", Zone: mustZone(t, "Asia/Tokyo")})
	s := newSubscriber(t)
	end := c.startWebhook(webhook.Hook{URL: s.url})
	c.do("GET", "/contacts", nil)
	c.do("GET", "/contacts/nobody", nil)
	c.auth = "Bearer other"
	c.do("GET", "/contacts", nil)
	c.auth = ""
	c.failOn(c.w.SetChaos("error=1:502"))
	c.do("GET", "/teams", nil)
	_, err := c.w.RunOperation("content.create", json.RawMessage(`{"kind": "dynamic_contents"}`))
	c.failOn(err)
	s.nextDelivery()
	status, header, page := c.fetchPage("")
	if status != 200 || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%d %v", status, header)
	}
	for _, want := range []string{"<code>ws42</code>", "2024-06-15 02:00:00 UTC", "Asia/Tokyo", "4 requests",
		`<a href="/_oracle/contacts">contacts</a> <b>60</b>`, `<a href="/_oracle/teams">teams</a>`, `<a href="/_oracle/dynamic_contents">dynamic_contents</a> <b>57</b>`,
		`contacts.get</th><td><span class="s4">404 × 1</span>`, `contacts.list</th><td><span class="s2">200 × 1</span> <span class="s4">401 × 1</span>`,
		`teams.list</th><td><span class="s5">502 × 1</span>`,
		"GET /contacts/nobody", "<td>Contact Not Found</td>", "<td>Access Token Invalid</td>", "<code>error=1:502</code>", `error:502 × 1`, "dynamic_content.created", "Authorization: Bearer " + c.w.AccessToken()} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %s", want)
		}
	}
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		res, err := http.Get(c.url + link[1])
		c.failOn(err)
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s is answered %d", link[1], res.StatusCode)
		}
	}
	if c.w.RequestCount() != 4 {
		t.Errorf("looking is counted as a request: %d", c.w.RequestCount())
	}
	if end() != 0 {
		t.Error("a notification was not delivered")
	}
	if _, _, page = c.fetchPage(""); !strings.Contains(page, "No address gets notifications.") {
		t.Error("the page has webhooks that have ended")
	}
	c.failOn(c.w.SetChaos(""))
	if r := c.do("GET", "/", nil); r.status != 404 {
		t.Errorf("with a token / is answered %d", r.status)
	}
}

func mustZone(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// Texts of requests and answers are escaped on the page.
func TestThePageEscapesForeignText(t *testing.T) {
	t.Parallel()
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(2)>`
	c := startWorkspace(t, emulator.Config{Contacts: 60, WorkspaceID: evil, Token: "it's" + evil, Start: time.Date(2024, 6, 15, 2, 0, 0, 0, time.UTC)})
	n, err := c.w.StartNotifier(c.url, webhook.Hook{URL: "http://127.0.0.1:1/%3Cscript%3E<script>alert(3)</script>", Secret: "x", Tries: 1})
	c.failOn(err)
	c.version = evil
	c.do("GET", "/contacts/%3Cscript%3Ealert(4)%3C%2Fscript%3E?%22%3E%3Cscript>", nil)
	_, err = c.w.CreateContent("dynamic_contents")
	c.failOn(err)
	_, header, page := c.fetchPage("")
	if strings.Contains(page, "<script") || strings.Contains(page, "<img") || !strings.Contains(page, "&lt;script&gt;alert(4)") {
		t.Errorf("the page has what was sent:\n%s", page)
	}
	policy := header.Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'; style-src 'sha256-") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("its policy is %s", policy)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n.Close(ctx)
}

// A host name that leads to this machine from elsewhere gets no page: a page of that name could read the answer.
func TestThePageIsServedUnderNamesOfThisMachineOnly(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for host, want := range map[string]int{"127.0.0.1": 200, "127.0.0.1:8080": 200, "localhost": 200, "LOCALHOST:80": 200, "[::1]:8080": 200, "127.9.9.9": 200,
		"evil.example": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example:8080": 403, "10.0.0.1": 403, "0.0.0.0": 403, "": 200} {
		if status, _, page := c.fetchPage(host); status != want || (want != 200) == strings.Contains(page, c.w.AccessToken()) {
			t.Errorf("%s is answered %d, want %d", host, status, want)
		}
	}
}

// A page of another origin that is open in a browser here can neither carry out operations nor read the oracle.
func TestPagesOfOtherOriginsCannotReachTheControls(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	for _, row := range []struct {
		name, method, path, host, origin string
		status                           int
	}{
		{"a program", "POST", "/_emulator/do/contacts.create?role=lead", "", "", 200},
		{"its own page", "POST", "/_emulator/do/contacts.create?role=lead", "localhost:80", "http://localhost:80", 200},
		{"a program that reads", "GET", "/_oracle/teams", "", "", 200},
		{"another page", "POST", "/_emulator/do/contacts.create?role=lead", "", "https://evil.example", 403},
		{"a page without a name", "POST", "/_emulator/live?hours=1", "", "null", 403},
		{"another name", "POST", "/_emulator/do/contacts.create?role=lead", "evil.example", "", 403},
		{"another name that reads", "GET", "/_oracle/contacts", "evil.example", "", 403},
		{"another name that looks", "GET", "/_emulator/requests", "evil.example:8080", "", 403},
	} {
		req, err := http.NewRequest(row.method, c.url+row.path, nil)
		c.failOn(err)
		if row.host != "" {
			req.Host = row.host
		}
		if row.origin != "" {
			req.Header.Set("Origin", row.origin)
		}
		before := c.w.CurrentState()
		res, err := fresh.RoundTrip(req)
		c.failOn(err)
		res.Body.Close()
		if res.StatusCode != row.status || row.status != 200 && c.w.CurrentState() != before {
			t.Errorf("%s: %d, want %d", row.name, res.StatusCode, row.status)
		}
	}
}
