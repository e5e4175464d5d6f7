package emulator_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// contactWriter sends random requests about contacts, existing ones and others.
type contactWriter struct {
	*apiClient
	r    *rand.Rand
	done map[string]int // by route: number of successful requests
	n    int
}

func (w *contactWriter) pickID(of []string) string {
	if len(of) == 0 || w.r.IntN(12) == 0 {
		return "nobody"
	}
	return of[w.r.IntN(len(of))]
}

// drawWord draws one of a few words, so that identities collide.
func (w *contactWriter) drawWord(of string) string { return fmt.Sprint(of, w.r.IntN(40)) }

// drawFields draws some fields of a contact.
func (w *contactWriter) drawFields() m {
	all := m{"external_id": w.drawWord("x"), "email": w.drawWord("m") + "@example.com", "name": w.drawWord("N<&>"), "phone": nil, "avatar": "https://a.example/1",
		"owner_id": 5, "email_verified": w.r.IntN(2) == 0, "role": []string{"user", "lead"}[w.r.IntN(2)], "language_override": "de", "last_seen_at": 1718000000,
		"custom_attributes": m{w.drawWord("a"): w.r.IntN(9), "plan": nil}, "unsubscribed_from_emails": true}
	some := m{}
	for name, value := range all {
		if w.r.IntN(3) == 0 {
			some[name] = value
		}
	}
	return some
}

// writeContact sends one random request.
func (w *contactWriter) writeContact() {
	w.t.Helper()
	active := w.w.ContactIDs("active")
	id := w.pickID(active)
	with := func(fields m, id string) m {
		fields["id"] = id
		return fields
	}
	w.do("POST", "/_emulator/do/contacts.note", m{"id": id, "body": "hm"}) // no request creates one
	firms, notes := w.w.Oracle("companies"), w.w.Oracle("contact_notes")
	firm := firms[w.r.IntN(len(firms))]["id"].(string)
	links := w.w.Oracle("contact_companies")
	link := links[w.r.IntN(len(links))]
	a := []writeRequest{
		{"create", "POST", "/contacts", w.drawFields(), false},
		{"update", "PUT", "/contacts/" + id, w.drawFields(), false},
		{"update", "PUT", "/contacts/" + id, w.drawFields(), false},
		{"delete", "DELETE", "/contacts/" + id, nil, false},
		{"merge", "POST", "/contacts/merge", m{"from": id, "into": w.pickID(active)}, false},
		{"merge", "POST", "/contacts/merge", m{"from": id, "into": w.pickID(active)}, false},
		{"bulk create", "POST", "/contacts/bulk", m{"contacts": []m{w.drawFields(), w.drawFields()}}, false},
		{"bulk update", "PUT", "/contacts/bulk", m{"contacts": []m{with(w.drawFields(), id), with(w.drawFields(), w.pickID(active))}}, false},
		{"bulk delete", "POST", "/contacts/bulk/delete", m{"contacts": []m{{"id": id}, {"id": w.pickID(active)}}}, false},
		{"attach", "POST", "/contacts/" + id + "/companies", m{"id": firm}, false},
		{"detach", "DELETE", fmt.Sprint("/contacts/", link["contact_id"], "/companies/", link["company_id"]), nil, false},
		{"leave", "DELETE", "/contacts/" + id + "/subscriptions/" + fmt.Sprint(100+w.r.IntN(6)), nil, false},
		{"convert", "POST", "/visitors/convert", m{"type": "user", "visitor": m{"id": "v"}, "user": m{"user_id": w.drawWord("x")}}, false},
		{"delete note", "DELETE", "/notes/" + fmt.Sprint(notes[w.r.IntN(len(notes))]["note_id"]), nil, false},
	}[w.n%14]
	w.n++
	r := w.do(a.method, a.path, a.body)
	switch r.status {
	case 200, 202:
		w.done[a.route]++
	case 400, 404, 409:
	default:
		w.t.Errorf("%s %s: %d %s", a.method, a.path, r.status, r.raw)
	}
}

