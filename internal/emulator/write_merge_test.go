package emulator_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// Sections 3.2, 4.2: search never returns the lead again, the user gets what it lacked and is the answer.
func TestContract4_2ALeadIsMergedIntoAUser(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	lead := c.createRecord("POST", "/contacts", m{"role": "lead", "name": "Lead", "email": "l@example.com", "phone": "+49", "owner_id": 5, "custom_attributes": m{"plan": "a", "new": true}})
	user := c.createRecord("POST", "/contacts", m{"external_id": "u", "name": "User", "email_verified": true, "custom_attributes": m{"plan": "b"}})
	other := c.createRecord("POST", "/contacts", m{"role": "lead"})
	for _, row := range []struct {
		name, from, into string
		status           int
		code             string
	}{
		{"nobody", "nobody", user, 404, "not_found"}, {"into nobody", lead, "nobody", 404, "not_found"},
		{"a user", user, user, 400, "invalid_merge"}, {"into a lead", lead, other, 400, "invalid_merge"}, {"into itself", lead, lead, 400, "invalid_merge"},
		{"nothing", "", user, 404, "not_found"},
	} {
		if r := c.do("POST", "/contacts/merge", m{"from": row.from, "into": row.into}); r.status != row.status || r.errorCode() != row.code {
			t.Errorf("%s: %d %s, want %d %s", row.name, r.status, r.raw, row.status, row.code)
		}
	}
	if r := c.do("POST", "/contacts/merge", m{"from": lead}); r.status != 400 || r.errorCode() != "parameter_not_found" {
		t.Errorf("without into: %d %s", r.status, r.raw)
	}
	r := c.do("POST", "/contacts/merge", m{"from": lead, "into": user})
	for name, want := range map[string]any{"id": user, "role": "user", "name": "User", "email": "l@example.com", "email_verified": false, "phone": "+49",
		"external_id": "u", "owner_id": 5, "custom_attributes": m{"plan": "b", "new": true}} {
		if got := r.json[name]; r.status != 200 || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d, %s: %v, want %v", r.status, name, got, want)
		}
	}
	c.sameContact(user)
	if c.isSearchable(lead) || !c.isSearchable(user) {
		t.Error("4.1.1: only the target is searchable")
	}
	if e := c.inactiveEntry(lead); e["status"] != "merged" || e["merged_into_id"] != user {
		t.Errorf("2.10: entry %v", e)
	}
	feed := c.walkCursors("/contacts/activities")
	if last := feed[len(feed)-1]; last["event_type"] != "contact.merged" || last["merge_source_id"] != lead || last["merge_target_id"] != user {
		t.Errorf("4.11: the last activity is %v", last)
	}
	if r := c.do("POST", "/contacts/merge", m{"from": lead, "into": user}); r.status != 404 || r.errorCode() != "not_found" {
		t.Errorf("again: %d %s", r.status, r.raw)
	}
}

// mergedTogether are the fields that a merge fills in as one, by their name in the preview.
var mergedTogether = map[string][]string{
	"browser":     {"browser", "browser_version", "browser_language", "os"},
	"android_app": {"android_app_name", "android_app_version", "android_device", "android_os_version", "android_sdk_version"},
	"ios_app":     {"ios_app_name", "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version"},
}

// filledIn returns the fields of a contact by their names in the preview, without the lists that only grow.
func filledIn(contact map[string]any) map[string]string {
	filled := map[string]string{}
	rest := maps.Clone(contact)
	for _, name := range []string{"type", "id", "workspace_id", "role", "email_verified", "unsubscribed_from_emails", "created_at", "updated_at", "tags", "notes", "companies", "custom_attributes"} {
		delete(rest, name)
	}
	for name, fields := range mergedTogether {
		var values []string
		for _, field := range fields {
			if contact[field] != nil {
				values = append(values, fmt.Sprint(contact[field]))
			}
			delete(rest, field)
		}
		filled[name] = strings.Join(values, " ")
	}
	place := contact["location"].(map[string]any)
	filled["location"] = strings.Trim(fmt.Sprint(place["country"], " ", place["region"], " ", place["city"]), " ")
	delete(rest, "location")
	filled["social_profiles"] = fmt.Sprint(fieldOf(contact["social_profiles"], "data"))
	delete(rest, "social_profiles")
	for name, value := range contact["custom_attributes"].(map[string]any) {
		filled["custom_attributes."+name] = fmt.Sprint(value)
	}
	for name, value := range rest {
		if value != nil {
			filled[name] = fmt.Sprint(value)
		}
	}
	for name, value := range filled {
		if value == "" || value == "[]" || value == "<nil> <nil> <nil>" {
			delete(filled, name)
		}
	}
	return filled
}

// countRecords counts the records of a stream that name one of these contacts; all records without contacts.
func (c *apiClient) countRecords(stream, record string, contacts ...string) int {
	records := map[any]bool{}
	for _, row := range c.w.Oracle(stream) {
		if len(contacts) == 0 || slices.Contains(contacts, fmt.Sprint(row["contact_id"])) {
			records[row[record]] = true
		}
	}
	return len(records)
}

