package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
)

// The emulator answers every request with a status of the document, in JSON, and without a panic.

// braces matches the ids in a path.
var braces = regexp.MustCompile(`\{[^}]*\}`)

func newFuzzWorkspace() *Workspace {
	return New(Config{Contacts: 60, Conversations: 20, NoLog: true, Knobs: knobs.Knobs{NoGzip: true}})
}

// serveUnsocketed serves one request without a socket, whatever its address contains.
func serveUnsocketed(t *testing.T, w *Workspace, method, path, query, version string, body []byte) *httptest.ResponseRecorder {
	t.Helper()
	r := &http.Request{Method: method, Host: "localhost", URL: &url.URL{Path: path, RawQuery: query}, Body: io.NopCloser(bytes.NewReader(body)),
		Header: http.Header{"Authorization": {"Bearer " + w.AccessToken()}, w.Options.VersionHeader: {version}}}
	rw := httptest.NewRecorder()
	w.ServeHTTP(rw, r)
	switch rw.Code {
	case 200, 202, 302, 400, 403, 404, 405, 409, 410, 429:
	default:
		t.Errorf("%s %q?%q of %q was answered %d: %s", method, path, query, body, rw.Code, rw.Body)
	}
	if kind := rw.Header().Get("Content-Type"); strings.HasPrefix(kind, "application/json") && !json.Valid(rw.Body.Bytes()) {
		t.Errorf("%s %q?%q of %q gave no JSON: %s", method, path, query, body, rw.Body)
	}
	return rw
}

