package emulator_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// Sections 2.9, 3.2, 4.8: a contact is deleted whether or not a list shows it afterwards.
func TestContract4_8AContactIsDeleted(t *testing.T) {
	t.Parallel()
	for listing, want := range map[emulator.DeleteListing]string{emulator.ListAll: "pending_deletion", emulator.ListNone: "deleted"} {
		c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{ListDeletes: listing}})
		id := c.w.ContactIDs("active")[0]
		if r := c.do("DELETE", "/contacts/"+id, nil); r.status != 200 || fmt.Sprint(r.json) != fmt.Sprint(m{"id": id, "object": "contact", "deleted": true}) {
			t.Errorf("%d %s", r.status, r.raw)
		}
		if row := c.lifecycleRow(id); row["lifecycle"] != want || c.isSearchable(id) || (c.inactiveEntry(id) != nil) != (listing == emulator.ListAll) {
			t.Errorf("it is %v", row)
		}
		for _, again := range []string{"GET", "DELETE", "PUT"} {
			if r := c.do(again, "/contacts/"+id, nil); r.status != 404 || r.errorCode() != "not_found" {
				t.Errorf("%s after it: %d %s", again, r.status, r.raw)
			}
		}
		feed := c.walkCursors("/contacts/activities")
		if last := feed[len(feed)-1]; last["event_type"] != "contact.deleted" || last["contact_id"] != id {
			t.Errorf("4.11: the last activity is %v", last)
		}
		if r := c.do("DELETE", "/contacts/nobody", nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("nobody: %d %s", r.status, r.raw)
		}
	}
}

// Section 4.5: the answer is the company, which has one more user, and search finds it from then on.
func TestContract4_5ACompanyIsAttachedAndDetached(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	id := c.createRecord("POST", "/contacts", m{"email": "a@example.com"})
	firm, err := c.w.CreateCompany()
	failOn(t, err)
	users := func(want int) {
		t.Helper()
		if got := toInt(c.do("GET", "/companies/"+firm, nil).json["user_count"]); got != want || c.oracleRow("companies", firm)["user_count"] != int64(want) {
			t.Errorf("it has %d users, want %d", got, want)
		}
		found := c.do("POST", "/companies/search", m{"query": fieldFilter("id", "=", firm)}).itemIDs()
		if len(found) != want || len(c.do("GET", "/companies/"+firm+"/contacts", nil).itemIDs()) != want || len(c.do("GET", "/contacts/"+id+"/companies", nil).itemIDs()) != want {
			t.Errorf("with %d users search finds %v", want, found)
		}
		rows := slices.DeleteFunc(c.w.Oracle("contact_companies"), func(row map[string]any) bool { return row["contact_id"] != id })
		if len(rows) != want {
			t.Errorf("the oracle tells %v", rows)
		}
	}
	users(0)
	c.w.Advance(time.Minute)
	r := c.do("POST", "/contacts/"+id+"/companies", m{"id": firm})
	if toInt(c.do("GET", "/contacts/"+id, nil).json["updated_at"]) != int(c.w.CurrentTime().Unix()) {
		t.Error("what is shown in a contact moves its updated_at")
	}
	users(1)
	if r.status != 200 || string(r.raw) != string(c.do("GET", "/companies/"+firm, nil).raw) {
		t.Errorf("4.5: %d %s", r.status, r.raw)
	}
	for _, row := range []struct {
		name, method, path string
		body               any
		status             int
		code               string
	}{
		{"no company", "POST", "/contacts/" + id + "/companies", m{"id": "none"}, 404, "company_not_found"},
		{"nobody", "POST", "/contacts/nobody/companies", m{"id": firm}, 404, "not_found"},
		{"nobody and no company", "POST", "/contacts/nobody/companies", m{"id": "none"}, 404, "not_found"},
		{"none is named", "POST", "/contacts/" + id + "/companies", m{}, 400, "parameter_not_found"},
		{"no company", "DELETE", "/contacts/" + id + "/companies/none", nil, 404, "company_not_found"},
		{"another one", "DELETE", "/contacts/" + id + "/companies/" + c.w.Oracle("companies")[0]["id"].(string), nil, 404, "company_not_found"},
		{"nobody", "DELETE", "/contacts/nobody/companies/" + firm, nil, 404, "not_found"},
	} {
		if r := c.do(row.method, row.path, row.body); r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%s: %d %s, want %d %s", row.name, r.status, r.raw, row.status, row.code)
		}
	}
	users(1)
	if r := c.do("DELETE", "/contacts/"+id+"/companies/"+firm, nil); r.status != 200 || r.json["id"] != firm {
		t.Errorf("detached: %d %s", r.status, r.raw)
	}
	users(0)
}

