package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"aqueduck/internal/emulator"
)

// fresh opens a connection for each request: on a used one net/http repeats a GET by itself, and the numbers move.
var fresh = &http.Transport{DisableKeepAlives: true}

// client asks a workspace over real HTTP.
type client struct {
	t       testing.TB
	w       *emulator.Workspace
	url     string
	version string // "": no version is named
	header  string // that names the version
	auth    string // the header Authorization; "": with the workspace's own token, "-": none
}

func start(t testing.TB, c emulator.Config) *client {
	t.Helper()
	if c.Contacts == 0 {
		c.Contacts = 300
	}
	return serve(t, emulator.New(c))
}

func serve(t testing.TB, w *emulator.Workspace) *client {
	t.Helper()
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	return &client{t: t, w: w, url: s.URL, version: "2.17", header: "Service-Version"}
}

// reply is an answer, decoded when it is JSON.
type reply struct {
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

func (c *client) do(method, path string, body any) reply {
	c.t.Helper()
	r, err := c.try(method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (c *client) try(method, path string, body any) (reply, error) {
	var send io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Fatal(err)
		}
		send = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, c.url+path, send)
	if err != nil {
		c.t.Fatal(err)
	}
	switch c.auth {
	case "":
		req.Header.Set("Authorization", "Bearer "+c.w.Token())
	case "-":
	default:
		req.Header.Set("Authorization", c.auth)
	}
	if c.version != "" {
		req.Header.Set(c.header, c.version)
	}
	res, err := fresh.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	r := reply{status: res.StatusCode, header: res.Header, raw: raw}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&r.json) // some answers are no JSON on purpose
	return r, err
}

func (r reply) data() []map[string]any {
	var list []map[string]any
	items, _ := r.json["data"].([]any)
	for _, item := range items {
		list = append(list, item.(map[string]any))
	}
	return list
}

func (r reply) ids() []string {
	var list []string
	for _, item := range r.data() {
		list = append(list, item["id"].(string))
	}
	return list
}

func (r reply) total() int { return whole(r.json["total_count"]) }

// next is pages.next when it is an object.
func (r reply) next() map[string]any {
	pages, _ := r.json["pages"].(map[string]any)
	next, _ := pages["next"].(map[string]any)
	return next
}

func (r reply) code() string {
	list, _ := r.json["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	return list[0].(map[string]any)["code"].(string)
}

func whole(v any) int {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return int(i)
}

type m = map[string]any

func filter(field, operator string, value any) m {
	return m{"field": field, "operator": operator, "value": value}
}

func group(operator string, filters ...any) m { return m{"operator": operator, "value": filters} }

// since is the one query that is right for both meanings of a time (design, section 7).
func since(t int64) m {
	return group("OR", filter("updated_at", "=", t), filter("updated_at", ">", t))
}

func (c *client) search(query any) reply {
	c.t.Helper()
	return c.do("POST", "/contacts/search", m{"query": query, "pagination": m{"per_page": 150}})
}

// searchAll walks a search to its end.
func (c *client) searchAll(query any) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	page := m{"per_page": 150}
	for {
		r := c.do("POST", "/contacts/search", m{"query": query, "pagination": page, "sort": m{"field": "updated_at", "order": "ascending"}})
		if r.status != 200 {
			c.t.Fatalf("search: %d %s", r.status, r.raw)
		}
		all = append(all, r.data()...)
		token, _ := r.next()["starting_after"].(string)
		if token == "" {
			return all
		}
		page = m{"per_page": 150, "starting_after": token}
	}
}

// numbered walks a list that is paged by number.
func (c *client) numbered(path string, per int) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for page := 1; ; page++ {
		r := c.do("GET", fmt.Sprintf("%s?page=%d&per_page=%d", path, page, per), nil)
		all = append(all, r.data()...)
		if r.next() == nil {
			return all
		}
	}
}

// cursors walks a list that is paged by cursor in the query.
func (c *client) cursors(path string) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	token := ""
	for {
		r := c.do("GET", path+"?per_page=150&starting_after="+token, nil)
		all = append(all, r.data()...)
		next, _ := r.next()["starting_after"].(string)
		if next == "" {
			return all
		}
		token = next
	}
}
