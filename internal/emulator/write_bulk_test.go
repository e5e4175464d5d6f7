package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// submitBulkJob starts a job, which must be accepted, and returns its id.
func (c *apiClient) submitBulkJob(method, path string, contacts ...m) string {
	c.t.Helper()
	r := c.do(method, path, m{"contacts": contacts})
	id, _ := r.json["id"].(string)
	if r.status != 202 || r.json["type"] != "job" || r.json["status"] != "pending" || string(c.do("GET", "/contacts/bulk/"+id, nil).raw) != string(r.raw) {
		c.t.Fatalf("%s %s: %d %s", method, path, r.status, r.raw)
	}
	return id
}

// awaitBulkJob waits for a job and returns its rejections, as index and code.
func (c *apiClient) awaitBulkJob(job string) string {
	c.t.Helper()
	c.w.Advance(5 * time.Minute)
	r := c.do("GET", "/contacts/bulk/"+job, nil)
	if r.json["status"] != "success" {
		c.t.Fatalf("the job is %s", r.raw)
	}
	rejections := ""
	for _, one := range itemsAt(r.json, "rejected") {
		rejections += fmt.Sprint(one["index"], " ", one["code"], " ", one["id"], "; ")
		if one["message"] == nil {
			c.t.Error("a rejection without a message")
		}
	}
	return rejections
}

// Section 4.11: strict creation rejects an existing contact and leaves it unchanged. It happens at the end of the job, at that time.
func TestContract4_11ContactsAreCreatedInBulk(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	c.createRecord("POST", "/contacts", m{"external_id": "there", "email": "there@example.com", "name": "Before"})
	c.createRecord("POST", "/contacts", m{"role": "lead", "email": "lead@example.com", "name": "Before"})
	before, active := c.w.CurrentTime(), len(c.w.ContactIDs("active"))
	job := c.submitBulkJob("POST", "/contacts/bulk", m{"external_id": "new", "email": "new@example.com", "email_verified": true, "custom_attributes": m{"n": 1.50}},
		m{"external_id": "there", "name": "After"}, m{"email": "there@example.com", "name": "After"}, m{"role": "lead", "email": "lead@example.com", "name": "After"},
		m{"external_id": "new"}, m{"role": "lead", "name": "Only a name"})
	c.w.Advance(4*time.Minute + 59*time.Second)
	if len(c.w.ContactIDs("active")) != active || c.do("GET", "/contacts/bulk/"+job, nil).json["status"] != "in_progress" {
		t.Error("it has happened before the job is over")
	}
	c.w.Advance(10 * time.Minute)
	if got := c.awaitBulkJob(job); got != "1 conflict <nil>; 2 conflict <nil>; 3 conflict <nil>; 4 conflict <nil>; " {
		t.Errorf("rejected: %s", got)
	}
	if got := toInt(c.do("GET", "/contacts/bulk/"+job, nil).json["total"]); got != 6 {
		t.Errorf("%d contacts in all", got)
	}
	if len(c.w.ContactIDs("active")) != active+2 || len(c.searchIDs(fieldFilter("name", "=", "After"))) != 0 {
		t.Error("others than the two new ones came, or one changed")
	}
	r := c.do("GET", "/contacts/find_by_external_id/new", nil)
	for name, want := range map[string]any{"created_at": before.Unix() + 300, "updated_at": before.Unix() + 300, "email_verified": true, "role": "user",
		"custom_attributes": m{"n": "1.5"}} {
		if got := r.json[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	c.sameContact(r.json["id"].(string))
	// The truth has the job at its own time, although no request came then.
	for at, want := range map[time.Time]int{before.Add(299 * time.Second): active, before.Add(300 * time.Second): active + 2} {
		rows, err := c.w.TruthAt("contacts", at)
		failOn(t, err)
		if got := len(collectRows(rows)); got != want {
			t.Errorf("at %s there were %d contacts, want %d", at, got, want)
		}
	}
}

func TestContract4_11ContactsAreUpdatedAndDeletedInBulk(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true, ListDeletes: emulator.ListAll}})
	user := c.createRecord("POST", "/contacts", m{"external_id": "a", "email": "a@example.com", "name": "A"})
	lead := c.createRecord("POST", "/contacts", m{"role": "lead", "name": "B"})
	deleted := c.createContact("lead")
	failOn(t, c.w.ArchiveContact(deleted))
	twin := c.createRecord("POST", "/contacts", m{"role": "lead", "email": "a@example.com"})
	job := c.submitBulkJob("PUT", "/contacts/bulk", m{"id": user, "name": nil, "custom_attributes": m{"x": true}}, m{"id": deleted, "name": "C"}, m{"id": lead, "role": "user", "email": "a@example.com"},
		m{"id": "nobody", "name": "C"}, m{"id": lead, "role": "user", "email": "b@example.com"},
		m{"id": twin, "role": "user"})
	if got, want := c.awaitBulkJob(job), fmt.Sprintf("1 not_found %s; 2 conflict %s; 3 not_found nobody; 5 conflict %s; ", deleted, lead, twin); got != want {
		t.Errorf("rejected: %s, want %s", got, want)
	}
	one, two := c.do("GET", "/contacts/"+user, nil).json, c.do("GET", "/contacts/"+lead, nil).json
	if one["name"] != nil || fieldOf(one["custom_attributes"], "x") != true || two["role"] != "user" || two["email"] != "b@example.com" {
		t.Errorf("they are %v and %v", one, two)
	}
	c.sameContact(user)
	c.sameContact(lead)
	job = c.submitBulkJob("POST", "/contacts/bulk/delete", m{"id": user}, m{"id": deleted}, m{"id": user})
	if got, want := c.awaitBulkJob(job), fmt.Sprintf("1 not_found %s; 2 not_found %s; ", deleted, user); got != want {
		t.Errorf("rejected: %s, want %s", got, want)
	}
	if c.do("GET", "/contacts/"+user, nil).status != 404 || c.inactiveEntry(user)["status"] != "pending_deletion" || c.lifecycleRow(user)["inactive_since"] != c.w.CurrentTime().Unix() {
		t.Errorf("it is %v", c.lifecycleRow(user))
	}
	for _, row := range []struct {
		name, method, path string
		body               any
		code               string
	}{
		{"no contacts", "POST", "/contacts/bulk", m{}, "parameter_not_found"},
		{"no list", "POST", "/contacts/bulk", m{"contacts": m{}}, "parameter_invalid"},
		{"a list of others", "POST", "/contacts/bulk", m{"contacts": []any{5}}, "parameter_invalid"},
		{"a list of nothing", "POST", "/contacts/bulk", m{"contacts": []any{nil}}, "parameter_invalid"},
		{"nothing to know it by", "POST", "/contacts/bulk", m{"contacts": []m{{"role": "lead"}, {"name": "x"}}}, "parameter_not_found"},
		{"another kind of value", "PUT", "/contacts/bulk", m{"contacts": []m{{"id": lead, "name": 5}}}, "parameter_invalid"},
		{"no id", "PUT", "/contacts/bulk", m{"contacts": []m{{"name": "x"}}}, "parameter_not_found"},
		{"no id", "POST", "/contacts/bulk/delete", m{"contacts": []m{{}}}, "parameter_not_found"},
	} {
		if r := c.do(row.method, row.path, row.body); r.status != 400 || r.errorCode() != row.code {
			t.Errorf("%s: %d %s, want %s", row.name, r.status, r.raw, row.code)
		}
	}
}

