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

// life makes things happen in a workspace, drawn by its dice: everything that moves updated_at or changes who is active.
type life struct {
	t     testing.TB
	space *emulator.Workspace
	mu    sync.Mutex // guards dice: things also happen between two requests of streams side by side
	dice  *rand.Rand
}

func newLife(b *bed, seed uint64) *life {
	return &life{t: b.t, space: b.space, dice: rand.New(rand.NewPCG(seed, 1))}
}

// errNobody is the answer of an event that found nobody to happen to.
var errNobody = errors.New("nobody fits")

// happen lets n things happen, some seconds apart.
func (l *life) happen(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	events := l.events()
	for done, tries := 0, 0; done < n && tries < 20*n; tries++ {
		l.space.Advance(time.Duration(1+l.dice.IntN(90)) * time.Second)
		if events[l.dice.IntN(len(events))].do() == nil {
			done++
		}
	}
}

// roll is a number below n.
func (l *life) roll(n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dice.IntN(n)
}

// someone gives a contact that stands at a lifecycle word, "" when there is none.
func (l *life) someone(lifecycle string) string {
	ids := l.space.IDs(lifecycle)
	if len(ids) == 0 {
		return ""
	}
	return ids[l.dice.IntN(len(ids))]
}

func (l *life) to(lifecycle string, do func(id string) error) func() error {
	return func() error {
		if id := l.someone(lifecycle); id != "" {
			return do(id)
		}
		return errNobody
	}
}

// event is something that can happen, by its name.
type event struct {
	name string
	do   func() error
}

// named gives the first event of a name.
func named(events []event, name string) (event, bool) {
	i := slices.IndexFunc(events, func(e event) bool { return e.name == name })
	if i < 0 {
		return event{}, false
	}
	return events[i], true
}

// events are those of contacts.
func (l *life) events() []event {
	s := l.space
	active := func(do func(id string) error) func() error { return l.to("active", do) }
	return []event{
		{"contacts.create", func() error { _, err := s.CreateContact([]string{"lead", "user"}[l.dice.IntN(2)]); return err }},
		{"contacts.create-lead", func() error { _, err := s.CreateContact("lead"); return err }},
		{"contacts.rename", active(func(id string) error {
			return s.UpdateContact(id, emulator.Change{Field: "name", Value: "Name " + string(rune('A'+l.dice.IntN(26)))})
		})},
		{"contacts.score", active(func(id string) error {
			return s.UpdateContact(id, emulator.Change{Field: "custom_attributes.score", Value: l.dice.IntN(1000)})
		})},
		{"contacts.email", active(func(id string) error {
			return s.UpdateContact(id, emulator.Change{Field: "email", Value: []any{nil, "new@example.com", "other@example.com"}[l.dice.IntN(3)]})
		})},
		{"contacts.tag", active(func(id string) error { return s.Tag(id, l.dice.IntN(20)) })},
		{"contacts.untag", active(func(id string) error { return s.Untag(id, l.dice.IntN(20)) })},
		{"contacts.note", active(func(id string) error { return s.AddNote(id, "called back") })},
		{"contacts.add-company", active(func(id string) error { return s.AddCompany(id, l.dice.IntN(3)) })},
		{"contacts.promote", active(s.Promote)},
		{"contacts.merge", active(func(id string) error { return s.Merge(id, l.someone("active")) })},
		{"contacts.merge", active(func(id string) error { return s.Merge(id, l.someone("active")) })},
		{"contacts.merge-anyway", active(func(id string) error {
			into := l.someone("active")
			if into == id {
				return errNobody
			}
			return s.MergeAnyway(id, into)
		})},
		{"contacts.fail-merge", active(func(id string) error { return s.FailMerge(id, l.someone("active"), "conflict") })},
		{"contacts.archive", active(s.Archive)},
		{"contacts.block", active(s.Block)},
		{"contacts.delete", active(s.Delete)},
		{"contacts.request-deletion", active(s.RequestDeletion)},
		{"contacts.unarchive", l.to("archived", func(id string) error { return s.Unarchive(id, l.dice.IntN(2) == 0) })},
		{"contacts.unarchive", l.to("archived", func(id string) error { return s.Unarchive(id, l.dice.IntN(2) == 0) })},
		{"contacts.request-deletion", l.to("archived", s.RequestDeletion)},
		{"contacts.unblock", l.to("blocked", func(id string) error { return s.Unblock(id, l.dice.IntN(2) == 0) })},
		{"contacts.erase", l.to("pending_deletion", s.Erase)},
	}
}

// whilePaging lets something happen before one request in so many, for as long as the test runs.
func (l *life) whilePaging(oneIn int) {
	l.space.Between(func(int) {
		if l.roll(oneIn) == 0 {
			l.happen(1)
		}
	})
}

// quiet ends what happens between requests and lets search find everything; two days are more than any lag here.
func (l *life) quiet() {
	l.space.Between(nil)
	l.space.Advance(50 * time.Hour)
}

// before puts a handler before the workspace.
func (b *bed) before(f func(rw http.ResponseWriter, r *http.Request) (done bool)) {
	b.front = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !f(rw, r) {
			b.space.ServeHTTP(rw, r)
		}
	})
}
