package emulator_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// conversationWriter sends random requests about conversations and tickets, existing ones and others.
type conversationWriter struct {
	contactWriter
	startedConversations []string // conversations of its messages
}

// drawBody draws a body, now and then with a table, or with one that is too large.
func (w *conversationWriter) drawBody() string {
	return []string{"<p>a", "é & <b>b</b>", tableHTML(1, 2), "x" + tableHTML(51, 3) + "y", tableHTML(1, 51)}[w.r.IntN(5)]
}

func (w *conversationWriter) drawAdminID() string {
	return w.pickID([]string{"5", "814860", "9007199254740993"})
}

func (w *conversationWriter) drawAssigneeID() string {
	return w.pickID([]string{"5", "814861", "814865", "814866", "7000001", "0"})
}

func (w *conversationWriter) writeConversation() {
	w.t.Helper()
	active := w.w.ContactIDs("active")
	some := []string{w.pickID(active), w.pickID(active)}
	talk, ticket := w.pickID(append(w.startedConversations, w.w.ConversationIDs()[:8]...)), w.pickID(w.w.TicketIDs())
	what := []string{"parts", "parts", "close", "reply", "reply", "user", "put", "message", "ticket", "enqueue", "change", "answer"}[w.n%12]
	w.n++
	recipient := func(id string) m { return m{"type": []string{"user", "lead"}[w.r.IntN(2)], "id": id} }
	asks := map[string]writeRequest{
		"parts": {"", "POST", "/conversations/" + talk + "/parts", assignmentBody(w.drawAssigneeID(), m{"admin_id": w.drawAdminID(), "skip_reopen": w.r.IntN(2) == 0}), false},
		"close": {"", "POST", "/conversations/" + talk + "/parts", m{"message_type": []string{"close", "open", "snoozed"}[w.r.IntN(3)], "admin_id": w.drawAdminID(),
			"snoozed_until": w.w.CurrentTime().Unix() + 600}, false},
		"reply":   {"", "POST", "/conversations/" + talk + "/reply", m{"message_type": []string{"note", "comment"}[w.r.IntN(2)], "admin_id": w.drawAdminID(), "body": w.drawBody()}, false},
		"user":    {"", "POST", "/conversations/" + talk + "/reply", m{"message_type": "comment", "type": "user", "contact_id": w.firstContactID(talk), "body": w.drawBody()}, false},
		"put":     {"", "PUT", "/conversations/" + talk, m{"read": w.r.IntN(2) == 0, "title": w.drawWord("t"), "company_id": nil, "custom_attributes": m{w.drawWord("a"): w.r.IntN(9)}}, false},
		"message": {"", "POST", "/messages", messageBody([]m{recipient(some[0])}, nil), false},
		"ticket":  {"", "POST", "/tickets", newTicket(some[0], m{"ticket_type_id": fmt.Sprint(1200 + w.r.IntN(3)), "ticket_attributes": m{"Größe": "S"}, "assignment": m{"team_assignee_id": w.drawAssigneeID()}}), false},
		"enqueue": {"", "POST", "/tickets/enqueue", newTicket(some[1], nil), false},
		"change": {"", "PUT", "/tickets/" + ticket, m{"ticket_attributes": m{"_default_title_": w.drawWord("t")}, "ticket_state_id": 3300 + w.r.IntN(4), "admin_id": w.drawAdminID(),
			"assignee_id": w.drawAssigneeID()}, false},
		"answer": {"", "POST", "/tickets/" + ticket + "/reply", m{"message_type": []string{"note", "comment"}[w.r.IntN(2)], "body": w.drawBody()}, false},
	}
	a := asks[what]
	r := w.do(a.method, a.path, a.body)
	switch r.status {
	case 200:
		w.done[what]++
		if id, ok := r.json["conversation_id"].(string); ok {
			w.startedConversations = append(w.startedConversations, id)
		}
	case 400, 404:
	default:
		w.t.Errorf("%s %s: %d %s", a.method, a.path, r.status, r.raw)
	}
	if w.n%5 == 0 {
		w.do("DELETE", "/contacts/"+some[1], nil) // who may be in all of these
	}
}

// firstContactID returns the id of a contact who takes part.
func (w *conversationWriter) firstContactID(talk string) any {
	for _, who := range itemsAt(w.do("GET", "/conversations/"+talk, nil).json, "contacts", "contacts") {
		return who["id"]
	}
	return "nobody"
}

// Random writes to conversations and tickets, in any order and with simulated hours between, are served as the oracle says. A replay of the
// journal gives the same.
func TestWrittenConversationsAndTicketsAreServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	w := &conversationWriter{contactWriter: contactWriter{apiClient: c, r: rand.New(rand.NewPCG(3, 4)), done: map[string]int{}}}
	var then []time.Time
	for round := range 3 {
		for range 72 {
			w.writeConversation()
			pass(time.Duration(w.r.IntN(40)) * time.Second)
		}
		then = append(then, c.w.CurrentTime())
		if round == 1 {
			c.do("POST", "/_emulator/do/live", m{"hours": 1})
		}
		pass(10 * time.Minute) // search catches up, and jobs end
		c.sameConversations(t)
		if c.sameTickets(t); t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	for _, what := range []string{"parts", "close", "reply", "user", "put", "message", "ticket", "enqueue", "change", "answer"} {
		if w.done[what] == 0 {
			t.Errorf("%s was never carried out", what)
		}
	}
	if len(*done) < 60 {
		t.Errorf("the journal has %d lines", len(*done))
	}
	sameTruth(t, again(), c.w, then[0], then[2])
}