// Random writes, in any order and with simulated hours between, are served as the oracle says. A replay of the journal gives the same.
func TestWrittenContactsAreServedAsTheOracleSays(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	w := &contactWriter{apiClient: c, r: rand.New(rand.NewPCG(1, 2)), done: map[string]int{}}
	var then []time.Time
	for round := range 6 {
		for range 56 {
			w.writeContact()
			pass(time.Duration(w.r.IntN(40)) * time.Second)
		}
		then = append(then, c.w.CurrentTime())
		if round%2 == 1 {
			c.do("POST", "/_emulator/do/live", m{"hours": 1})
		}
		pass(10 * time.Minute) // search catches up, and jobs end
		contacts := c.searchAll(updatedSince(0))
		var rows, read, subscriptions []map[string]any
		for _, contact := range contacts {
			rows = append(rows, flatContact(contact))
		}
		for _, id := range c.w.ContactIDs("active") {
			read = append(read, flatContact(c.do("GET", "/contacts/"+id, nil).json))
			for _, sub := range c.do("GET", "/contacts/"+id+"/subscriptions", nil).itemIDs() {
				subscriptions = append(subscriptions, m{"contact_id": id, "subscription_id": sub})
			}
		}
		sameRows(t, "contacts", rows, c.w.Oracle("contacts"))
		sameRows(t, "contacts by id", read, c.w.Oracle("contacts"))
		sameRows(t, "contact_tags", c.childRows(contacts, "tags", "tag_id"), c.w.Oracle("contact_tags"))
		sameRows(t, "contact_notes", c.childRows(contacts, "notes", "note_id"), c.w.Oracle("contact_notes"))
		sameRows(t, "contact_companies", c.childRows(contacts, "companies", "company_id"), c.w.Oracle("contact_companies"))
		sameRows(t, "contact_subscriptions", subscriptions, c.w.Oracle("contact_subscriptions"))
		c.sameLists(t)
		if t.Failed() {
			t.Fatalf("after round %d", round)
		}
	}
	for _, route := range []string{"create", "update", "delete", "merge", "bulk create", "bulk update", "bulk delete", "attach", "detach", "leave", "convert", "delete note"} {
		if w.done[route] == 0 {
			t.Errorf("%s was never carried out", route)
		}
	}
	if len(*done) < 100 {
		t.Errorf("the journal has %d lines", len(*done))
	}
	sameTruth(t, again(), c.w, then...)
}

// Concurrent writes, reads and passing time lose nothing and duplicate nothing.
func TestConcurrentWritesLoseNothing(t *testing.T) {
	t.Parallel()
	c, id := newSmallClient(t)
	before, tickets, who := len(c.w.PartIDs(id)), len(c.w.TicketIDs()), c.w.ContactIDs("active")[0]
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for i := range 8 {
				for path, sent := range map[string]any{"/conversations/" + id + "/reply": m{"message_type": "note", "body": fmt.Sprint(n, i)}, "/tickets/enqueue": newTicket(who, nil)} {
					if r, err := c.tryRequest("POST", path, sent); err != nil || r.status != 200 {
						t.Errorf("%s: %d %s, %v", path, r.status, r.raw, err)
					}
				}
				c.w.Advance(20 * time.Second)
				if r, err := c.tryRequest("GET", "/conversations/"+id, nil); err != nil || r.status != 200 {
					t.Errorf("%d %v", r.status, err)
				}
			}
		})
	}
	all.Wait()
	c.w.Advance(time.Hour)
	said := map[any]bool{}
	for _, part := range partsOf(c.fetchConversation(id))[before:] {
		said[part["body"]] = true
	}
	if made := len(c.w.Oracle("tickets")) - tickets; len(said) != 32 || made != 32 {
		t.Errorf("%d notes and %d tickets of 32", len(said), made)
	}
	c.sameConversations(t)
}

// A replay of concurrent writes, made while others read and hours are simulated, gives the same.
func TestConcurrentWritesAreReplayed(t *testing.T) {
	t.Parallel()
	c, pass, done, again := newJournaledClient(t)
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			w := &contactWriter{apiClient: c, r: rand.New(rand.NewPCG(uint64(n), 3)), done: map[string]int{}}
			for i := range 28 {
				w.writeContact()
				pass(time.Duration(w.r.IntN(40_000)) * time.Millisecond)
				if i%14 == 13 {
					w.doOperation("live", m{"hours": 1})
				}
			}
		})
		all.Go(func() {
			for range 28 {
				c.do("GET", "/contacts?per_page=50", nil)
				c.w.CurrentState()
				pass(500 * time.Millisecond)
			}
		})
	}
	all.Wait()
	pass(time.Hour)
	if len(*done) < 100 {
		t.Errorf("the journal has %d lines", len(*done))
	}
	sameTruth(t, again(), c.w)
}
