package emulator_test

import (
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

func (c *apiClient) failOn(err error) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
}

// lifecycleRow returns the oracle's lifecycle row of a contact.
func (c *apiClient) lifecycleRow(id string) map[string]any {
	c.t.Helper()
	for _, row := range c.w.Oracle("contact_lifecycle") {
		if row["id"] == id {
			return row
		}
	}
	c.t.Fatalf("the oracle does not know %s", id)
	return nil
}

// inactiveEntry returns a contact's entry in the list of inactive ones.
func (c *apiClient) inactiveEntry(id string) map[string]any {
	for _, entry := range c.walkPages("/contacts/deleted", 150) {
		if entry["id"] == id {
			return entry
		}
	}
	return nil
}

func (c *apiClient) isSearchable(id string) bool {
	return len(c.searchIDs(fieldFilter("id", "=", id))) == 1
}

// workspace-api 3.2 and 4.1.1: search never returns a merged lead, and the survivor gets what it lacked.
func TestT24MergedLeadLeavesSearch(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	lead := c.createContact("lead", setField("name", "Lead"), setField("phone", "+4912345678"), setField("custom_attributes.from_lead", "yes"))
	user := c.createContact("user", setField("name", "User"), setField("phone", nil))
	c.failOn(c.w.TagContact(lead, 3))
	c.w.Advance(time.Hour)
	if c.w.MergeContacts(user, lead) == nil {
		t.Error("4.2: a user was merged into a lead")
	}
	c.failOn(c.w.MergeContacts(lead, user))
	if c.isSearchable(lead) || !c.isSearchable(user) {
		t.Error("4.1.1: only the target is searchable")
	}
	got := c.do("GET", "/contacts/"+user, nil).json
	if got["name"] != "User" || got["phone"] != "+4912345678" || got["custom_attributes"].(map[string]any)["from_lead"] != "yes" {
		t.Errorf("the survivor has %v %v", got["name"], got["phone"])
	}
	if toInt(got["updated_at"]) != int(c.w.CurrentTime().Unix()) {
		t.Error("the survivor's updated_at did not move")
	}
	if r := c.do("GET", "/contacts/"+lead, nil); r.status != 410 || r.header.Get("Link") != "</contacts/"+user+`>; rel="canonical"` {
		t.Errorf("api-notes: later versions answer %d %q", r.status, r.header.Get("Link"))
	}
	c.version = "2.16"
	if r := c.do("GET", "/contacts/"+lead, nil); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("api-notes: older versions answer %d %s", r.status, r.raw)
	}
	if e := c.inactiveEntry(lead); e["status"] != "merged" || e["merged_into_id"] != user {
		t.Errorf("2.10: entry %v", e)
	}
	if row := c.lifecycleRow(lead); row["lifecycle"] != "merged" || row["current_contact_id"] != user || row["inactive_since"] != c.w.CurrentTime().Unix() {
		t.Errorf("oracle: %v", row)
	}
}

func TestT25ChainsOfMergesEndAtTheSurvivorAndCyclesNowhere(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	var chain []string
	for range 6 {
		chain = append(chain, c.createContact("lead"))
	}
	for i := range 5 {
		c.failOn(c.w.ForceMerge(chain[i], chain[i+1]))
	}
	if row := c.lifecycleRow(chain[0]); row["current_contact_id"] != chain[5] || row["merged_into_id"] != chain[1] {
		t.Errorf("chain: %v", row)
	}
	c.failOn(c.w.ForceMerge(chain[5], chain[0]))
	if row := c.lifecycleRow(chain[2]); row["current_contact_id"] != nil {
		t.Errorf("cycle: %v", row)
	}
}

// workspace-api 3.1: five statuses; T27: un-archiving may leave updated_at unchanged; T31: statuses follow one another.
func TestT27UnarchivedContactLeavesTheListPerhapsWithoutNewTime(t *testing.T) {
	t.Parallel()
	for _, bump := range []bool{true, false} {
		c := startWorkspace(t, noLagConfig())
		id := c.createContact("user")
		born := c.do("GET", "/contacts/"+id, nil).json["updated_at"]
		c.w.Advance(time.Hour)
		c.failOn(c.w.ArchiveContact(id))
		if e := c.inactiveEntry(id); e["status"] != "archived" || toInt(e["updated_at"]) != int(c.w.CurrentTime().Unix()) {
			t.Errorf("entry %v", e)
		}
		if r := c.do("GET", "/contacts/"+id, nil); r.status != 404 || r.errorCode() != "not_found" || c.isSearchable(id) {
			t.Errorf("archived, yet answered %d", r.status)
		}
		c.w.Advance(time.Hour)
		c.failOn(c.w.UnarchiveContact(id, bump))
		if c.inactiveEntry(id) != nil || !c.isSearchable(id) {
			t.Error("un-archived, yet listed or not found")
		}
		if moved := c.do("GET", "/contacts/"+id, nil).json["updated_at"] != born; moved != bump {
			t.Errorf("updated_at moved: %t, want %t", moved, bump)
		}
		c.failOn(c.w.BlockContact(id))
		c.failOn(c.w.UnblockContact(id, false))
		c.failOn(c.w.RequestDeletion(id))
		c.failOn(c.w.EraseContact(id))
		if e := c.inactiveEntry(id); e["status"] != "permanently_deleted" || e["email"] != nil || e["external_id"] != nil {
			t.Errorf("2.10 T32: entry %v", e)
		}
		if row := c.lifecycleRow(id); row["lifecycle"] != "permanently_deleted" {
			t.Errorf("oracle: %v", row)
		}
	}
}

