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

// fresh opens a connection for each request: on a used one net/http retries a GET by itself, which changes the request numbers.
var fresh = &http.Transport{DisableKeepAlives: true}

// apiClient sends requests to a workspace over real HTTP.
type apiClient struct {
	t       testing.TB
	w       *emulator.Workspace
	url     string
	version string // "": no version header
	header  string // name of the version header
	auth    string // the Authorization header; "": with the workspace's own token, "-": none
}

func startWorkspace(t testing.TB, c emulator.Config) *apiClient {
	t.Helper()
	if c.Contacts == 0 {
		c.Contacts = 300
	}
	return serveWorkspace(t, emulator.New(c))
}

func serveWorkspace(t testing.TB, w *emulator.Workspace) *apiClient {
	t.Helper()
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	return &apiClient{t: t, w: w, url: s.URL, version: "2.17", header: "Service-Version"}
}

// apiReply is an answer, decoded when it is JSON.
type apiReply struct {
	status int
	header http.Header
	raw    []byte
	json   map[string]any
}

func (c *apiClient) do(method, path string, body any) apiReply {
	c.t.Helper()
	r, err := c.tryRequest(method, path, body)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

func (c *apiClient) tryRequest(method, path string, body any) (apiReply, error) {
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
		req.Header.Set("Authorization", "Bearer "+c.w.AccessToken())
	case "-":
	default:
		req.Header.Set("Authorization", c.auth)
	}
	if c.version != "" {
		req.Header.Set(c.header, c.version)
	}
	res, err := fresh.RoundTrip(req)
	if err != nil {
		return apiReply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	r := apiReply{status: res.StatusCode, header: res.Header, raw: raw}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	_ = dec.Decode(&r.json) // some answers are not JSON on purpose
	return r, err
}

func (r apiReply) dataItems() []map[string]any {
	var list []map[string]any
	items, _ := r.json["data"].([]any)
	if found, isObject := r.json["data"].(m); isObject { // searches of articles
		for _, key := range []string{"articles", "internal_articles"} {
			more, _ := found[key].([]any)
			items = append(items, more...)
		}
	}
	for _, item := range items {
		list = append(list, item.(map[string]any))
	}
	return list
}

func (r apiReply) itemIDs() []string {
	var list []string
	for _, item := range r.dataItems() {
		list = append(list, item["id"].(string))
	}
	return list
}

func (r apiReply) totalCount() int { return toInt(r.json["total_count"]) }

// nextPage returns pages.next when it is an object.
func (r apiReply) nextPage() map[string]any {
	pages, _ := r.json["pages"].(map[string]any)
	next, _ := pages["next"].(map[string]any)
	return next
}

func (r apiReply) errorCode() string {
	list, _ := r.json["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	return list[0].(map[string]any)["code"].(string)
}

func toInt(v any) int {
	n, _ := v.(json.Number)
	i, _ := n.Int64()
	return int(i)
}

type m = map[string]any

func fieldFilter(field, operator string, value any) m {
	return m{"field": field, "operator": operator, "value": value}
}

func filterGroup(operator string, filters ...any) m { return m{"operator": operator, "value": filters} }

// updatedSince returns the query that is right in both meanings of a time (workspace-api 4.1.5 and 9).
func updatedSince(t int64) m {
	return filterGroup("OR", fieldFilter("updated_at", "=", t), fieldFilter("updated_at", ">", t))
}

func (c *apiClient) searchContacts(query any) apiReply {
	c.t.Helper()
	return c.do("POST", "/contacts/search", m{"query": query, "pagination": m{"per_page": 150}})
}

// searchAll walks a search to its end.
func (c *apiClient) searchAll(query any) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	page := m{"per_page": 150}
	for {
		r := c.do("POST", "/contacts/search", m{"query": query, "pagination": page, "sort": m{"field": "updated_at", "order": "ascending"}})
		if r.status != 200 {
			c.t.Fatalf("search: %d %s", r.status, r.raw)
		}
		all = append(all, r.dataItems()...)
		token, _ := r.nextPage()["starting_after"].(string)
		if token == "" {
			return all
		}
		page = m{"per_page": 150, "starting_after": token}
	}
}

// walkPages walks a list that is paged by number.
func (c *apiClient) walkPages(path string, per int) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	for page := 1; ; page++ {
		r := c.do("GET", fmt.Sprintf("%s?page=%d&per_page=%d", path, page, per), nil)
		all = append(all, r.dataItems()...)
		if r.nextPage() == nil {
			return all
		}
	}
}

// walkCursors walks a list that is paged by cursor in the query.
func (c *apiClient) walkCursors(path string) []map[string]any {
	c.t.Helper()
	var all []map[string]any
	token := ""
	for {
		r := c.do("GET", path+"?per_page=150&starting_after="+token, nil)
		all = append(all, r.dataItems()...)
		next, _ := r.nextPage()["starting_after"].(string)
		if next == "" {
			return all
		}
		token = next
	}
}
