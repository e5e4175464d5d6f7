package emulator_test

import (
	"fmt"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
)

func (c *apiClient) previewMerge(from, into string) apiReply {
	c.t.Helper()
	return c.do("POST", "/contacts/merge/preview", m{"from": from, "into": into})
}

// workspace-api 2.10, 3.2: the merge does what its preview says, and the preview changes nothing.
func TestAMergePreviewListsWhatTheMergeDoes(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{NoLag: true}})
	lead := c.createContact("lead", setField("email", "lead@example.com"), setField("phone", "+49301"), setField("name", "Lead"), setField("custom_attributes.only lead", true),
		setField("custom_attributes.plan", "mine"))
	user := c.createContact("user", setField("email", "user@example.com"), setField("phone", nil), setField("name", nil), setField("custom_attributes.plan", "kept"))
	for range 2 {
		_, err := c.w.OpenConversation(lead, 1)
		failOn(t, err)
	}
	id, err := c.w.OpenConversation(user, 1)
	failOn(t, err)
	gone, err := c.w.OpenConversation(user, 1)
	failOn(t, err)
	failOn(t, c.w.DeleteConversation(gone))
	failOn(t, c.w.AddContactNote(lead, "<p>x</p>"))
	for _, who := range []string{lead, user, user, user} {
		_, err = c.w.CreateTicket(who, "1200")
		failOn(t, err)
	}
	asked := func(id string) map[string]any { return c.do("GET", "/contacts/"+id, nil).json }
	before := fmt.Sprint(asked(user), asked(lead), c.fetchConversation(id))
	r := c.previewMerge(lead, user)
	if _, calls := fieldOf(r.json["counts"], "phone_calls").(map[string]any); calls || r.status != 200 || r.json["allowed"] != true || r.json["reasons"] != nil {
		t.Fatalf("%d %s", r.status, r.raw)
	}
	if fmt.Sprint(asked(user), asked(lead), c.fetchConversation(id)) != before {
		t.Error("3.2: the preview changed something")
	}
	counts := r.json["counts"].(map[string]any)
	for kind, want := range map[string][2]int{"conversations": {2, 1}, "tickets": {1, 3}} {
		if got := [2]int{toInt(fieldOf(counts[kind], "from")), toInt(fieldOf(counts[kind], "into"))}; got != want {
			t.Errorf("%s: %v, want %v", kind, got, want)
		}
	}
	for _, kind := range []string{"notes", "tags"} {
		if got, want := toInt(fieldOf(counts[kind], "from")), toInt(fieldOf(asked(lead)[kind], "total_count")); got != want {
			t.Errorf("%s: %d, want %d", kind, got, want)
		}
	}
	changes := map[string]any{}
	for _, change := range itemsAt(r.json, "attribute_changes") {
		changes[change["attribute"].(string)] = change["result"]
	}
	if changes["email"] != nil || changes["custom_attributes.plan"] != nil || changes["name"] != "Lead" || changes["custom_attributes.only lead"] != true {
		t.Errorf("changes: %v", changes)
	}
	failOn(t, c.w.MergeContacts(lead, user))
	for name, want := range changes {
		survivor := asked(user)
		got := survivor[name]
		if own, ok := strings.CutPrefix(name, "custom_attributes."); ok {
			got = fieldOf(survivor["custom_attributes"], own)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s was to be %v and is %v", name, want, got)
		}
	}
}

// workspace-api 2.10: phone calls are counted for leads that are only a phone number.
func TestAMergePreviewOfAPhoneLeadCountsCalls(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Calls: 200})
	calls := map[any]int{}
	for _, row := range c.w.Oracle("calls") {
		calls[row["contact_id"]]++
	}
	user := c.createContact("user")
	for _, row := range c.w.Oracle("contacts") {
		if id := row["id"].(string); row["role"] == "lead" && calls[id] > 0 {
			failOn(t, c.w.UpdateContact(id, setField("email", nil), setField("phone", "+49302")))
			counts := c.previewMerge(id, user).json["counts"]
			if got := fieldOf(fieldOf(counts, "phone_calls"), "from"); toInt(got) != calls[id] {
				t.Errorf("%v calls, want %d", got, calls[id])
			}
			return
		}
	}
	t.Error("no lead has called")
}

// workspace-api 2.10, 4.11, 7.
func TestAMergePreviewSaysWhyNot(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	lead, user, other := c.createContact("lead"), c.createContact("user"), c.createContact("user")
	for _, test := range []struct {
		name, from, into string
		codes            string
	}{
		{"a user into a user", other, user, "[from_not_a_lead]"},
		{"a lead into a lead", lead, c.createContact("lead"), "[into_not_a_user]"},
		{"a user into a lead", user, lead, "[from_not_a_lead into_not_a_user]"},
		{"into itself", user, user, "[same_contact from_not_a_lead]"},
	} {
		r := c.previewMerge(test.from, test.into)
		var codes []string
		for _, reason := range itemsAt(r.json, "reasons") {
			if codes = append(codes, reason["code"].(string)); reason["message"] == "" {
				t.Errorf("%s: no message", test.name)
			}
		}
		if r.status != 200 || r.json["allowed"] != false || fmt.Sprint(codes) != test.codes || r.json["counts"] != nil {
			t.Errorf("%s: %d %s", test.name, r.status, r.raw)
		}
	}
	failOn(t, c.w.ArchiveContact(other))
	for _, pair := range [][2]string{{lead, "nobody"}, {"nobody", user}, {lead, other}} {
		if r := c.previewMerge(pair[0], pair[1]); r.status != 404 || r.errorCode() != "not_found" {
			t.Errorf("7: %v: %d", pair, r.status)
		}
	}
	for _, body := range []any{m{"from": lead}, m{}, []int{1}} {
		if r := c.do("POST", "/contacts/merge/preview", body); r.status != 400 {
			t.Errorf("%v: %d", body, r.status)
		}
	}
}