// Sections 3.2, 4.4: the answer is the subscription type, and the contact itself does not change.
func TestContract4_4AContactLeavesASubscription(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	row := c.w.Oracle("contact_subscriptions")[0]
	id, sub := row["contact_id"].(string), row["subscription_id"].(string)
	path := "/contacts/" + id + "/subscriptions"
	was, contact := c.do("GET", path, nil).dataItems(), c.do("GET", "/contacts/"+id, nil).raw
	c.w.Advance(time.Minute)
	r := c.do("DELETE", path+"/"+sub, nil)
	if i := slices.IndexFunc(was, func(one map[string]any) bool { return one["id"] == sub }); r.status != 200 || fmt.Sprint(r.json) != fmt.Sprint(was[i]) {
		t.Errorf("%d %s, want %v", r.status, r.raw, was[i])
	}
	now := c.do("GET", path, nil).itemIDs()
	if len(now) != len(was)-1 || slices.Contains(now, sub) || string(c.do("GET", "/contacts/"+id, nil).raw) != string(contact) {
		t.Errorf("it is in %v", now)
	}
	for _, path := range []string{path + "/" + sub, path + "/none", "/contacts/nobody/subscriptions/" + sub} {
		if r := c.do("DELETE", path, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	var served []map[string]any
	for _, contact := range c.w.ContactIDs("active") {
		for _, sub := range c.do("GET", "/contacts/"+contact+"/subscriptions", nil).itemIDs() {
			served = append(served, m{"contact_id": contact, "subscription_id": sub})
		}
	}
	sameRows(t, "contact_subscriptions", served, c.w.Oracle("contact_subscriptions"))
}

// Sections 3.2, 4.4: a contact created by a request has no subscriptions. It can join some, leave them, and join again.
func TestContract4_4ACreatedContactHasTheSubscriptionsThatItJoined(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 2})
	for range 8 { // drawn contacts rarely have none
		id := c.createRecord("POST", "/contacts", m{"role": "lead"})
		path := "/contacts/" + id + "/subscriptions"
		if got := c.do("GET", path, nil); len(got.itemIDs()) != 0 || got.totalCount() != 0 {
			t.Fatalf("it is in %v", got.itemIDs())
		}
		for range 2 {
			c.doOperation("contacts.subscribe", m{"id": id, "subscription": "102"})
			c.doOperation("contacts.subscribe", m{"id": id, "subscription": "103"})
			if r := c.do("DELETE", path+"/102", nil); r.status != 200 || r.json["id"] != "102" || r.json["type"] != "subscription" {
				t.Errorf("%d %s", r.status, r.raw)
			}
			if got := c.do("GET", path, nil).itemIDs(); !slices.Equal(got, []string{"103"}) {
				t.Errorf("it is in %v", got)
			}
			if r := c.do("DELETE", path+"/103", nil); r.status != 200 {
				t.Errorf("%d %s", r.status, r.raw)
			}
		}
		for _, row := range c.w.Oracle("contact_subscriptions") {
			if row["contact_id"] == id {
				t.Errorf("the oracle has %v", row)
			}
		}
	}
}

// Sections 4.11, 5.3: a note of a contact or of a company is deleted, with the scope; no other note is.
func TestContract4_11ANoteIsDeleted(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 20, Knobs: emulator.Knobs{NoLag: true}})
	c.failOn(c.w.AddToken("scoped", "write_users_companies"))
	c.failOn(c.w.AddToken("other", "read_conversations", "read_write_dynamic_content"))
	id := c.createRecord("POST", "/contacts", m{"email": "a@example.com"})
	failOn(t, c.w.AddContactNote(id, "<p>mine</p>"))
	mine := c.do("GET", "/contacts/"+id+"/notes", nil).itemIDs()[0]
	theirs := c.w.Oracle("company_notes")[0]
	inactive, err := c.w.CreateContact("user")
	failOn(t, err)
	failOn(t, c.w.AddContactNote(inactive, "<p>of somebody who left</p>"))
	away := c.do("GET", "/contacts/"+inactive+"/notes", nil).itemIDs()[0]
	failOn(t, c.w.ArchiveContact(inactive))
	talk := c.w.ConversationIDs()[0]
	failOn(t, c.w.ReplyConversation(talk, conversations.ByNote, "hm"))
	said := slices.Max(c.w.PartIDs(talk))
	c.w.Advance(time.Minute)
	c.auth = "Bearer other"
	if r := c.do("DELETE", "/notes/"+mine, nil); r.status != 403 || r.errorCode() != "token_unauthorized" {
		t.Errorf("5.3: %d %s", r.status, r.raw)
	}
	c.auth = "Bearer scoped"
	for _, path := range []string{"/notes/" + said, "/notes/" + away, "/notes/1", "/notes/x"} {
		if r := c.do("DELETE", path, nil); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("%s: %d %s", path, r.status, r.raw)
		}
	}
	firm := theirs["company_id"].(string)
	before := c.do("GET", "/companies/"+firm, nil).raw
	for _, note := range []string{mine, theirs["note_id"].(string)} {
		r := c.do("DELETE", "/notes/"+note, nil)
		if r.status != 200 || fmt.Sprint(r.json) != fmt.Sprint(m{"id": note, "object": "note", "deleted": true}) {
			t.Errorf("%d %s", r.status, r.raw)
		}
		if r := c.do("DELETE", "/notes/"+note, nil); r.status != 404 {
			t.Errorf("again: %d %s", r.status, r.raw)
		}
	}
	contact := c.do("GET", "/contacts/"+id, nil).json
	if toInt(fieldOf(contact["notes"], "total_count")) != 0 || toInt(contact["updated_at"]) != int(c.w.CurrentTime().Unix()) || c.countRecords("contact_notes", "note_id", id) != 0 {
		t.Errorf("the contact is %v", contact)
	}
	c.sameContact(id)
	if slices.Contains(c.do("GET", "/companies/"+firm+"/notes", nil).itemIDs(), theirs["note_id"].(string)) || string(c.do("GET", "/companies/"+firm, nil).raw) != string(before) {
		t.Error("the company has its note, or has changed")
	}
	for _, row := range c.w.Oracle("company_notes") {
		if row["note_id"] == theirs["note_id"] {
			t.Error("the oracle tells the company's note")
		}
	}
}

