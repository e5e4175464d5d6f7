package emulator_test

import (
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func (c *client) must(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// fate is the oracle's word on one contact.
func (c *client) fate(id string) map[string]any {
	c.t.Helper()
	for _, row := range c.w.Oracle("contact_lifecycle") {
		if row["id"] == id {
			return row
		}
	}
	c.t.Fatalf("the oracle does not know %s", id)
	return nil
}

// listed is a contact's entry in the list of inactive ones.
func (c *client) listed(id string) map[string]any {
	for _, entry := range c.numbered("/contacts/deleted", 150) {
		if entry["id"] == id {
			return entry
		}
	}
	return nil
}

func (c *client) searchable(id string) bool { return len(c.find(filter("id", "=", id))) == 1 }

// workspace-api 3.2 and 4.1.1: a merged lead leaves search for good, the survivor gets what it lacked.
func TestT24MergedLeadLeavesSearch(t *testing.T) {
	t.Parallel()
	c := start(t, prompt())
	lead := c.one("lead", set("name", "Lead"), set("phone", "+4912345678"), set("custom_attributes.from_lead", "yes"))
	user := c.one("user", set("name", "User"), set("phone", nil))
	c.must(c.w.Tag(lead, 3))
	c.w.Advance(time.Hour)
	if c.w.Merge(user, lead) == nil {
		t.Error("4.2: a user was merged into a lead")
	}
	c.must(c.w.Merge(lead, user))
	if c.searchable(lead) || !c.searchable(user) {
		t.Error("4.1.1: only the target is searchable")
	}
	got := c.do("GET", "/contacts/"+user, nil).json
	if got["name"] != "User" || got["phone"] != "+4912345678" || got["custom_attributes"].(map[string]any)["from_lead"] != "yes" {
		t.Errorf("the survivor has %v %v", got["name"], got["phone"])
	}
	if whole(got["updated_at"]) != int(c.w.Clock().Unix()) {
		t.Error("the survivor's updated_at did not move")
	}
	if r := c.do("GET", "/contacts/"+lead, nil); r.status != 410 || r.header.Get("Link") != "</contacts/"+user+`>; rel="canonical"` {
		t.Errorf("api-notes: later versions answer %d %q", r.status, r.header.Get("Link"))
	}
	c.version = "2.16"
	if r := c.do("GET", "/contacts/"+lead, nil); r.status != 404 || r.code() != "not_found" {
		t.Errorf("api-notes: older versions answer %d %s", r.status, r.raw)
	}
	if e := c.listed(lead); e["status"] != "merged" || e["merged_into_id"] != user {
		t.Errorf("2.10: entry %v", e)
	}
	if row := c.fate(lead); row["lifecycle"] != "merged" || row["current_contact_id"] != user || row["inactive_since"] != c.w.Clock().Unix() {
		t.Errorf("oracle: %v", row)
	}
}

func TestT25ChainsOfMergesEndAtTheSurvivorAndCyclesNowhere(t *testing.T) {
	t.Parallel()
	c := start(t, prompt())
	var chain []string
	for range 6 {
		chain = append(chain, c.one("lead"))
	}
	for i := range 5 {
		c.must(c.w.MergeAnyway(chain[i], chain[i+1]))
	}
	if row := c.fate(chain[0]); row["current_contact_id"] != chain[5] || row["merged_into_id"] != chain[1] {
		t.Errorf("chain: %v", row)
	}
	c.must(c.w.MergeAnyway(chain[5], chain[0]))
	if row := c.fate(chain[2]); row["current_contact_id"] != nil {
		t.Errorf("cycle: %v", row)
	}
}

// workspace-api 3.1: five statuses; T27: un-archiving may move no updated_at; T31: statuses follow one another.
func TestT27UnarchivedContactLeavesTheListPerhapsWithoutNewTime(t *testing.T) {
	t.Parallel()
	for _, bump := range []bool{true, false} {
		c := start(t, prompt())
		id := c.one("user")
		born := c.do("GET", "/contacts/"+id, nil).json["updated_at"]
		c.w.Advance(time.Hour)
		c.must(c.w.Archive(id))
		if e := c.listed(id); e["status"] != "archived" || whole(e["updated_at"]) != int(c.w.Clock().Unix()) {
			t.Errorf("entry %v", e)
		}
		if r := c.do("GET", "/contacts/"+id, nil); r.status != 404 || r.code() != "not_found" || c.searchable(id) {
			t.Errorf("archived, yet answered %d", r.status)
		}
		c.w.Advance(time.Hour)
		c.must(c.w.Unarchive(id, bump))
		if c.listed(id) != nil || !c.searchable(id) {
			t.Error("un-archived, yet listed or not found")
		}
		if moved := c.do("GET", "/contacts/"+id, nil).json["updated_at"] != born; moved != bump {
			t.Errorf("updated_at moved: %t, want %t", moved, bump)
		}
		c.must(c.w.Block(id))
		c.must(c.w.Unblock(id, false))
		c.must(c.w.RequestDeletion(id))
		c.must(c.w.Erase(id))
		if e := c.listed(id); e["status"] != "permanently_deleted" || e["email"] != nil || e["external_id"] != nil {
			t.Errorf("2.10 T32: entry %v", e)
		}
		if row := c.fate(id); row["lifecycle"] != "permanently_deleted" {
			t.Errorf("oracle: %v", row)
		}
	}
}

func TestT36DeletedContactIsListedOrNot(t *testing.T) {
	t.Parallel()
	for listing, want := range map[emulator.Listing]string{emulator.ListAll: "pending_deletion", emulator.ListNone: "deleted"} {
		config := prompt()
		config.ListDeletes = listing
		c := start(t, config)
		id := c.one("user")
		c.must(c.w.Delete(id))
		if row := c.fate(id); row["lifecycle"] != want || row["inactive_since"] != c.w.Clock().Unix() {
			t.Errorf("oracle: %v, want %s", row, want)
		}
		if e := c.listed(id); (e != nil) != (listing == emulator.ListAll) {
			t.Errorf("entry %v", e)
		}
		feed := c.cursors("/contacts/activities")
		if last := feed[len(feed)-1]; last["event_type"] != "contact.deleted" || last["contact_id"] != id {
			t.Errorf("last activity %v", last)
		}
		if !slices.Contains(c.w.IDs(want), id) {
			t.Errorf("IDs(%q) lacks it", want)
		}
	}
}

// workspace-api 4.1.2 and 8: a new contact may take a few minutes to become searchable.
func TestT6SearchLagsBehindWhatIsReadById(t *testing.T) {
	t.Parallel()
	c := start(t, emulator.Config{Knobs: emulator.Knobs{LagMax: time.Minute, TailShare: 0.3, Tail: 6 * time.Hour}})
	var ids []string
	for range 200 {
		ids = append(ids, c.one("user"))
	}
	found := func() int { return len(c.find(filter("id", "IN", ids[:150]))) }
	if n := found(); n == 150 {
		t.Error("all are found at once")
	}
	if r := c.do("GET", "/contacts/"+ids[0], nil); r.status != 200 {
		t.Errorf("read by id: %d", r.status)
	}
	c.w.Advance(time.Minute)
	if n := found(); n < 75 || n == 150 {
		t.Errorf("%d found after a minute, the tail takes hours", n)
	}
	c.w.Advance(6 * time.Hour)
	if n := found(); n != 150 {
		t.Errorf("%d found in the end", n)
	}
	c.must(c.w.UpdateContact(ids[0], set("name", "Newer")))
	if got := c.search(filter("id", "=", ids[0])).data()[0]["name"]; got == "Newer" && c.w.State().Waiting > 0 {
		t.Error("the change is found while it waits")
	}
}

func TestT45RemovingATagMovesTheTimeUnlessQuiet(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		config := prompt()
		config.QuietUntag = quiet
		c := start(t, config)
		id := c.one("user")
		c.must(c.w.Tag(id, 1))
		before := c.search(filter("id", "=", id)).data()[0]["updated_at"]
		c.w.Advance(time.Minute)
		c.must(c.w.Untag(id, 1))
		if moved := c.search(filter("id", "=", id)).data()[0]["updated_at"] != before; moved == quiet {
			t.Errorf("quiet %t, moved %t", quiet, moved)
		}
	}
}

// api-notes: nested lists are capped at ten, with total_count, has_more and the url of the rest.
func TestT44NestedListsAreCutAtTen(t *testing.T) {
	t.Parallel()
	c := start(t, prompt())
	for _, n := range []int{0, 9, 10, 11, 120} {
		id := c.one("user")
		have := whole(c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)["total_count"])
		for tag := 0; have < n; tag++ {
			c.must(c.w.Tag(id, tag))
			have = whole(c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)["total_count"])
		}
		tags := c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)
		if got := len(tags["data"].([]any)); got != min(have, 10) || tags["has_more"] != (have > 10) || tags["url"] != "/contacts/"+id+"/tags" {
			t.Errorf("%d tags: %d shown, has_more %v, url %v", have, got, tags["has_more"], tags["url"])
		}
		if got := len(c.numbered("/contacts/"+id+"/tags", 50)); got != have {
			t.Errorf("%d tags: the list has %d", have, got)
		}
	}
	for _, list := range []string{"notes", "companies", "segments", "subscriptions"} {
		if r := c.do("GET", "/contacts/"+c.one("user")+"/"+list, nil); r.status != 200 || r.json["type"] != "list" {
			t.Errorf("%s: %d %s", list, r.status, r.raw)
		}
		if r := c.do("GET", "/contacts/nobody/"+list, nil); r.status != 404 || r.code() != "not_found" {
			t.Errorf("%s of nobody: %d %s", list, r.status, r.raw)
		}
	}
}
