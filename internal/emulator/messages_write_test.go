package emulator_test

import (
	"fmt"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// pickRecipient returns an active contact of a role, as a recipient.
func (c *apiClient) pickRecipient(role string, place int) m {
	c.t.Helper()
	for _, id := range c.w.ContactIDs("active") {
		if contact := c.doOK("GET", "/contacts/"+id, nil); contact["role"] == role {
			if place--; place < 0 {
				return m{"type": role, "id": id}
			}
		}
	}
	c.t.Fatalf("no %s", role)
	return nil
}

func messageBody(to any, more m) m {
	sent := m{"from": m{"type": "admin", "id": "814861"}, "to": to, "message_type": "inapp", "body": "<p>Zoë &amp; co"}
	for name, v := range more {
		sent[name] = v
	}
	return sent
}

// Sections 4.11, 9: a message begins a conversation of its visible recipients, which every read returns.
func TestContract4_11AMessageBeginsAConversation(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60, Knobs: emulator.Knobs{LagMax: 10 * time.Minute}})
	user, lead, third, hidden := c.pickRecipient("user", 0), c.pickRecipient("lead", 0), c.pickRecipient("lead", 1), c.pickRecipient("user", 1)
	for _, row := range []struct {
		name, version string
		sent          m
		who           []m
		kind, subject string
		echo          [3]int // numbers of to, cc and bcc in the answer
	}{
		{"to one, before 2.14", "2.13", messageBody(user, nil), []m{user}, "conversation", "", [3]int{1, 0, 0}},
		{"copies are of 2.14", "2.13", messageBody(user, m{"cc": []m{lead}, "bcc": []m{hidden}}), []m{user}, "conversation", "", [3]int{1, 0, 0}},
		{"to several", "2.14", messageBody([]m{user, lead, user}, nil), []m{user, lead}, "conversation", "", [3]int{3, 0, 0}},
		{"to one, from 2.14 on", "2.14", messageBody(lead, nil), []m{lead}, "conversation", "", [3]int{1, 0, 0}},
		{"with copies, by e-mail", "2.17", messageBody([]m{user, lead}, m{"cc": []m{third}, "bcc": []m{hidden}, "message_type": "email", "subject": "<Hi>"}), []m{user, lead, third}, "email", "<Hi>", [3]int{2, 1, 1}},
		{"with no copies", "2.17", messageBody([]m{user}, m{"cc": nil, "bcc": []m{}, "subject": nil}), []m{user}, "conversation", "", [3]int{1, 0, 0}},
	} {
		c.w.Advance(time.Hour)
		now := int(c.w.CurrentTime().Unix())
		c.version = row.version
		told := c.doOK("POST", "/messages", row.sent)
		id, _ := told["conversation_id"].(string)
		if told["type"] != "admin_message" || told["id"] == nil || toInt(told["created_at"]) != now || told["body"] != row.sent["body"] || told["message_type"] != row.sent["message_type"] ||
			fmt.Sprint(len(itemsAt(told, "to")), len(itemsAt(told, "cc")), len(itemsAt(told, "bcc"))) != fmt.Sprint(row.echo[0], row.echo[1], row.echo[2]) {
			t.Errorf("%s: the message is %v", row.name, told)
		}
		c.version = "2.17"
		talk := c.fetchConversation(id)
		source, _ := talk["source"].(map[string]any)
		if source["type"] != row.kind || source["id"] != told["id"] || source["body"] != row.sent["body"] || source["subject"] != row.subject || source["delivered_as"] != "operator_initiated" ||
			fieldOf(source["author"], "type") != "admin" || fieldOf(source["author"], "id") != "814861" {
			t.Errorf("%s: the source is %v", row.name, source)
		}
		list := []m{}
		for _, who := range itemsAt(talk, "contacts", "contacts") {
			list = append(list, m{"type": c.doOK("GET", "/contacts/"+who["id"].(string), nil)["role"], "id": who["id"]})
		}
		if fmt.Sprint(list) != fmt.Sprint(row.who) {
			t.Errorf("%s: of %v, want %v", row.name, list, row.who)
		}
		if len(partsOf(talk)) != 0 || talk["open"] != true || talk["read"] != false || talk["waiting_since"] != nil || len(itemsAt(talk, "tags", "tags")) != 0 || talk["company"] != nil ||
			toInt(talk["created_at"]) != now || toInt(talk["updated_at"]) != now {
			t.Errorf("%s: more than was written: %v", row.name, talk)
		}
		if n := len(c.searchTalks(fieldFilter("id", "=", id), 20, "").conversationItems()); n != 0 {
			t.Errorf("%s: search is not late", row.name)
		}
		c.w.Advance(10 * time.Minute)
		if n := len(c.searchTalks(filterGroup("AND", fieldFilter("id", "=", id), fieldFilter("source.body", "~", "Zoë")), 20, "").conversationItems()); n != 1 {
			t.Errorf("%s: search finds %d", row.name, n)
		}
		c.doOK("POST", "/conversations/"+id+"/reply", m{"message_type": "comment", "type": "user", "contact_id": row.who[len(row.who)-1]["id"], "body": "thanks"})
		if r := c.do("POST", "/conversations/"+id+"/reply", m{"message_type": "comment", "type": "user", "contact_id": hidden["id"], "body": "me too"}); r.status != 404 {
			t.Errorf("%s: who was hidden takes part: %d", row.name, r.status)
		}
	}
	c.w.Advance(time.Hour)
	c.w.SimulateHours(2)
	c.sameConversations(t)
}

