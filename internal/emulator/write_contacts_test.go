package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// createRecord sends a request that must be answered 200, and returns the id.
func (c *apiClient) createRecord(method, path string, body any) string {
	c.t.Helper()
	r := c.do(method, path, body)
	id, _ := r.json["id"].(string)
	if r.status != 200 || id == "" {
		c.t.Fatalf("%s %s: %d %s", method, path, r.status, r.raw)
	}
	return id
}

// oracleRow returns the oracle's row of one record; nil when there is none.
func (c *apiClient) oracleRow(stream, id string) map[string]any {
	for _, row := range c.w.Oracle(stream) {
		if row["id"] == id {
			return row
		}
	}
	return nil
}

// sameContact compares a contact in the API with the oracle.
func (c *apiClient) sameContact(id string) {
	c.t.Helper()
	got, want := comparableRows([]map[string]any{flatContact(c.do("GET", "/contacts/"+id, nil).json)}), comparableRows([]map[string]any{c.oracleRow("contacts", id)})
	if got[0] != want[0] {
		c.t.Errorf("served  %s\noracle  %s", got[0], want[0])
	}
}

// Sections 2.1, 4.11: a contact has what was sent and nothing else, and appears wherever contacts do.
func TestContract4_11AContactIsCreated(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{LagMax: 10 * time.Minute}})
	now := c.w.CurrentTime().Unix()
	sent := m{"role": "user", "external_id": "new-1", "email": "zoë@example.com", "phone": "+4930", "name": "Zoë <&>", "avatar": "https://x.example/a.png",
		"owner_id": json.Number("9007199254740993"), "signed_up_at": now - 5, "last_seen_at": now - 4, "unsubscribed_from_emails": true, "language_override": "de",
		"email_verified": true, "custom_attributes": m{"plan": "Pro", "paid": true, "big": json.Number("12345678901234567890"), "part": json.Number("1.50"), "none": nil}}
	r := c.do("POST", "/contacts", sent)
	id, _ := r.json["id"].(string)
	if r.status != 200 || id == "" {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	delete(sent["custom_attributes"].(m), "none")
	for name, want := range sent {
		if got := r.json[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("2.1 %s: %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]any{"type": "contact", "created_at": now, "updated_at": now, "browser": nil, "last_replied_at": nil, "os": nil} {
		if got := r.json[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("2.1 %s: %v, want %v", name, got, want)
		}
	}
	if string(r.raw) != string(c.do("GET", "/contacts/"+id, nil).raw) {
		t.Error("the answer is not what GET gives")
	}
	c.sameContact(id)
	if c.isSearchable(id) {
		t.Error("4.1.2: a new contact is found at once")
	}
	c.w.Advance(10 * time.Minute)
	if !c.isSearchable(id) || c.do("GET", "/contacts/find_by_external_id/new-1", nil).json["id"] != id {
		t.Error("4.1.2: it is not found")
	}
	feed := c.walkCursors("/contacts/activities")
	if last := feed[len(feed)-1]; last["event_type"] != "contact.created" || last["contact_id"] != id || last["external_id"] != "new-1" || last["role"] != "user" {
		t.Errorf("4.11: the last activity is %v", last)
	}
	for _, row := range []struct {
		name string
		sent m
		role string
	}{
		{"a role", m{"role": "lead"}, "lead"}, {"an e-mail", m{"email": "one@example.com"}, "user"}, {"an external id", m{"external_id": "new-2"}, "user"},
		{"a lead with an e-mail that a user has", m{"role": "lead", "email": "zoë@example.com"}, "lead"},
	} {
		r := c.do("POST", "/contacts", row.sent)
		if r.status != 200 || r.json["role"] != row.role {
			t.Errorf("%s: %d %s", row.name, r.status, r.raw)
		}
	}
}

// Section 9: what answers contain by version, and from when on an e-mail can be verified.
func TestContract9AnEmailIsVerifiedFrom216OnAndSentLater(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][2]bool{"2.14": {false, false}, "2.16": {true, false}, "2.17": {true, true}} {
		c := startWorkspace(t, emulator.Config{Contacts: 60})
		c.version = version
		r := c.do("POST", "/contacts", m{"email": "a@example.com", "email_verified": true})
		if _, told := r.json["email_verified"]; told != want[1] {
			t.Errorf("%s: told: %t", version, told)
		}
		if got := c.oracleRow("contacts", r.json["id"].(string))["email_verified"]; got != want[0] {
			t.Errorf("%s: verified: %v", version, got)
		}
	}
}

// Section 3.2: an e-mail is verified until the address changes, and then only after it is verified again.
func TestContract3_2AChangedEmailIsUnverified(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	id := c.createRecord("POST", "/contacts", m{"email": "a@example.com", "email_verified": true})
	for _, row := range []struct {
		name string
		sent m
		want bool
	}{
		{"another field", m{"name": "A"}, true},
		{"the same address", m{"email": "a@example.com"}, true},
		{"another address", m{"email": "b@example.com"}, false},
		{"another field again", m{"name": "B"}, false},
		{"marked", m{"email_verified": true}, true},
		{"another address that is marked", m{"email": "c@example.com", "email_verified": true}, true},
		{"no address", m{"email": nil}, false},
		{"the old one", m{"email": "c@example.com"}, false},
	} {
		r := c.do("PUT", "/contacts/"+id, row.sent)
		if r.status != 200 || r.json["email_verified"] != row.want {
			t.Errorf("%s: %d, verified: %v", row.name, r.status, r.json["email_verified"])
		}
		c.sameContact(id)
	}
}

// Section 4.11: fields that are sent are set, and the others stay.
func TestContract4_11AContactIsUpdated(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	id := c.createRecord("POST", "/contacts", m{"role": "lead", "name": "Ann", "phone": "+49", "owner_id": 5, "custom_attributes": m{"plan": "Pro", "n": 1}})
	c.w.Advance(time.Hour)
	now := c.w.CurrentTime().Unix()
	r := c.do("PUT", "/contacts/"+id, m{"role": "user", "phone": nil, "owner_id": nil, "last_seen_at": now, "custom_attributes": m{"plan": nil, "n": 2}, "unknown": m{}})
	for name, want := range map[string]any{"role": "user", "name": "Ann", "phone": nil, "owner_id": nil, "last_seen_at": now, "updated_at": now,
		"created_at": now - 3600, "custom_attributes": m{"n": 2}} {
		if got := r.json[name]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	c.sameContact(id)
	if found := c.searchIDs(fieldFilter("name", "=", "Ann")); len(found) != 1 || found[0] != id {
		t.Errorf("search finds %v", found)
	}
	feed := c.walkCursors("/contacts/activities")
	if last := feed[len(feed)-1]; last["event_type"] != "contact.role_updated" || last["role"] != "user" {
		t.Errorf("4.11: the last activity is %v", last)
	}
	c.w.Advance(time.Hour)
	if r := c.do("PUT", "/contacts/"+id, m{"unknown": 1}); r.status != 200 || toInt(r.json["updated_at"]) != int(now) {
		t.Errorf("nothing at all: %d, updated at %v", r.status, r.json["updated_at"])
	}
	c.do("PUT", "/contacts/"+id, m{"role": "user", "name": "Bea"})
	if more := c.walkCursors("/contacts/activities"); len(more) != len(feed) {
		t.Error("a role that stays as it is is an activity")
	}
}

// A user that shares an e-mail with another, as in imported data, can still be updated. A lead can become a user under its own identities.
func TestAContactThatSharesAnIdentityIsUpdated(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	id := c.createRecord("POST", "/contacts", m{"email": "x@example.com"})
	twin, err := c.w.CreateContact("user", emulator.FieldChange{Field: "email", Value: "x@example.com"})
	failOn(t, err)
	lead := c.createRecord("POST", "/contacts", m{"role": "lead", "email": "x@example.com"})
	for _, row := range []struct {
		name, id string
		sent     m
	}{
		{"another field", twin, m{"name": "N"}},
		{"the same e-mail", twin, m{"email": "x@example.com", "external_id": "own"}},
		{"a role that it has", id, m{"role": "user"}},
		{"a lead with an e-mail of its own", lead, m{"role": "user", "email": "y@example.com"}},
	} {
		if r := c.do("PUT", "/contacts/"+row.id, row.sent); r.status != 200 {
			t.Errorf("%s: %d %s", row.name, r.status, r.raw)
		}
	}
}

// Section 7: a refused request has changed nothing.
func TestContract7ContactsThatAreRefused(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	id, gone := c.createRecord("POST", "/contacts", m{"external_id": "x", "email": "x@example.com"}), c.createContact("lead")
	other := c.createRecord("POST", "/contacts", m{"external_id": "y"})
	twin := c.createRecord("POST", "/contacts", m{"role": "lead", "external_id": "x2", "email": "x@example.com"})
	failOn(t, c.w.MergeContacts(gone, id))
	before := snapshotOracle(c.w)
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
		code, says         string
	}{
		{"nothing to know it by", "POST", "/contacts", m{"name": "x"}, 400, "parameter_not_found", "one of role, email, external_id is missing"},
		{"nothing in what it is known by", "POST", "/contacts", m{"external_id": "", "email": ""}, 400, "parameter_not_found", "one of role, email, external_id is missing"},
		{"no body", "POST", "/contacts", nil, 400, "parameter_not_found", "one of role, email, external_id is missing"},
		{"a list", "POST", "/contacts", []int{1}, 400, "parameter_invalid", "no JSON object"},
		{"null", "POST", "/contacts", json.RawMessage("null"), 400, "parameter_invalid", "no JSON object"},
		{"another role", "POST", "/contacts", m{"role": "boss"}, 400, "parameter_invalid", "role must be one of user, lead"},
		{"a number for a text", "POST", "/contacts", m{"role": "lead", "name": 5}, 400, "parameter_invalid", "name must be a text"},
		{"a text for a time", "POST", "/contacts", m{"role": "lead", "signed_up_at": "today"}, 400, "parameter_invalid", "signed_up_at must be a whole number"},
		{"a text for a flag", "PUT", "/contacts/" + id, m{"email_verified": "yes"}, 400, "parameter_invalid", "email_verified must be true or false"},
		{"no flag", "PUT", "/contacts/" + id, m{"unsubscribed_from_emails": nil}, 400, "parameter_invalid", "unsubscribed_from_emails must be true or false"},
		{"attributes that are none", "PUT", "/contacts/" + id, m{"custom_attributes": 5}, 400, "parameter_invalid", "custom_attributes must be an object"},
		{"an attribute of objects", "PUT", "/contacts/" + id, m{"custom_attributes": m{"a": m{}}}, 400, "parameter_invalid", "custom_attributes.a must be a text"},
		{"an attribute of lists", "PUT", "/contacts/" + id, m{"custom_attributes": m{"a": []int{1}}}, 400, "parameter_invalid", "custom_attributes.a must be a text"},
		{"an owner who is not there", "PUT", "/contacts/" + id, m{"owner_id": 6}, 404, "not_found", "Admin Not Found"},
		{"an owner who left", "POST", "/contacts", m{"role": "lead", "owner_id": 814801}, 404, "not_found", "Admin Not Found"},
		{"an owner in bulk who is not there", "POST", "/contacts/bulk", m{"contacts": []m{{"role": "lead"}, {"role": "lead", "owner_id": 6}}}, 404, "not_found", "Admin Not Found"},
		{"an external id that is there", "POST", "/contacts", m{"external_id": "x"}, 409, "conflict", id},
		{"an e-mail that is there", "POST", "/contacts", m{"email": "x@example.com"}, 409, "conflict", id},
		{"an e-mail that is there in other letters", "POST", "/contacts", m{"email": "X@Example.com"}, 409, "conflict", id},
		{"an e-mail that is there", "PUT", "/contacts/" + other, m{"email": "x@example.com"}, 409, "conflict", id},
		{"a lead who would be a user with an e-mail that is there", "PUT", "/contacts/" + twin, m{"role": "user", "external_id": "x3"}, 409, "conflict", id},
		{"an id that is no whole number", "POST", "/contacts/merge", m{"from": json.Number("1.5"), "into": id}, 400, "parameter_invalid", "from must be an id"},
		{"an id beyond all numbers", "POST", "/contacts/merge", m{"from": json.Number("1e400"), "into": id}, 400, "parameter_invalid", "from must be an id"},
		{"nobody", "PUT", "/contacts/nobody", m{"name": "x"}, 404, "not_found", ""},
		{"one who was merged", "PUT", "/contacts/" + gone, m{"name": "x"}, 404, "not_found", ""},
		{"another method", "PATCH", "/contacts/" + id, m{"name": "x"}, 405, "method_not_allowed", ""},
	} {
		r := c.do(row.method, row.path, row.body)
		if r.status != row.status || r.errorCode() != row.code || !strings.Contains(string(r.raw), row.says) {
			t.Errorf("%s: %d %s, want %d %s and %q", row.name, r.status, r.raw, row.status, row.code, row.says)
		}
	}
	for stream, rows := range snapshotOracle(c.w).rows {
		if fmt.Sprint(rows) != fmt.Sprint(before.rows[stream]) {
			t.Errorf("%s tells something else", stream)
		}
	}
}

// An identity finds the contact that has it now, also from a merge, and not one that lost it or became inactive.
func TestAContactIsFoundByItsCurrentIdentity(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	users := slices.DeleteFunc(c.w.Oracle("contacts"), func(row map[string]any) bool { return row["role"] != "user" })
	born := users[0]
	heir, lead := c.createRecord("POST", "/contacts", m{"external_id": "heir"}), c.createRecord("POST", "/contacts", m{"role": "lead", "email": "lead@example.com"})
	c.createRecord("POST", "/contacts/merge", m{"from": lead, "into": heir})
	moved, gone := c.createRecord("POST", "/contacts", m{"email": "old@example.com"}), c.createRecord("POST", "/contacts", m{"email": "gone@example.com"})
	c.createRecord("PUT", "/contacts/"+moved, m{"email": "new@example.com"})
	c.createRecord("DELETE", "/contacts/"+gone, nil)
	for _, row := range []struct {
		name  string
		sent  m
		known string // "": nobody
	}{
		{"one of the population", m{"external_id": born["external_id"]}, born["id"].(string)},
		{"by what a merge gave", m{"email": "lead@example.com"}, heir},
		{"by what was changed to", m{"email": "new@example.com"}, moved},
		{"by what was changed", m{"email": "old@example.com"}, ""},
		{"by what one had who left", m{"email": "gone@example.com"}, ""},
		{"an e-mail for an external id", m{"external_id": "new@example.com"}, ""},
	} {
		r := c.do("POST", "/contacts", row.sent)
		if want := map[bool]int{true: 200, false: 409}[row.known == ""]; r.status != want || !strings.Contains(string(r.raw), row.known) {
			t.Errorf("%s: %d %s, want %d with %s", row.name, r.status, r.raw, want, row.known)
		}
	}
}
