package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api"
)

// openAPIFile is the description that the emulator serves.
const openAPIFile = "openapi.json"

// seenRoute is what was seen of a route.
type seenRoute struct {
	good   map[int]map[string]*seenValue // by status and media type
	bodies *seenValue                    // of good requests
	ids    [2]map[string]bool            // of good requests
}

// routeRecorder records the answers of a workspace by route.
type routeRecorder struct {
	t      *testing.T
	w      *emulator.Workspace
	routes map[string]*seenRoute
	errors *seenValue
}

func (rec *routeRecorder) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		rec.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	kept := httptest.NewRecorder()
	rec.w.ServeHTTP(kept, r)
	if route, ids, _ := api.FindRoute(r.Method, r.URL.EscapedPath()); route != nil && !strings.HasPrefix(r.URL.Path, "/_") {
		rec.record(route.Name, ids, body, kept)
	}
	maps.Copy(rw.Header(), kept.Header())
	rw.WriteHeader(kept.Code)
	_, _ = rw.Write(kept.Body.Bytes()) // the next request comes after it
}

func decodeNumbers(text []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return v, dec.Decode(&v)
}

func (rec *routeRecorder) record(name string, ids [2]string, body []byte, answer *httptest.ResponseRecorder) {
	media, _, err := mime.ParseMediaType(answer.Header().Get("Content-Type"))
	if err != nil {
		rec.t.Errorf("%s: %v", name, err)
	}
	var value any
	if media == "application/json" && answer.Body.Len() > 0 {
		if value, err = decodeNumbers(answer.Body.Bytes()); err != nil {
			rec.t.Errorf("%s: %v", name, err)
		}
	}
	if answer.Code >= 400 {
		rec.errors.see("error", value)
		return
	}
	s := rec.routes[name]
	if s == nil {
		s = &seenRoute{good: map[int]map[string]*seenValue{}, ids: [2]map[string]bool{{}, {}}}
		rec.routes[name] = s
	}
	if s.good[answer.Code] == nil {
		s.good[answer.Code] = map[string]*seenValue{}
	}
	if s.good[answer.Code][media] == nil {
		s.good[answer.Code][media] = newSeenValue()
	}
	if answer.Body.Len() > 0 {
		s.good[answer.Code][media].see("", value)
	}
	for i, id := range ids {
		if id != "" {
			s.ids[i][id] = true
		}
	}
	if sent, err := decodeNumbers(body); err == nil && len(body) > 0 {
		if s.bodies == nil {
			s.bodies = newSeenValue()
		}
		s.bodies.see("", sent)
	}
}

// routeSampler sends requests to every route of a recorded workspace.
type routeSampler struct {
	*apiClient
	params map[string]map[string]string
	jobs   map[string][]string // begun so far, by the path of their status: the older ones are over
}

// idsOf are where the ids in a path come from: a list whose records have them, or a stream of the oracle with its column.
func (s *routeSampler) idsOf(path string) (ids []string) {
	s.t.Helper()
	column := func(stream, name string) (list []string) {
		for _, row := range s.w.Oracle(stream) {
			list = append(list, fmt.Sprint(row[name]))
		}
		return list
	}
	parent := path[:strings.Index(path, "/{")]
	switch parent {
	case "/conversations":
		return s.w.ConversationIDs()
	case "/tickets":
		return s.w.TicketIDs()
	case "/companies":
		return column("companies", "id")
	case "/notes":
		return append(column("company_notes", "note_id"), column("contact_notes", "note_id")...)
	case "/contacts/find_by_external_id":
		return column("contacts", "external_id")
	case "/contacts/bulk":
		s.jobs[parent] = append(s.jobs[parent], fmt.Sprint(s.do("POST", "/contacts/bulk", m{"contacts": []m{{"external_id": "sampled"}}}).json["id"]))
		return s.jobs[parent]
	case "/jobs/status":
		one := s.do("POST", "/tickets/enqueue", newTicket(s.w.ContactIDs("active")[0], nil)) // types of the other population need more
		s.jobs[parent] = append(s.jobs[parent], fmt.Sprint(one.json["id"]))
		return s.jobs[parent]
	case "/export/reporting_data", "/download/reporting_data":
		one := s.enqueueExport(s.w.CurrentTime().AddDate(0, 0, -3), s.w.CurrentTime())
		s.w.Advance(time.Hour)
		return []string{fmt.Sprint(one.json["job_identifier"])}
	case "/contacts":
		return s.w.ContactIDs("active")
	}
	for _, item := range s.do("GET", parent, nil).anyRecords() {
		ids = append(ids, fmt.Sprint(item.(m)["id"]))
	}
	return ids
}

