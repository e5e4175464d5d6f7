package extract_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"aqueduck/internal/emulator"
	"aqueduck/schemas"
)

var update = flag.Bool("update", false, "write what docs/internals/shapes.md says of envelopes")

// documentedList is what public sources say of a list's answer, by path.
type documentedList map[string]struct {
	Types []string
	Enum  []string
}

// publicEnvelopes are the envelopes of all operations.
func publicEnvelopes(t testing.TB) map[string]documentedList {
	t.Helper()
	text, err := os.ReadFile("../transform/testdata/public-shapes.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Resources map[string]struct{ Paths documentedList }
	}
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	lists := map[string]documentedList{}
	for name, one := range all.Resources {
		if operation, is := strings.CutPrefix(name, "list "); is {
			lists[operation] = one.Paths
		}
	}
	return lists
}

// listedStream is a list that a stream reads, and the route and key that the emulator serves it by.
type listedStream struct{ stream, operation, route, key string }

var everyList = []listedStream{
	{"contacts", "POST /contacts/search", "contacts.search", "data"},
	{"contact_activities", "GET /contacts/activities", "contacts.activities", "data"},
	{"companies", "POST /companies/search", "companies.search", "data"},
	{"companies_listed", "POST /companies/list", "companies.list", "data"},
	{"conversations", "POST /conversations/search", "conversations.search", "conversations"},
	{"deleted_conversations", "GET /conversations/deleted", "conversations.deleted", "conversations"},
	{"tickets", "POST /tickets/search", "tickets.search", "tickets"},
	{"calls", "GET /calls", "calls.list", "data"},
	{"admin_activity_logs", "GET /admins/activity_logs", "logs.list", "activity_logs"},
	{"articles", "GET /articles", "articles.list", "data"},
	{"internal_articles", "GET /internal_articles", "internal_articles.list", "data"},
	{"collections", "GET /help_center/collections", "collections.list", "data"},
	{"newsfeeds", "GET /news/newsfeeds", "newsfeeds.list", "data"},
	{"news_items", "GET /news/news_items", "news_items.list", "data"},
	{"folders", "GET /folders", "folders.list", "data"},
	{"data_connectors", "GET /data_connectors", "data_connectors.list", "data"},
	{"help_centers", "GET /help_center/help_centers", "help_centers.list", "data"},
	{"brands", "GET /brands", "brands.list", "data"},
	{"macros", "GET /macros", "macros.list", "data"},
	{"content_snippets", "GET /content_snippets", "content_snippets.list", "data"},
	{"conversation_data_attributes", "GET /conversations/attributes", "conversations.attributes", "data"},
	{"data_attributes", "GET /data_attributes", "data_attributes.list", "data"},
	{"tags", "GET /tags", "tags.list", "data"},
	{"segments", "GET /segments", "segments.list", "segments"},
	{"admins", "GET /admins", "admins.list", "admins"},
	{"teams", "GET /teams", "teams.list", "teams"},
	{"away_status_reasons", "GET /away_status_reasons", "away_status_reasons.list", "data"},
	{"subscription_types", "GET /subscription_types", "subscription_types.list", "data"},
	{"ticket_types", "GET /ticket_types", "ticket_types.list", "data"},
	{"ticket_states", "GET /ticket_states", "ticket_states.list", "data"},
	// Lists inside a contact that are cut short are read on by these.
	{"contacts", "GET /contacts/{}/tags", "contacts.tags", "data"},
	{"contacts", "GET /contacts/{}/notes", "contacts.notes", "data"},
	{"contacts", "GET /contacts/{}/companies", "contacts.companies", "data"},
}

