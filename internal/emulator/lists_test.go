package emulator_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// workspace-api 4.11, 7 and 8: pages of 10, at most 150, larger clamped; anything not positive is 400.
func TestT30DeletedListPagesByNumber(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 400, Inactive: 200})
	if n := len(c.do("GET", "/contacts/deleted", nil).dataItems()); n != 10 {
		t.Errorf("default page of %d", n)
	}
	if r := c.do("GET", "/contacts/deleted?per_page=500", nil); len(r.dataItems()) != 150 || toInt(r.json["pages"].(map[string]any)["per_page"]) != 150 {
		t.Errorf("per_page=500 gives %d", len(r.dataItems()))
	}
	for _, query := range []string{"page=0", "page=-1", "per_page=0", "per_page=-5", "page=x"} {
		if r := c.do("GET", "/contacts/deleted?"+query, nil); r.status != 400 || r.json["type"] != "error.list" {
			t.Errorf("%s: %d", query, r.status)
		}
	}
	if r := c.do("GET", "/contacts/deleted?page=99", nil); r.status != 200 || len(r.dataItems()) != 0 || r.nextPage() != nil {
		t.Errorf("past the end: %d %s", r.status, r.raw)
	}
	last, list := 1<<62, c.walkPages("/contacts/deleted", 33)
	for _, e := range list {
		if at := toInt(e["updated_at"]); at > last {
			t.Fatal("not the latest first")
		} else {
			last = at
		}
	}
	if len(list) != 200 {
		t.Errorf("%d entries, want 200", len(list))
	}
}

func TestT28RandomOrderOfTheDeletedListMissesEntriesInOneSweep(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 400, Inactive: 200, Knobs: emulator.Knobs{DeletedOrder: emulator.OrderRandom}})
	seen := map[any]bool{}
	for _, e := range c.walkPages("/contacts/deleted", 20) {
		seen[e["id"]] = true
	}
	if len(seen) == 200 {
		t.Error("one sweep saw everything")
	}
}

func TestT38TheLastCursorOfActivitiesLeadsToWhatComes(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{TrailingToken: true}})
	token, pages := "", 0
	for {
		r := c.do("GET", "/contacts/activities?per_page=150&starting_after="+token, nil)
		pages++
		next, _ := r.nextPage()["starting_after"].(string)
		if next == "" {
			if len(r.dataItems()) != 0 {
				t.Error("the last page is not empty")
			}
			break
		}
		token = next
	}
	c.w.SimulateHours(3)
	r := c.do("GET", "/contacts/activities?per_page=150&starting_after="+token, nil)
	if len(r.dataItems()) == 0 || pages < 3 {
		t.Errorf("the bookmark gives %d activities after three hours", len(r.dataItems()))
	}
	if _, has := r.json["total_count"]; has {
		t.Error("api-notes: activities have no total_count")
	}
}

func TestT39OldActivitiesExpire(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{Retention: 90 * 24 * time.Hour}})
	since := c.w.CurrentTime().Add(-90 * 24 * time.Hour).Unix()
	feed := c.walkCursors("/contacts/activities")
	for _, e := range feed {
		if toInt(e["created_at"]) < int(since) {
			t.Fatal("an activity older than the retention")
		}
	}
	if len(feed) == 0 || len(feed) == len(c.w.Oracle("contact_activities")) {
		t.Errorf("%d activities", len(feed))
	}
}

// T12 and T13: cursors are opaque, bound to their query, and expire.
func TestT12ExpiredAndUnknownCursorsAreRefused(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{CursorLife: 3}})
	ask := func(query any, token string, version string) apiReply {
		c.version = version
		return c.do("POST", "/contacts/search", m{"query": query, "pagination": m{"per_page": 20, "starting_after": token}})
	}
	token := func() string {
		return c.do("POST", "/contacts/search", m{"query": updatedSince(0), "pagination": m{"per_page": 20}}).nextPage()["starting_after"].(string)
	}
	refused := func(name string, r apiReply) {
		t.Helper()
		if r.status != 400 || r.errorCode() != "client_error" {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	if r := ask(updatedSince(0), token(), "2.17"); r.status != 200 || len(r.dataItems()) != 20 {
		t.Errorf("a good cursor: %d", r.status)
	}
	refused("no cursor", ask(updatedSince(0), "garbage", "2.17"))
	refused("another query", ask(updatedSince(1), token(), "2.17"))
	refused("another meaning of time", ask(updatedSince(0), token(), "2.16"))
	c.version = "2.17"
	refused("a cursor of a search in another list", c.do("GET", "/contacts/activities?starting_after="+token(), nil))
	old := token()
	for range 3 {
		c.do("GET", "/tags", nil)
	}
	refused("after its life", ask(updatedSince(0), old, "2.17"))
	old = token()
	c.w.ExpireCursors()
	refused("after a restart", ask(updatedSince(0), old, "2.17"))
}

func TestT15CursorsLoop(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{LoopAt: 4}})
	seen, token := map[string]bool{}, ""
	for range 10 {
		page := m{"per_page": 20}
		if token != "" {
			page["starting_after"] = token
		}
		token = c.do("POST", "/contacts/search", m{"query": updatedSince(0), "pagination": page}).nextPage()["starting_after"].(string)
		if seen[token] {
			return
		}
		seen[token] = true
	}
	t.Error("no cursor came twice")
}