// anyRecords returns the only list of records of an answer.
func (r apiReply) anyRecords() []any {
	for _, v := range r.json {
		if list, ok := v.([]any); ok {
			return list
		}
	}
	return nil
}

// sampled is how many ids of a route are asked for.
const sampled = 80

// readRoute sends reading requests to a route: for some ids, with each of its parameters, and for later pages.
func (s *routeSampler) readRoute(name, path string) {
	s.t.Helper()
	paths := []string{path}
	if strings.Contains(path, "{") {
		paths = nil
		ids := s.idsOf(path)
		for i := range min(len(ids), sampled) {
			one := braces.ReplaceAllLiteralString(path[:strings.Index(path, "}")+1], url.PathEscape(ids[i*len(ids)/min(len(ids), sampled)]))
			rest := path[strings.Index(path, "}")+1:]
			if inner := strings.Index(rest, "/{"); inner >= 0 {
				for _, item := range s.do("GET", one+rest[:inner], nil).anyRecords() {
					paths = append(paths, one+rest[:inner]+"/"+fmt.Sprint(item.(m)["entity_version_id"]))
				}
				continue
			}
			paths = append(paths, one+rest)
		}
	}
	all := url.Values{}
	for param, kind := range s.params[name] {
		switch {
		case kind == "boolean":
			all.Set(param, "true")
		case param == "per_page":
			all.Set(param, "3")
		case param == "created_at_after":
			all.Set(param, "1600000000")
		}
	}
	for n, p := range paths {
		s.do("GET", p, nil)
		q := maps.Clone(all)
		if n >= 3 && len(q) == 0 {
			continue
		}
		first := s.do("GET", p+"?"+q.Encode(), nil)
		if n >= 3 {
			continue
		}
		if next := first.nextPage(); next != nil {
			for _, after := range []string{fmt.Sprint(next["starting_after"]), "nothing"} {
				q.Set("starting_after", after)
				s.do("GET", p+"?"+q.Encode(), nil)
			}
			q.Del("starting_after")
		}
		for _, page := range []string{"2", "9999", "0"} {
			q.Set("page", page)
			s.do("GET", p+"?"+q.Encode(), nil)
		}
		q.Del("page")
		q.Set("per_page", "150")
		s.do("GET", p+"?"+q.Encode(), nil)
	}
}

// searchRoutes sends searches.
func (s *routeSampler) searchRoutes() {
	for _, kind := range []string{"contacts", "conversations", "tickets", "companies"} {
		for _, per := range []int{2, 150} {
			s.do("POST", "/"+kind+"/search", m{"query": fieldFilter("created_at", ">", 0), "pagination": m{"per_page": per}, "sort": m{"field": "created_at", "order": "ascending"}})
		}
		s.do("POST", "/"+kind+"/search", m{"query": filterGroup("AND", fieldFilter("created_at", ">", 0), fieldFilter("created_at", "<", 5)), "pagination": m{"per_page": 2}})
	}
	s.do("POST", "/companies/list", nil)
	s.do("POST", "/companies/list?per_page=3&page=2&order=asc", nil)
	s.do("POST", "/calls/search", m{"conversation_ids": s.w.ConversationIDs()[:min(20, len(s.w.ConversationIDs()))]})
	for i, into := range s.w.ContactIDs("active")[:40] {
		s.do("POST", "/contacts/merge/preview", m{"from": s.w.ContactIDs("active")[40+i], "into": into})
	}
	scroll := s.do("GET", "/companies/scroll", nil)
	for range 3 {
		scroll = s.do("GET", "/companies/scroll?scroll_param="+url.QueryEscape(fmt.Sprint(scroll.json["scroll_param"])), nil)
	}
}