// otherwiseRead are the lists of public sources that no stream reads by walking them, and why.
var otherwiseRead = map[string]string{
	"POST /calls/search": "one answer for several ids, walked with the shapes of its records", "GET /conversations/{}/handling_events": "by id, likewise",
	"GET /conversations/{}/side_conversations": "by id, likewise", "GET /export/reporting_data/get_datasets": "by extract/export", "GET /contacts": "search is read",
	"GET /conversations": "search is read", "GET /companies": "search and list are read", "GET /companies/scroll": "search and list are read",
	"GET /companies/{}/contacts": "contacts tell their companies", "GET /companies/{}/notes": "a request for each", "GET /companies/{}/segments": "companies tell them",
	"GET /contacts/{}/segments": "a request for each", "GET /contacts/{}/subscriptions": "a request for each", "GET /contacts/{}/merge_history": "a request for each",
	"GET /articles/{}/versions": "a request for each", "GET /news/newsfeeds/{}/items": "news items tell their newsfeeds", "GET /data_connectors/{}/execution_results": "a request for each",
	"GET /teams/{}/metrics": "of this moment alone", "POST /admins/activity_logs/search": "the list is read", "GET /admins/activity_log_event_types": "words", "GET /audiences": "settings",
	"GET /emails": "settings", "GET /office_hours_schedules": "settings", "GET /ai/content_import_sources": "settings", "GET /ai/external_pages": "settings",
}

// shapesOf are the ways in which the emulator serves one shape of an envelope; nil: as it always does. false: no way is known.
func (l listedStream) shapesOf(path, kind string, enum []string) ([]func(*emulator.Knobs), bool) {
	form := func(path, as string) func(*emulator.Knobs) {
		return func(k *emulator.Knobs) { k.Forms = []emulator.Form{{Of: l.route, Path: path, As: as}} }
	}
	next, end := func(s emulator.PageShape) func(*emulator.Knobs) {
		return func(k *emulator.Knobs) { k.ShapesOf = map[string]emulator.PageShapes{l.route: {Next: s}} }
	}, func(s emulator.PageShape) func(*emulator.Knobs) {
		return func(k *emulator.Knobs) { k.ShapesOf = map[string]emulator.PageShapes{l.route: {End: s}} }
	}
	var ways []func(*emulator.Knobs)
	switch {
	case len(enum) > 0:
		for _, word := range enum {
			ways = append(ways, form("$."+path, `"`+word+`"`))
		}
	case path == l.key && kind == "array", path == l.key+"[]" && kind == "object", path == "total_count" && kind == "integer", path == "pages" && kind == "object",
		path == "pages.next" && kind == "null", path == "pages.next.starting_after" && kind == "string", kind == "integer":
		ways = append(ways, func(*emulator.Knobs) {})
	case kind == "array":
		ways = append(ways, func(k *emulator.Knobs) { k.Forms = []emulator.Form{{Of: l.route, Path: "$." + l.key, To: "$." + path}} })
	case strings.HasSuffix(path, "[]") && kind == "object":
		ways = append(ways, func(*emulator.Knobs) {}) // with the list
	case strings.HasSuffix(path, "[]") && kind == "null":
		ways = append(ways, l.editAnswers(`"`+l.key+`":\[`, `${0}null,`), l.editAnswers(`"`+l.key+`":\[\]`, `"`+l.key+`":[null]`))
	case path == "total_count" && kind == "null":
		ways = append(ways, form("$.total_count", "null"))
	case path == "pages" && kind == "null":
		ways = append(ways, end(emulator.ShapeNullPage), end(emulator.ShapeNoPages), end(emulator.ShapeEmpty))
	case path == "pages.next" && kind == "object":
		ways = append(ways, next(emulator.ShapeObject), next(emulator.ShapeNoPage))
	case path == "pages.next" && kind == "string":
		ways = append(ways, next(emulator.ShapeURL))
	case path == "pages.next.starting_after" && kind == "null":
		ways = append(ways, l.editAnswers(`"next":null`, `"next":{"per_page":20,"starting_after":null}`))
	default:
		return nil, false
	}
	return ways, true
}