func FuzzSearches(f *testing.F) {
	w := newFuzzWorkspace()
	paths := []string{"/contacts/search", "/conversations/search", "/tickets/search", "/companies/search", "/tickets/search", "/calls/search", "/contacts/merge/preview",
		"/export/reporting_data/enqueue"}
	for _, body := range []string{
		`{"query":{"field":"updated_at","operator":">","value":1700000000},"sort":{"field":"updated_at","order":"ascending"},"pagination":{"per_page":3}}`,
		`{"query":{"operator":"OR","value":[{"field":"updated_at","operator":"=","value":9223372036854775807},{"field":"updated_at","operator":">","value":-9223372036854775808}]}}`,
		`{"query":{"operator":"AND","value":[{"operator":"OR","value":[{"field":"role","operator":"IN","value":["lead","user"]},{"field":"name","operator":"~","value":"a"}]},{"field":"tag_id","operator":"!=","value":"5"}]}}`,
		`{"query":{"field":"custom_attributes.plan","operator":"NIN","value":["a",1,true]},"pagination":{"per_page":150,"starting_after":"AAAA"}}`,
		`{"query":{"field":"unsubscribed_from_emails","operator":"=","value":true},"sort":{"field":"last_seen_at","order":"descending"}}`,
		`{"conversation_ids":["215470000000001"]}`,
		`{"from":"x","into":"y"}`,
		`{"dataset_id":"conversation","attribute_ids":["conversation.id"],"start_time":1700000000,"end_time":1700086400}`,
	} {
		for which := range paths {
			f.Add(uint8(which), which%2 == 0, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, later bool, body []byte) {
		version := "2.16"
		if later {
			version = "2.17"
		}
		serveUnsocketed(t, w, "POST", paths[int(which)%len(paths)], "", version, body)
	})
}

func FuzzAddresses(f *testing.F) {
	w := newFuzzWorkspace()
	for i, r := range api.Routes {
		f.Add(uint8(i), w.List[0].Doc.ID, "page=2&per_page=5", "2.17")
		f.Add(uint8(i), "../%2e", "starting_after=AAAA&per_page=-1&order=x", r.Name)
	}
	f.Add(uint8(0), "1", "created_at_after=1700000000&created_at_before=-1&page=99999999999999999999", "2.16")
	f.Fuzz(func(t *testing.T, which uint8, id, query, version string) {
		r := api.Routes[int(which)%len(api.Routes)]
		path := braces.ReplaceAllLiteralString(r.Path, id)
		if strings.HasPrefix(path, "/_") || !strings.HasPrefix(path, "/") {
			return
		}
		serveUnsocketed(t, w, r.Method, path, query, version, nil)
	})
}

// FuzzWrites sends bodies to every writing route; replies may contain tables.
func FuzzWrites(f *testing.F) {
	w := newFuzzWorkspace()
	ids := []string{"1", w.List[0].Doc.ID, event.ConversationID(0), event.TicketID(0), event.TicketID(1)}
	writes := slices.DeleteFunc(slices.Clone(api.Routes), func(r api.Route) bool { return r.Method == "GET" || r.Method == "DELETE" })
	for which := range writes {
		for place := range ids {
			for _, body := range []string{
				`{"message_type":"comment","body":"<table><tr><td>a<td colspan=5>b<table>","admin_id":"5"}`,
				`{"message_type":"note","body":"<p>a</table><table><caption><tr><th>x</table>","type":"admin"}`,
				`{"message_type":"assignment","type":"team","admin_id":5,"assignee_id":"814866","skip_reopen":true}`,
				`{"ticket_type_id":"1200","contacts":[{"id":"` + ids[1] + `"}],"ticket_attributes":{"Größe":"S"},"assignment":{"team_assignee_id":814865}}`,
				`{"from":{"type":"admin","id":"5"},"to":[{"type":"user","id":"` + ids[1] + `"},{"type":"lead","id":"` + ids[1] + `"}],"message_type":"email","body":"x","cc":null}`,
				`{"title":null,"read":true,"company_id":7,"custom_attributes":{"a":1e5,"b":null,"c":[{}]},"assignee_id":0,"admin_id":"5","assignment":[]}`,
			} {
				f.Add(uint8(which), uint8(place), which%2 == 0, []byte(body))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which, place uint8, later bool, body []byte) {
		version := "2.13"
		if later {
			version = "2.17"
		}
		r := writes[int(which)%len(writes)]
		serveUnsocketed(t, w, r.Method, braces.ReplaceAllLiteralString(r.Path, ids[int(place)%len(ids)]), "", version, body)
	})
}

// FuzzCursors changes cursors that were handed out: a client may send anything.
func FuzzCursors(f *testing.F) {
	w := newFuzzWorkspace()
	lists := []string{"/contacts", "/contacts/activities", "/conversations", "/data_connectors", "/companies/" + w.CompanyList[0].Newest.ID + "/contacts"}
	for which := range lists {
		f.Add(uint8(which), false, []byte{0})
		f.Add(uint8(which), true, []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255})
	}
	f.Fuzz(func(t *testing.T, which uint8, offset bool, mask []byte) {
		w.SetKnobs(func(k *knobs.Knobs) { k.OffsetWalk = offset })
		const search = `{"query":{"field":"updated_at","operator":">","value":1},"pagination":{"per_page":2,"starting_after":"`
		path, method, body := "", "POST", search
		if int(which)%(len(lists)+1) < len(lists) {
			path, method = lists[int(which)%(len(lists)+1)], "GET"
		} else {
			path = "/contacts/search"
		}
		ask := func(token string) *httptest.ResponseRecorder {
			if method == "GET" {
				return serveUnsocketed(t, w, method, path, "per_page=2&starting_after="+token, "2.17", nil)
			}
			return serveUnsocketed(t, w, method, path, "", "2.17", []byte(body+token+`"}}`))
		}
		var page struct {
			Pages struct {
				Next struct {
					After string `json:"starting_after"`
				}
			}
		}
		_ = json.Unmarshal(ask("").Body.Bytes(), &page) // a list without a next page gives no token to change
		token, err := base64.RawURLEncoding.DecodeString(page.Pages.Next.After)
		if err != nil {
			t.Fatal(err)
		}
		for i := range min(len(mask), len(token)) {
			token[i] ^= mask[i]
		}
		ask(base64.RawURLEncoding.EncodeToString(token))
	})
}

// FuzzOperations carries out operations with any parameters. A refused one changes nothing, and afterwards the workspace and its oracle still
// answer.
func FuzzOperations(f *testing.F) {
	seed := newFuzzWorkspace()
	contact, talk := seed.List[0].Doc.ID, event.ConversationID(0)
	for i, o := range allOperations() {
		with := map[string]any{}
		for _, p := range o.params {
			switch {
			case p.name == "id" && strings.HasPrefix(o.name, "conversations"), p.name == "conversation":
				with[p.name] = talk
			case p.name == "id" || p.name == "contact":
				with[p.name] = contact
			case len(p.of) > 0:
				with[p.name] = p.of[0]
			case p.kind == &wholeParam:
				with[p.name] = 2
			case p.kind == &spanParam:
				with[p.name] = "90m"
			case p.kind == &flagParam:
				with[p.name] = true
			case p.kind == &fieldsParam:
				with[p.name] = map[string]any{"name": "x", "custom_attributes.": 1e9}
			default:
				with[p.name] = "1718416800"
			}
		}
		text, err := json.Marshal(with)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), text, "")
		f.Add(uint8(i), []byte(`{"hours":-1,"by":"-9000000h","n":100000,"at":"0000-01-01T00:00:00Z"}`), "at=9999999999999")
	}
	f.Fuzz(func(t *testing.T, which uint8, with []byte, query string) {
		all := allOperations()
		name := all[int(which)%len(all)].name
		w := New(Config{Contacts: 8, Conversations: 4, Calls: 4, NoLog: true})
		ask := func(method, path, query string, body []byte) int {
			rw := httptest.NewRecorder()
			w.ServeHTTP(rw, &http.Request{Method: method, Host: "localhost", URL: &url.URL{Path: path, RawQuery: query}, Body: io.NopCloser(bytes.NewReader(body)), Header: http.Header{}})
			return rw.Code
		}
		if code := ask("POST", "/_emulator/do/"+name, query, with); code != 200 && code != 400 {
			t.Errorf("%s with %q?%q was answered %d", name, with, query, code)
		}
		for _, stream := range []string{"contacts", "conversation_parts", "calls", "companies"} {
			if code := ask("GET", "/_oracle/"+stream, "", nil); code != 200 {
				t.Errorf("after %s with %q?%q the oracle of %s answers %d", name, with, query, stream, code)
			}
		}
		if ask("GET", "/_oracle/contacts", query, nil) == 500 {
			t.Errorf("the oracle with %q", query)
		}
	})
}