func TestT36DeletedContactIsListedOrNot(t *testing.T) {
	t.Parallel()
	for listing, want := range map[emulator.DeleteListing]string{emulator.ListAll: "pending_deletion", emulator.ListNone: "deleted"} {
		config := noLagConfig()
		config.ListDeletes = listing
		c := startWorkspace(t, config)
		id := c.createContact("user")
		c.failOn(c.w.DeleteContact(id))
		if row := c.lifecycleRow(id); row["lifecycle"] != want || row["inactive_since"] != c.w.CurrentTime().Unix() {
			t.Errorf("oracle: %v, want %s", row, want)
		}
		if e := c.inactiveEntry(id); (e != nil) != (listing == emulator.ListAll) {
			t.Errorf("entry %v", e)
		}
		feed := c.walkCursors("/contacts/activities")
		if last := feed[len(feed)-1]; last["event_type"] != "contact.deleted" || last["contact_id"] != id {
			t.Errorf("last activity %v", last)
		}
		if !slices.Contains(c.w.ContactIDs(want), id) {
			t.Errorf("IDs(%q) lacks it", want)
		}
	}
}

// workspace-api 4.1.2 and 8: a new contact may take a few minutes to become searchable.
func TestT6SearchLagsBehindWhatIsReadById(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Knobs: emulator.Knobs{LagMax: time.Minute, TailShare: 0.3, Tail: 6 * time.Hour}})
	var ids []string
	for range 200 {
		ids = append(ids, c.createContact("user"))
	}
	found := func() int { return len(c.searchIDs(fieldFilter("id", "IN", ids[:150]))) }
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
	c.failOn(c.w.UpdateContact(ids[0], setField("name", "Newer")))
	if got := c.searchContacts(fieldFilter("id", "=", ids[0])).dataItems()[0]["name"]; got == "Newer" && c.w.CurrentState().Waiting > 0 {
		t.Error("the change is found while it waits")
	}
}

func TestT45RemovingATagMovesTheTimeUnlessQuiet(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		config := noLagConfig()
		config.QuietUntag = quiet
		c := startWorkspace(t, config)
		id := c.createContact("user")
		c.failOn(c.w.TagContact(id, 1))
		before := c.searchContacts(fieldFilter("id", "=", id)).dataItems()[0]["updated_at"]
		c.w.Advance(time.Minute)
		c.failOn(c.w.UntagContact(id, 1))
		if moved := c.searchContacts(fieldFilter("id", "=", id)).dataItems()[0]["updated_at"] != before; moved == quiet {
			t.Errorf("quiet %t, moved %t", quiet, moved)
		}
	}
}

// api-notes: nested lists end at ten items, with total_count, has_more and the url of the whole list.
func TestT44NestedListsAreCutAtTen(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, noLagConfig())
	for _, n := range []int{0, 9, 10, 11, 120} {
		id := c.createContact("user")
		have := toInt(c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)["total_count"])
		for tag := 0; have < n; tag++ {
			c.failOn(c.w.TagContact(id, tag))
			have = toInt(c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)["total_count"])
		}
		tags := c.do("GET", "/contacts/"+id, nil).json["tags"].(map[string]any)
		if got := len(tags["data"].([]any)); got != min(have, 10) || tags["has_more"] != (have > 10) || tags["url"] != "/contacts/"+id+"/tags" {
			t.Errorf("%d tags: %d shown, has_more %v, url %v", have, got, tags["has_more"], tags["url"])
		}
		if got := len(c.walkPages("/contacts/"+id+"/tags", 50)); got != have {
			t.Errorf("%d tags: the list has %d", have, got)
		}
	}
	for _, list := range []string{"notes", "companies", "segments", "subscriptions"} {
		if r := c.do("GET", "/contacts/"+c.createContact("user")+"/"+list, nil); r.status != 200 || r.json["type"] != "list" {
			t.Errorf("%s: %d %s", list, r.status, r.raw)
		}
		if r := c.do("GET", "/contacts/nobody/"+list, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s of nobody: %d %s", list, r.status, r.raw)
		}
	}
}
