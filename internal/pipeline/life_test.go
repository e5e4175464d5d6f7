package pipeline_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
)

// workspaceLife makes random changes in a workspace: everything that moves updated_at or changes which contacts are active.
type workspaceLife struct {
	t     testing.TB
	space *emulator.Workspace
	mu    sync.Mutex // guards dice: events also happen between requests of parallel streams
	dice  *rand.Rand
}

func newLife(b *testBed, seed uint64) *workspaceLife {
	return &workspaceLife{t: b.t, space: b.space, dice: rand.New(rand.NewPCG(seed, 1))}
}

// errNobody is the error of an event that fits no record.
var errNobody = errors.New("nobody fits")

// applyEvents applies n random events, some seconds apart.
func (l *workspaceLife) applyEvents(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.contactEvents()
	for done, tries := 0, 0; done < n && tries < 20*n; tries++ {
		l.space.Advance(time.Duration(1+l.dice.IntN(90)) * time.Second)
		if events[l.dice.IntN(len(events))].do() == nil {
			done++
		}
	}
}

// rollDice returns a random number below n.
func (l *workspaceLife) rollDice(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dice.IntN(n)
}

// pickContact returns a contact with a lifecycle status, "" when there is none.
func (l *workspaceLife) pickContact(lifecycle string) string {
	ids := l.space.ContactIDs(lifecycle)
	if len(ids) == 0 {
		return ""
	}
	return ids[l.dice.IntN(len(ids))]
}

func (l *workspaceLife) onContact(lifecycle string, do func(id string) error) func() error {
	return func() error {
		if id := l.pickContact(lifecycle); id != "" {
			return do(id)
		}
		return errNobody
	}
}

// lifeEvent is an event by its name.
type lifeEvent struct {
	name string
	do   func() error
}

// eventNamed returns the first event with a name.
func eventNamed(events []lifeEvent, name string) (lifeEvent, bool) {
	i := slices.IndexFunc(events, func(e lifeEvent) bool { return e.name == name })
	if i < 0 {
		return lifeEvent{}, false
	}
	return events[i], true
}

// contactEvents are the events of contacts.
func (l *workspaceLife) contactEvents() []lifeEvent {
	s := l.space
	active := func(do func(id string) error) func() error { return l.onContact("active", do) }
	return []lifeEvent{
		{"contacts.create", func() error { _, err := s.CreateContact([]string{"lead", "user"}[l.dice.IntN(2)]); return err }},
		{"contacts.create-lead", func() error { _, err := s.CreateContact("lead"); return err }},
		{"contacts.rename", active(func(id string) error {
			return s.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Name " + string(rune('A'+l.dice.IntN(26)))})
		})},
		{"contacts.score", active(func(id string) error {
			return s.UpdateContact(id, emulator.FieldChange{Field: "custom_attributes.score", Value: l.dice.IntN(1000)})
		})},
		{"contacts.email", active(func(id string) error {
			return s.UpdateContact(id, emulator.FieldChange{Field: "email", Value: []any{nil, "new@example.com", "other@example.com"}[l.dice.IntN(3)]})
		})},
		{"contacts.tag", active(func(id string) error { return s.TagContact(id, l.dice.IntN(20)) })},
		{"contacts.untag", active(func(id string) error { return s.UntagContact(id, l.dice.IntN(20)) })},
		{"contacts.note", active(func(id string) error { return s.AddContactNote(id, "called back") })},
		{"contacts.add-company", active(func(id string) error { return s.AddCompany(id, l.dice.IntN(3)) })},
		{"contacts.promote", active(s.PromoteLead)},
		{"contacts.merge", active(func(id string) error { return s.MergeContacts(id, l.pickContact("active")) })},
		{"contacts.merge", active(func(id string) error { return s.MergeContacts(id, l.pickContact("active")) })},
		{"contacts.merge-anyway", active(func(id string) error {
			into := l.pickContact("active")
			if into == id {
				return errNobody
			}
			return s.ForceMerge(id, into)
		})},
		{"contacts.fail-merge", active(func(id string) error { return s.FailMerge(id, l.pickContact("active"), "conflict") })},
		{"contacts.archive", active(s.ArchiveContact)},
		{"contacts.block", active(s.BlockContact)},
		{"contacts.delete", active(s.DeleteContact)},
		{"contacts.request-deletion", active(s.RequestDeletion)},
		{"contacts.unarchive", l.onContact("archived", func(id string) error { return s.UnarchiveContact(id, l.dice.IntN(2) == 0) })},
		{"contacts.unarchive", l.onContact("archived", func(id string) error { return s.UnarchiveContact(id, l.dice.IntN(2) == 0) })},
		{"contacts.request-deletion", l.onContact("archived", s.RequestDeletion)},
		{"contacts.unblock", l.onContact("blocked", func(id string) error { return s.UnblockContact(id, l.dice.IntN(2) == 0) })},
		{"contacts.erase", l.onContact("pending_deletion", s.EraseContact)},
	}
}

// whilePaging applies an event before one request in so many, until the test ends.
func (l *workspaceLife) whilePaging(oneIn int) {
	l.space.RunBetween(func(int) {
		if l.rollDice(oneIn) == 0 {
			l.applyEvents(1)
		}
	})
}

// stopChanges ends the events and waits until the search index is up to date: two days are longer than any lag here.
func (l *workspaceLife) stopChanges() {
	l.space.RunBetween(nil)
	l.space.Advance(50 * time.Hour)
}

// interceptRequests puts a handler in front of the workspace.
func (b *testBed) interceptRequests(f func(rw http.ResponseWriter, r *http.Request) (done bool)) {
	b.front = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !f(rw, r) {
			b.space.ServeHTTP(rw, r)
		}
	})
}