func TestT14PagesTakeEveryShape(t *testing.T) {
	t.Parallel()
	ends := map[emulator.PageShape]string{emulator.ShapeObject: `"next":null}}`, emulator.ShapeAbsent: `"total_pages":1}}`,
		emulator.ShapeNoPages: `"total_count":`, emulator.ShapeNullPage: `"pages":null}`, emulator.ShapeEmpty: `"pages":{}}`,
		emulator.ShapeEmptyEnd: `"next":{"starting_after":""}}}`}
	for shape, want := range ends {
		c := startWorkspace(t, emulator.Config{Contacts: 100, Knobs: emulator.Knobs{EndShape: shape}})
		r := c.searchContacts(updatedSince(0))
		if !strings.Contains(string(r.raw), want) || !json.Valid(r.raw) {
			t.Errorf("%q ends with %s", shape, r.raw[len(r.raw)-120:])
		}
		if _, has := r.json["pages"]; has == (shape == emulator.ShapeNoPages) {
			t.Errorf("%q: pages there: %t", shape, has)
		}
	}
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NextShape: emulator.ShapeURL, PagesAsText: true, NoTotalPages: true}})
	pages := c.searchContacts(updatedSince(0)).json["pages"].(map[string]any)
	next, err := url.Parse(pages["next"].(string))
	if err != nil || "http://"+next.Host != c.url || next.Query().Get("starting_after") == "" {
		t.Errorf("next %v", pages["next"])
	}
	if pages["page"] != "1" || pages["per_page"] != "150" || toInt(pages["total_pages"]) != 0 {
		t.Errorf("pages %v", pages)
	}
	if next := c.do("GET", "/contacts/deleted?per_page=2", nil).json["pages"].(map[string]any)["next"].(string); !strings.HasSuffix(next, "/contacts/deleted?page=2&per_page=2") {
		t.Errorf("next %s", next)
	}
	c = startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{NextShape: emulator.ShapeNoPage}})
	if next := c.searchContacts(updatedSince(0)).nextPage(); len(next) != 1 || next["starting_after"] == "" {
		t.Errorf("next %v", next)
	}
}

func TestSearchMisbehavesAsAsked(t *testing.T) {
	t.Parallel()
	walk := func(k emulator.Knobs) (all []map[string]any, total int) {
		c := startWorkspace(t, emulator.Config{Contacts: 400, Knobs: k})
		return c.searchAll(updatedSince(0)), c.searchContacts(updatedSince(0)).totalCount()
	}
	monotone := func(list []map[string]any) bool {
		for i := range list[1:] {
			if toInt(list[i+1]["updated_at"]) < toInt(list[i]["updated_at"]) {
				return false
			}
		}
		return true
	}
	for _, mode := range []emulator.SortMode{emulator.SortIgnored, emulator.SortShuffled} {
		if list, _ := walk(emulator.Knobs{Sort: mode}); len(list) != 400 || monotone(list) {
			t.Errorf("T10 %s: %d records, in order %t", mode, len(list), monotone(list))
		}
	}
	if list, total := walk(emulator.Knobs{Duplicates: 0.05}); len(list) < 405 || total != 400 {
		t.Errorf("T18: %d records of %d", len(list), total)
	}
	if list, total := walk(emulator.Knobs{EmptyPages: 0.5}); len(list) != 400 || total != 400 {
		t.Errorf("T16: %d records of %d", len(list), total)
	}
	if _, total := walk(emulator.Knobs{TotalError: -0.1}); total != 360 {
		t.Errorf("T17: total_count %d", total)
	}
	if _, total := walk(emulator.Knobs{TotalCap: 100}); total != 100 {
		t.Errorf("T17: total_count %d", total)
	}
	if list, _ := walk(emulator.Knobs{EmptyLists: true}); len(list) != 0 {
		t.Errorf("empty lists: %d records", len(list))
	}
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{TooLarge: 60}})
	if r := c.searchContacts(updatedSince(0)); r.status != 504 {
		t.Errorf("T20: %d", r.status)
	}
}

func TestT9AnUpdateWhilePagingMovesTheRecordToTheEnd(t *testing.T) {
	t.Parallel()
	for _, drift := range []bool{false, true} {
		config := noLagConfig()
		config.OffsetWalk = drift
		c := startWorkspace(t, config)
		first := c.searchContacts(updatedSince(0))
		c.w.RunBetween(func(n int) {
			if n == 2 {
				c.w.Advance(time.Minute)
				for _, id := range first.itemIDs()[:20] {
					c.failOn(c.w.UpdateContact(id, setField("name", "Moved")))
				}
			}
		})
		seen, records := map[any]bool{}, 0
		token := first.nextPage()
		for _, id := range first.itemIDs() {
			seen[id] = true
		}
		for token != nil {
			token["per_page"] = 150
			r := c.do("POST", "/contacts/search", m{"query": updatedSince(0), "pagination": token})
			for _, id := range r.itemIDs() {
				seen[id] = true
				records++
			}
			token = r.nextPage()
		}
		if missed := 300 - len(seen); (missed > 0) != drift {
			t.Errorf("cursors that count %t: %d missed, %d records", drift, missed, records)
		}
	}
}

func TestTotalsOfListsFollowWhatHappens(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 40, Conversations: 30})
	totals := func() [2]int {
		return [2]int{c.do("GET", "/contacts", nil).totalCount(), c.do("GET", "/conversations", nil).totalCount()}
	}
	if got := totals(); got != [2]int{40, 30} {
		t.Fatalf("%v at hour 0", got)
	}
	contact := c.w.ContactIDs("active")[0]
	conversation := c.do("GET", "/conversations", nil).json["conversations"].([]any)[0].(m)["id"].(string)
	if err := errors.Join(c.w.ArchiveContact(contact), c.w.DeleteConversation(conversation)); err != nil {
		t.Fatal(err)
	}
	if got := totals(); got != [2]int{39, 29} {
		t.Errorf("%v after one left each", got)
	}
	if got := len(c.walkCursors("/contacts")); got != 39 {
		t.Errorf("%d contacts listed", got)
	}
}