// Sections 7, 4.11, 9.
func TestContract7MessagesThatAreRefused(t *testing.T) {
	t.Parallel()
	c := startWorkspace(t, emulator.Config{Contacts: 60})
	user, lead := c.pickRecipient("user", 0), c.pickRecipient("lead", 0)
	away := m{"type": "user", "id": c.w.ContactIDs("archived")[0]}
	post := func(name, version string, sent m, status int, code, says string) refusedWrite {
		return refusedWrite{name, version, "POST", "/messages", sent, status, code, says}
	}
	c.checkRefused(t, []refusedWrite{
		post("nobody writes", "", messageBody([]m{user}, m{"from": nil}), 400, "parameter_not_found", "from"),
		post("nobody is named", "", messageBody([]m{user}, m{"from": m{"type": "admin"}}), 400, "parameter_not_found", "from.id"),
		post("a contact writes", "", messageBody([]m{user}, m{"from": user}), 400, "parameter_invalid", "from.type"),
		post("a missing admin", "", messageBody([]m{user}, m{"from": m{"type": "admin", "id": 1}}), 404, "not_found", "Admin"),
		post("an admin who was deleted", "", messageBody([]m{user}, m{"from": m{"type": "admin", "id": "814801"}}), 404, "not_found", "Admin"),
		post("to nobody", "", messageBody(nil, nil), 400, "parameter_not_found", "to"),
		post("to none", "", messageBody([]m{}, nil), 400, "parameter_invalid", "to"),
		post("to a text", "", messageBody("x", nil), 400, "parameter_invalid", "to"),
		post("to several before 2.14", "2.13", messageBody([]m{user, lead}, nil), 400, "parameter_invalid", "to"),
		post("to a list of one before 2.14", "2.13", messageBody([]m{user}, nil), 400, "parameter_invalid", "to"),
		post("to an admin", "", messageBody([]m{{"type": "admin", "id": "5"}}, nil), 400, "parameter_invalid", "to[0].type"),
		post("to somebody of no role", "", messageBody([]m{user, {"id": lead["id"]}}, nil), 400, "parameter_not_found", "to[1].type"),
		post("to a lead as a user", "", messageBody([]m{{"type": "user", "id": lead["id"]}}, nil), 404, "not_found", "Contact"),
		post("to a contact that is missing", "", messageBody([]m{user, {"type": "user", "id": "nobody"}}, nil), 404, "not_found", "Contact"),
		post("to one that is put away", "", messageBody([]m{away}, nil), 404, "not_found", "Contact"),
		post("a copy to one that is put away", "2.14", messageBody([]m{user}, m{"cc": []m{away}}), 404, "not_found", "Contact"),
		post("a hidden copy to one that is missing", "2.14", messageBody([]m{user}, m{"bcc": []m{{"type": "lead", "id": "x"}}}), 404, "not_found", "Contact"),
		post("copies that are no list", "", messageBody([]m{user}, m{"cc": "x"}), 400, "parameter_invalid", "cc"),
		post("no message_type", "", messageBody([]m{user}, m{"message_type": nil}), 400, "parameter_not_found", "message_type"),
		post("another message_type", "", messageBody([]m{user}, m{"message_type": "pigeon"}), 400, "parameter_invalid", "message_type"),
		post("no body", "", messageBody([]m{user}, m{"body": nil}), 400, "parameter_not_found", "body"),
		post("an empty body", "", messageBody([]m{user}, m{"body": ""}), 400, "parameter_invalid", "body"),
		post("a subject that is no text", "", messageBody([]m{user}, m{"subject": 1}), 400, "parameter_invalid", "subject"),
	})
}