// A note is deleted by its id alone, so notes of contacts and of companies share no id, whatever the number of contacts.
func TestNotesOfContactsAndOfCompaniesShareNoID(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 66_000, Conversations: -1, Activities: 1})
	of := map[any]string{}
	for _, stream := range []string{"contact_notes", "company_notes"} {
		for _, row := range c.w.Oracle(stream) {
			if other := of[row["note_id"]]; other != "" {
				t.Fatalf("%v is of %s and of %s", row["note_id"], other, stream)
			}
			of[row["note_id"]] = stream
		}
	}
}

// Section 4.11: a visitor becomes the named user, a new user, or a lead.
func TestContract4_11AVisitorIsConverted(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	user := c.createRecord("POST", "/contacts", m{"external_id": "u", "email": "u@example.com"})
	visitor := m{"id": "5310d8e8598c9a0b24000005"}
	for _, row := range []struct {
		name string
		sent m
		id   string // "": a new one
		role string
	}{
		{"the user by the id", m{"type": "user", "visitor": visitor, "user": m{"id": user}}, user, "user"},
		{"the user by the external id", m{"type": "user", "visitor": m{"user_id": "v-1"}, "user": m{"user_id": "u"}}, user, "user"},
		{"the user by the e-mail", m{"type": "user", "visitor": visitor, "user": m{"email": "u@example.com"}}, user, "user"},
		{"another user", m{"type": "user", "visitor": visitor, "user": m{"user_id": "v", "email": "v@example.com"}}, "", "user"},
		{"a lead", m{"type": "lead", "visitor": m{"email": "w@example.com"}}, "", "lead"},
	} {
		before := len(c.w.ContactIDs("active"))
		r := c.do("POST", "/visitors/convert", row.sent)
		id, _ := r.json["id"].(string)
		if _, hasField := r.json["email_verified"]; r.status != 200 || r.json["role"] != row.role || !hasField || row.id != "" && id != row.id || len(c.w.ContactIDs("active")) != before+map[bool]int{true: 1}[row.id == ""] {
			t.Errorf("%s: %d %s", row.name, r.status, r.raw)
			continue
		}
		c.sameContact(id)
	}
	for _, row := range []struct {
		name   string
		sent   any
		status int
		code   string
	}{
		{"nothing", m{}, 400, "parameter_not_found"}, {"another type", m{"type": "admin", "visitor": visitor}, 400, "parameter_invalid"},
		{"no visitor", m{"type": "lead"}, 400, "parameter_not_found"}, {"a visitor without a name", m{"type": "lead", "visitor": m{}}, 400, "parameter_not_found"},
		{"no user", m{"type": "user", "visitor": visitor}, 400, "parameter_not_found"}, {"a user without a name", m{"type": "user", "visitor": visitor, "user": m{}}, 400, "parameter_not_found"},
		{"a user who is not there", m{"type": "user", "visitor": visitor, "user": m{"id": "nobody"}}, 404, "not_found"},
		{"a visitor with an empty name", m{"type": "lead", "visitor": m{"email": "", "id": ""}}, 400, "parameter_not_found"},
		{"a user with an empty name", m{"type": "user", "visitor": visitor, "user": m{"email": "", "id": ""}}, 400, "parameter_not_found"},
		{"a user who is a lead", m{"type": "user", "visitor": visitor, "user": m{"id": c.createContact("lead")}}, 404, "not_found"},
		{"a text for a visitor", m{"type": "lead", "visitor": "v"}, 400, "parameter_invalid"}, {"no object", json.RawMessage("5"), 400, "parameter_invalid"},
	} {
		if r := c.do("POST", "/visitors/convert", row.sent); r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%s: %d %s, want %d %s", row.name, r.status, r.raw, row.status, row.code)
		}
	}
}