// recordRoutes records good answers of every route, of both populations, before and after some hours and writes.
func recordRoutes(t *testing.T) *routeRecorder {
	t.Helper()
	rec := &routeRecorder{t: t, routes: map[string]*seenRoute{}, errors: newSeenValue()}
	params := queryParameters(t)
	for _, population := range []string{emulator.Odd, emulator.Team} {
		rec.w = emulator.New(emulator.Config{Seed: 3, Population: population, Contacts: 160, Conversations: 120, Knobs: emulator.Knobs{NoLag: true, NoGzip: true, ChangeShare: 0.3}})
		server := httptest.NewServer(rec)
		s := &routeSampler{&apiClient{t: t, w: rec.w, url: server.URL, version: "2.17", header: "Service-Version"}, params, map[string][]string{}}
		for round := range 3 {
			for _, r := range api.Routes {
				if r.Method == http.MethodGet {
					s.readRoute(r.Name, r.Path)
				}
			}
			s.searchRoutes()
			if round == 2 {
				break
			}
			for i := range s.writeRequests() {
				a := s.writeRequests()[i] // each request with records of its own
				s.do(a.method, a.path, a.body)
			}
			for _, c := range s.w.Oracle("data_connector_versions")[:2] {
				s.do("PATCH", fmt.Sprintf("/data_connectors/%v/versions/%v", c["data_connector_id"], c["entity_version_id"]), m{"note": "sampled"})
			}
			s.doOperation("live", m{"hours": 9})
			s.w.Advance(2 * time.Hour)
		}
		server.Close()
	}
	return rec
}

var wordInBraces = regexp.MustCompile(`\{([^}]*)\}`)

// openAPIDocument is the description of everything that was recorded.
func openAPIDocument(t *testing.T, rec *routeRecorder) []byte {
	t.Helper()
	params, about := queryParameters(t), map[string]endpointRow{}
	for _, row := range endpointRows {
		for _, name := range strings.Fields(row.routes) {
			about[name] = row
		}
	}
	shared := &sharedSchemas{count: map[string]int{}, names: map[string]string{}, made: m{}}
	kinds := newSeenKinds()
	for _, s := range rec.routes {
		for _, medias := range s.good {
			for _, v := range medias {
				kinds.collect(v)
			}
		}
	}
	schemas := map[string]m{"error": rec.errors.schema(newSeenKinds())}
	each := func(f func(key string, v *seenValue)) {
		for _, r := range api.Routes {
			if s := rec.routes[r.Name]; s != nil {
				for _, status := range slices.Sorted(maps.Keys(s.good)) {
					f(r.Name+" "+strconv.Itoa(status), s.good[status]["application/json"])
				}
			}
		}
	}
	each(func(key string, v *seenValue) {
		if v != nil && len(v.types) > 0 {
			schemas[key] = shared.tally(v.schema(kinds), "")
		}
	})
	each(func(key string, _ *seenValue) {
		if schema := schemas[key]; schema != nil {
			name, _, _ := strings.Cut(key, " ")
			schemas[key] = shared.share(schema, name)
		}
	})
	shared.made["Error"] = schemas["error"]
	paths := m{}
	for _, r := range api.Routes {
		s := rec.routes[r.Name]
		if s == nil {
			t.Errorf("no good answer of %s was recorded", r.Name)
			continue
		}
		responses := m{"4XX": m{"description": "refused", "content": m{"application/json": m{"schema": m{"$ref": "#/components/schemas/Error"}}}}}
		for status, medias := range s.good {
			one := m{"description": http.StatusText(status)}
			content := m{}
			for media, v := range medias {
				switch {
				case media == "application/json" && len(v.types) > 0:
					content[media] = m{"schema": schemas[r.Name+" "+strconv.Itoa(status)]}
				case media != "application/json":
					content[media] = m{}
				}
			}
			if len(content) > 0 {
				one["content"] = content
			}
			responses[strconv.Itoa(status)] = one
		}
		operation := m{"operationId": r.Name, "summary": about[r.Name].answers, "tags": []string{strings.Split(r.Name, ".")[0]}, "responses": responses}
		parameters := []m{}
		for _, word := range wordInBraces.FindAllStringSubmatch(r.Path, -1) {
			parameters = append(parameters, m{"name": word[1], "in": "path", "required": true, "schema": m{"type": "string", "minLength": 1}})
		}
		for _, name := range slices.Sorted(maps.Keys(params[r.Name])) {
			schema := m{"type": params[r.Name][name]}
			if schema["type"] == "integer" {
				schema["minimum"] = 1
			}
			parameters = append(parameters, m{"name": name, "in": "query", "schema": schema})
		}
		if len(parameters) > 0 {
			operation["parameters"] = parameters
		}
		if s.bodies != nil {
			schema := s.bodies.schema(newSeenKinds())
			openRequest(schema)
			operation["requestBody"] = m{"content": m{"application/json": m{"schema": schema}}}
		}
		if r.Scope != "" {
			operation["description"] = "A token with scopes needs " + r.Scope + "."
		}
		if paths[r.Path] == nil {
			paths[r.Path] = m{}
		}
		paths[r.Path].(m)[strings.ToLower(r.Method)] = operation
	}
	text, err := json.MarshalIndent(m{"openapi": "3.1.0",
		"info": m{"title": "Emulated customer-messaging workspace", "version": "2.17", "license": m{"name": "Apache-2.0", "identifier": "Apache-2.0"},
			"description": "What aqueduck emulate serves under version 2.17. Schemas are those of recorded answers; other versions have other answers."},
		"servers": []m{{"url": "/"}}, "security": []m{{"token": []string{}}}, "paths": paths,
		"components": m{"schemas": shared.made, "securitySchemes": m{"token": m{"type": "http", "scheme": "bearer"}}}}, "", " ")
	failOn(t, err)
	return append(text, '\n')
}