// A replay of the journal gives the same conversations and tickets, including later jobs, and the truth of earlier times stays unchanged.
func TestWrittenConversationsAndTicketsSurviveARestart(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	who, talk := c.pickRecipient("user", 0), c.w.ConversationIDs()[1]
	times := []time.Time{c.w.CurrentTime()}
	id, _ := c.doOK("POST", "/messages", messageBody([]m{who}, nil))["conversation_id"].(string)
	var ticket string
	for _, write := range []func(){
		func() { c.doOK("POST", "/tickets/enqueue", newTicket(who["id"], nil)) },
		func() {
			c.doOK("POST", "/conversations/"+id+"/reply", m{"message_type": "comment", "body": "a" + tableHTML(2, 2)})
		},
		func() {
			c.doOK("POST", "/conversations/"+talk+"/parts", assignmentBody("814866", m{"skip_reopen": true}))
		},
		func() {
			c.doOK("PUT", "/conversations/"+talk, m{"read": true, "company_id": c.w.Oracle("companies")[3]["id"], "custom_attributes": m{"n": 0.5}})
		},
		func() {
			ticket = c.doOK("POST", "/tickets", newTicket(who["id"], m{"assignment": m{"team_assignee_id": "814865"}}))["id"].(string)
		},
		func() {
			c.doOK("PUT", "/tickets/"+ticket, m{"ticket_attributes": m{"Anzahl #": 5}, "assignee_id": "814866"})
		},
		func() { c.doOK("POST", "/tickets/"+ticket+"/reply", m{"message_type": "note", "body": "x"}) },
		func() { c.doOK("POST", "/tickets/enqueue", newTicket(who["id"], nil)) },
	} {
		pass(time.Minute)
		times = append(times, c.w.CurrentTime())
		write()
		pass(time.Second)
	}
	if len(*done) != 9 {
		t.Errorf("the journal has %v", *done)
	}
	c.w.SetKnobs(func(k *emulator.Knobs) { k.FlatTables = true }) // stored tables stay
	pass(time.Hour)
	w := again()
	sameTruth(t, w, c.w, times[0], times[3])
	if len(w.TicketIDs()) != len(c.w.TicketIDs()) {
		t.Errorf("%d tickets, want %d", len(w.TicketIDs()), len(c.w.TicketIDs()))
	}
	other := serveWorkspace(t, w)
	for _, path := range []string{"/conversations/" + id, "/conversations/" + talk, "/tickets/" + ticket} {
		if got, want := other.readAnswer(path), c.readAnswer(path); got != want {
			t.Errorf("%s is\n%s, want\n%s", path, got, want)
		}
	}
}