// Whatever is due has happened for the first request that looks.
func TestDueActionsHappenBeforeAnyRead(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]func(c *apiClient) bool{
		"a request": func(c *apiClient) bool { return c.do("GET", "/contacts/find_by_external_id/new", nil).status == 200 },
		"the oracle": func(c *apiClient) bool {
			return strings.Contains(fmt.Sprint(c.w.Oracle("contacts")), "external_id:new ")
		},
		"the state": func(c *apiClient) bool { return c.w.CurrentState().Active == 61 },
		"an operation": func(c *apiClient) bool {
			return c.do("POST", "/_emulator/do/expire-cursors", nil).status == 200 && len(c.w.ContactIDs("active")) == 61
		},
		"the truth of a time": func(c *apiClient) bool {
			rows, err := c.w.TruthAt("contacts", c.w.CurrentTime())
			return err == nil && strings.Contains(fmt.Sprint(collectRows(rows)), `"external_id":"new"`)
		},
	} {
		c := startWorkspace(t, emulator.Config{Contacts: 60})
		c.submitBulkJob("POST", "/contacts/bulk", m{"external_id": "new"})
		c.w.Advance(5 * time.Minute)
		if !known(c) {
			t.Errorf("%s does not know of it", name)
		}
	}
}

// A replay of the journal runs scheduled actions at the same place and time, whichever request ran them first, also in the middle of simulated
// hours.
func TestScheduledActionsHappenInAReplayedJournal(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	begun := c.w.CurrentTime()
	c.submitBulkJob("POST", "/contacts/bulk", m{"external_id": "first"})
	second := c.submitBulkJob("POST", "/contacts/bulk", m{"external_id": "first"})
	pass(time.Hour) // no request comes
	c.createRecord("PUT", "/contacts/"+c.w.ContactIDs("active")[3], m{"name": "C"})
	leaver, hour := c.w.ContactIDs("active")[0], c.w.CurrentTime().Add(time.Hour)
	job := c.submitBulkJob("POST", "/contacts/bulk/delete", m{"id": leaver}, m{"id": c.w.ContactIDs("active")[1]})
	c.do("POST", "/_emulator/do/live", m{"hours": 2}) // in the middle of these hours
	pass(5 * time.Minute)
	if r := c.do("GET", "/contacts/bulk/"+job, nil); r.json["status"] != "success" || len(itemsAt(r.json, "rejected")) != 0 {
		t.Errorf("the job is %s", r.raw)
	}
	if rejected := itemsAt(c.do("GET", "/contacts/bulk/"+second, nil).json, "rejected"); len(rejected) != 1 {
		t.Errorf("of two jobs of one time the second did not come after the first: %v", rejected)
	}
	rows, err := c.w.TruthAt("contacts", hour)
	failOn(t, err)
	for row := range rows {
		if row["id"] == leaver {
			t.Error("who was deleted in an hour of life was still there when it was over")
		}
	}
	last := c.submitBulkJob("POST", "/contacts/bulk", m{"external_id": "last"})
	pass(3 * time.Minute)
	if len(*done) != 6 {
		t.Errorf("the journal has %d lines", len(*done))
	}
	w := again()
	sameTruth(t, w, c.w, begun.Add(5*time.Minute), begun.Add(6*time.Minute), begun.Add(2*time.Hour))
	pass(2 * time.Minute) // after the end of the journal
	sameTruth(t, w, c.w)
	if w := serveWorkspace(t, w); w.do("GET", "/contacts/find_by_external_id/last", nil).status != 200 || w.do("GET", "/contacts/bulk/"+last, nil).json["status"] != "success" {
		t.Error("what was under way when the journal ended has not happened")
	}
}