// openRequest removes from the schema of a request what holds only for the recorded ones.
func openRequest(schema m) {
	delete(schema, "required")
	if fields, ok := schema["properties"].(m); ok {
		for name, inner := range fields {
			if word, is := inner.(m)["const"]; is {
				fields[name] = m{"type": "string", "examples": []any{word}}
			}
		}
	}
	eachInner(schema, "", func(inner m, _ string) m {
		openRequest(inner)
		return inner
	})
}

// TestTheOpenAPIDocumentIsWhatTheServerAnswers: it is made from the routes, the parameters that their code reads, and recorded answers.
func TestTheOpenAPIDocumentIsWhatTheServerAnswers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test runs it")
	}
	want := openAPIDocument(t, recordRoutes(t))
	if *update {
		failOn(t, os.WriteFile(openAPIFile, want, 0o644))
	}
	if text, err := os.ReadFile(openAPIFile); err != nil || !bytes.Equal(text, want) {
		t.Errorf("make docs would change %s: %v", openAPIFile, err)
	}
}

// TestTheOpenAPIDocumentIsServedToThisMachine, without a token, and to no page of another place.
func TestTheOpenAPIDocumentIsServedToThisMachine(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	c.auth = "-"
	r := c.do("GET", "/openapi.json", nil)
	if r.status != 200 || !bytes.Equal(r.raw, emulator.OpenAPI()) || r.json["openapi"] != "3.1.0" {
		t.Errorf("%d, %d bytes of %d", r.status, len(r.raw), len(emulator.OpenAPI()))
	}
	if paths, _ := r.json["paths"].(m); len(paths) < 80 {
		t.Errorf("%d paths", len(paths))
	}
	req, err := http.NewRequest("GET", c.url+"/openapi.json", nil)
	failOn(t, err)
	req.Host = "elsewhere.example"
	res, err := fresh.RoundTrip(req)
	failOn(t, err)
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("to another host: %s", res.Status)
	}
}