// editAnswers changes the text of a route's answers.
func (l listedStream) editAnswers(pattern, by string) func(*emulator.Knobs) {
	at := regexp.MustCompile(pattern)
	return func(k *emulator.Knobs) {
		k.Mutate = func(route string, body []byte) []byte {
			if route != l.route || bytes.Contains(body, []byte("[]")) && strings.HasSuffix(pattern, `:\[`) {
				return body
			}
			return at.ReplaceAll(body, []byte(by))
		}
	}
}

// TestT185EveryEnvelopeOfEverySourceIsReadToItsEnd serves each list that a stream reads in each envelope that a public source has for
// it, in pages: all of its records are read, and none twice as often.
func TestT185EveryEnvelopeOfEverySourceIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	envelopes := publicEnvelopes(t)
	c := emulatedCopy(t, emulator.Config{Seed: 17, Contacts: 16, Inactive: 8, Activities: 24, Conversations: 12, Tickets: 12, Calls: 12, Logs: 12, NoLog: true, Knobs: emulator.Knobs{NoLag: true, NestedCap: 2, SubListPage: 3}})
	var usual emulator.Knobs
	c.w.SetKnobs(func(k *emulator.Knobs) { usual = *k })
	shapes := 0
	for _, l := range everyList {
		s := builtinStream(t, l.stream)
		if s.Read.Page.Size > 0 {
			s.Read.Page.Size = 5
		}
		if s.Read.Page.Size > 0 && l.route == "content_snippets.list" {
			s.Read.Page.Size = 20
		}
		want := c.readIDs(s)
		if len(want) == 0 {
			t.Errorf("%s: the emulator has no record", l.operation)
		}
		one := envelopes[l.operation]
		if one == nil {
			t.Errorf("%s is in no public source", l.operation)
		}
		for _, path := range slices.Sorted(maps.Keys(one)) {
			for _, kind := range one[path].Types {
				ways, known := l.shapesOf(path, kind, one[path].Enum)
				if !known {
					t.Errorf("%s: nothing serves %s as %s", l.operation, path, kind)
				}
				shapes++
				for _, way := range ways {
					c.w.SetKnobs(func(k *emulator.Knobs) { *k = usual; way(k) })
					if diff := cmp.Diff(want, c.readIDs(s)); diff != "" {
						t.Errorf("%s with %s as %s (-want +got):\n%s", l.operation, path, kind, diff)
					}
				}
			}
		}
		c.w.SetKnobs(func(k *emulator.Knobs) { *k = usual })
	}
	for operation := range envelopes {
		if !slices.ContainsFunc(everyList, func(l listedStream) bool { return l.operation == operation }) && otherwiseRead[operation] == "" {
			t.Errorf("%s is not walked", operation)
		}
	}
	holdEnvelopes(t, fmt.Sprintf("%d lists of public sources, of %d, are read by walking them: in each of %d shapes of their envelopes.\n", len(everyList), len(envelopes), shapes))
}

// readIDs reads a stream whole, anew, and gives what it has, by id.
func (c *copyOf) readIDs(s *schemas.Stream) []string {
	c.t.Helper()
	delete(c.states, s.Name)
	delete(c.records, s.Name)
	if err := c.readStream(c.newRunClient(), s, -1); err != nil {
		c.t.Errorf("%s: %v", s.Name, err)
		return nil
	}
	var all []string
	for id, record := range c.records[s.Name] {
		for _, list := range []string{"tags", "notes", "companies"} { // those of a contact are read on
			inside, _ := record[list].(map[string]any)
			items, _ := inside["data"].([]any)
			for _, item := range items {
				all = append(all, fmt.Sprint(id, " ", list, " ", item.(map[string]any)["id"]))
			}
		}
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

func holdEnvelopes(t *testing.T, want string) {
	t.Helper()
	const file, begin, end = "../docs/internals/shapes.md", "<!-- envelopes -->\n", "<!-- end of envelopes -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	got, after, closed := strings.Cut(rest, end)
	switch {
	case !found || !closed:
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	case *update:
		if err := os.WriteFile(file, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("make docs would change %s: %s", file, want)
	}
}