// Sections 2.10, 3.2, 4.11: for any pair, the merge does exactly what the preview says.
func TestAMergeDoesExactlyWhatItsPreviewSays(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Seed: 4, Contacts: 150, Conversations: 300, Knobs: emulator.Knobs{NoLag: true, ChangeShare: 0.1}})
	c.w.SimulateHours(3)
	var leads, users []string
	for _, row := range c.w.Oracle("contacts") {
		if row["role"] == "lead" {
			leads = append(leads, row["id"].(string))
		} else {
			users = append(users, row["id"].(string))
		}
	}
	// A few send no contacts although they have some (api-notes: any of the objects may be null).
	withoutContacts := map[string]int{"conversations": len(c.w.Oracle("conversations")) - c.countRecords("conversation_contacts", "conversation_id"),
		"tickets": len(c.w.Oracle("tickets")) - c.countRecords("ticket_contacts", "ticket_id")}
	previewed := map[string]int{}
	merged := map[string][]string{}
	for i, lead := range leads[:40] {
		user := users[i%25] // some get two
		asked := func(id string) map[string]any { return c.do("GET", "/contacts/"+id, nil).json }
		p, mine, theirs := c.previewMerge(lead, user), filledIn(asked(user)), filledIn(asked(lead))
		count := func(kind, side string) int { return toInt(fieldOf(fieldOf(p.json["counts"], kind), side)) }
		for kind, stream := range map[string]string{"conversations": "conversation_contacts", "tickets": "ticket_contacts", "notes": "contact_notes", "tags": "contact_tags"} {
			record := map[string]string{"conversations": "conversation_id", "tickets": "ticket_id", "notes": "note_id", "tags": "tag_id"}[kind]
			for side, who := range map[string][]string{"from": {lead}, "into": append([]string{user}, merged[user]...)} {
				got, want := count(kind, side), c.countRecords(stream, record, who...)
				if got < want || got > want+withoutContacts[kind] {
					t.Errorf("%s %s: %d, want %d", kind, side, got, want)
				}
				previewed[kind] += got
			}
		}
		if r := c.do("POST", "/contacts/merge", m{"from": lead, "into": user}); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.raw)
		}
		merged[user] = append(merged[user], lead)
		changes := itemsAt(p.json, "attribute_changes")
		for _, change := range changes {
			name := change["attribute"].(string)
			previewed[name]++
			if mine[name] != "" || theirs[name] == "" || change["into"] != nil || fmt.Sprint(change["from"]) != fmt.Sprint(change["result"]) {
				t.Errorf("%s: %v, the user has %q, the lead %q", name, change, mine[name], theirs[name])
			}
			mine[name] = theirs[name]
		}
		if after := filledIn(asked(user)); !maps.Equal(after, mine) {
			t.Errorf("%v\nwas told to become\n%v", after, mine)
		}
		c.sameContact(user)
	}
	for _, name := range []string{"conversations", "tickets", "notes", "tags", "phone", "location", "browser", "last_replied_at", "custom_attributes.plan", "social_profiles"} {
		if previewed[name] == 0 {
			t.Errorf("%s is never told", name)
		}
	}
}

// Sections 2.10, 3.2: the user takes over the lead's conversations and tickets; earlier authors stay.
func TestContract2_10AMergePassesConversationsAndTicketsOn(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Conversations: 90, Knobs: emulator.Knobs{NoLag: true}})
	lead, user := c.createRecord("POST", "/contacts", m{"role": "lead"}), c.createRecord("POST", "/contacts", m{"external_id": "u"})
	sent := c.doOK("POST", "/messages", m{"message_type": "inapp", "body": "hello", "from": m{"type": "admin", "id": "814860"},
		"to": []m{{"type": "lead", "id": lead}, {"type": "user", "id": user}}})
	ticket := c.createRecord("POST", "/tickets", m{"ticket_type_id": "1200", "contacts": []m{{"id": lead}}, "ticket_attributes": m{"Größe": "S"}})
	talks := map[string]string{"/conversations/": fmt.Sprint(sent["conversation_id"]), "/tickets/": ticket}
	for path, id := range talks {
		c.doOK("POST", path+id+"/reply", m{"message_type": "comment", "type": "user", "contact_id": lead, "body": "as the lead"})
	}
	before := toInt(c.doOK("GET", "/conversations/"+talks["/conversations/"], nil)["updated_at"])
	c.w.Advance(time.Minute)
	c.doOK("POST", "/contacts/merge", m{"from": lead, "into": user})
	for path, id := range talks {
		for range 2 {
			record := c.doOK("GET", path+id, nil)
			who := itemsAt(record["contacts"].(map[string]any), "contacts")
			if len(who) != 1 || who[0]["id"] != user || who[0]["external_id"] != "u" || toInt(record["updated_at"]) <= before {
				t.Errorf("%s: of %v, changed %v, before it %d", path, who, record["updated_at"], before)
			}
			c.doOK("POST", path+id+"/reply", m{"message_type": "comment", "type": "user", "contact_id": user, "body": "as the user"})
		}
		found := c.do("POST", path+"search", m{"query": fieldFilter("contact_ids", "=", user)})
		if gone := c.do("POST", path+"search", m{"query": fieldFilter("contact_ids", "=", lead)}); found.totalCount() != 1 || gone.totalCount() != 0 {
			t.Errorf("%s: found by the user %d times, by the lead %d times", path, found.totalCount(), gone.totalCount())
		}
	}
	if p := c.previewMerge(c.createRecord("POST", "/contacts", m{"role": "lead"}), user); fmt.Sprint(p.json["counts"].(map[string]any)["conversations"]) != "map[from:0 into:1]" {
		t.Errorf("a preview has then %v", p.json)
	}
	parts := c.fetchConversation(talks["/conversations/"])["conversation_parts"].(map[string]any)
	if first := itemsAt(parts, "conversation_parts")[0]; fieldOf(first["author"], "id") != any(lead) {
		t.Errorf("who wrote before it is %v", first["author"])
	}
	c.sameConversations(t)
	c.sameTickets(t)
}
