package cli

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// life is what happens in the workspace between any two requests of a run.
type life struct {
	t     *testing.T
	space *emulator.Workspace

	mu sync.Mutex // guards what follows
	r  *rand.Rand
}

// begin lets things happen between requests from now on.
func (l *life) begin() { l.space.Between(l.between) }

// rest lets nothing happen any more.
func (l *life) rest() { l.space.Between(nil) }

// hours lets hours of everyday life pass, between two runs.
func (l *life) hours() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.space.Live(1 + l.r.IntN(4))
	for range 6 {
		l.act()
	}
}

func (l *life) between(int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.r.IntN(3) == 0 {
		l.act()
	}
}

// act does one thing to one contact, some seconds after whatever was before: at one and the same second nobody could
// tell what came first.
func (l *life) act() {
	l.space.Advance(time.Duration(2+l.r.IntN(60)) * time.Second)
	deed := deeds[l.r.IntN(len(deeds))]
	if ids := l.space.IDs(deed.to); len(ids) > 0 {
		if err := deed.do(l.space, ids[l.r.IntN(len(ids))], l.r.IntN(600)); err != nil {
			l.t.Error(err)
		}
	}
	l.space.Advance(2 * time.Second)
}

// deeds are what can happen to a contact that stands at a lifecycle word; n is any number below 600.
var deeds = []struct {
	to string
	do func(w *emulator.Workspace, id string, n int) error
}{
	{"active", create}, {"active", create}, {"active", rename}, {"active", rename},
	{"active", (*emulator.Workspace).Tag}, {"active", (*emulator.Workspace).Untag}, {"active", note}, {"active", employ},
	{"active", merge}, {"active", merge}, {"active", simply((*emulator.Workspace).Promote)},
	{"active", simply((*emulator.Workspace).Archive)}, {"active", simply((*emulator.Workspace).Block)},
	{"active", simply((*emulator.Workspace).Delete)}, {"active", simply((*emulator.Workspace).RequestDeletion)},
	{"active", talk}, {"active", talk}, {"active", talk}, {"active", open},
	{"archived", unarchive}, {"blocked", unblock}, {"pending_deletion", simply((*emulator.Workspace).Erase)},
}

func simply(do func(w *emulator.Workspace, id string) error) func(w *emulator.Workspace, id string, n int) error {
	return func(w *emulator.Workspace, id string, _ int) error { return do(w, id) }
}

func create(w *emulator.Workspace, _ string, n int) error {
	_, err := w.CreateContact([]string{"user", "lead"}[n%2])
	return err
}

func rename(w *emulator.Workspace, id string, n int) error {
	return w.UpdateContact(id, emulator.Change{Field: "name", Value: "Name " + strconv.Itoa(n)})
}

func note(w *emulator.Workspace, id string, n int) error {
	return w.AddNote(id, "<p>note "+strconv.Itoa(n)+"</p>")
}

func employ(w *emulator.Workspace, id string, n int) error { return w.AddCompany(id, n%20) }

func merge(w *emulator.Workspace, id string, n int) error {
	others := w.IDs("active")
	_ = w.Merge(id, others[n%len(others)]) // refused unless these are a lead and a user
	return nil
}

func unarchive(w *emulator.Workspace, id string, n int) error { return w.Unarchive(id, n%2 == 0) }

func unblock(w *emulator.Workspace, id string, n int) error { return w.Unblock(id, n%2 == 0) }

// talk has something happen in a conversation.
func talk(w *emulator.Workspace, _ string, n int) error {
	ids := w.ConversationIDs()
	id := ids[n%len(ids)]
	switch n % 7 {
	case 0, 1:
		return w.ReplyConversation(id, conversations.ByContact, "<p>question "+strconv.Itoa(n)+"</p>")
	case 2:
		return w.ReplyConversation(id, conversations.ByTeammate, "<p>answer "+strconv.Itoa(n)+"</p>")
	case 3:
		return w.AssignConversation(id, emulator.AssignTeam, false)
	case 4:
		return w.TagConversation(id, n%9)
	case 5:
		return w.Rate(id, 1+n%5, "remark "+strconv.Itoa(n), true)
	}
	return w.CloseConversation(id)
}

func open(w *emulator.Workspace, id string, n int) error {
	_, err := w.OpenConversation(id, 1+n%4)
	return err
}
