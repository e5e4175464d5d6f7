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

// workspaceLife triggers events in the workspace between two requests of a run.
type workspaceLife struct {
	t     *testing.T
	space *emulator.Workspace

	mu sync.Mutex // guards what follows
	r  *rand.Rand
}

// startActivity triggers events between requests from now on.
func (l *workspaceLife) startActivity() { l.space.RunBetween(l.maybeAct) }

// stopActivity triggers no more events.
func (l *workspaceLife) stopActivity() { l.space.RunBetween(nil) }

// passHours simulates hours between two runs.
func (l *workspaceLife) passHours() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.space.SimulateHours(1 + l.r.IntN(4))
	for range 6 {
		l.actOnContact()
	}
}

func (l *workspaceLife) maybeAct(int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.r.IntN(3) == 0 {
		l.actOnContact()
	}
}

// actOnContact changes one contact, some seconds after the last event: within one second the order of two events is unknown.
func (l *workspaceLife) actOnContact() {
	l.space.Advance(time.Duration(2+l.r.IntN(60)) * time.Second)
	deed := deeds[l.r.IntN(len(deeds))]
	if ids := l.space.ContactIDs(deed.to); len(ids) > 0 {
		if err := deed.do(l.space, ids[l.r.IntN(len(ids))], l.r.IntN(600)); err != nil {
			l.t.Error(err)
		}
	}
	l.space.Advance(2 * time.Second)
}

// deeds returns the events that can happen to a contact in a lifecycle state; n is a number below 600.
var deeds = []struct {
	to string
	do func(w *emulator.Workspace, id string, n int) error
}{
	{"active", createContact}, {"active", createContact}, {"active", renameContact}, {"active", renameContact},
	{"active", (*emulator.Workspace).TagContact}, {"active", (*emulator.Workspace).UntagContact}, {"active", addContactNote}, {"active", addToCompany},
	{"active", mergeContacts}, {"active", mergeContacts}, {"active", ignoringNumber((*emulator.Workspace).PromoteLead)},
	{"active", ignoringNumber((*emulator.Workspace).ArchiveContact)}, {"active", ignoringNumber((*emulator.Workspace).BlockContact)},
	{"active", ignoringNumber((*emulator.Workspace).DeleteContact)}, {"active", ignoringNumber((*emulator.Workspace).RequestDeletion)},
	{"active", actOnConversation}, {"active", actOnConversation}, {"active", actOnConversation}, {"active", openConversation},
	{"archived", unarchiveContact}, {"blocked", unblockContact}, {"pending_deletion", ignoringNumber((*emulator.Workspace).EraseContact)},
}

func ignoringNumber(do func(w *emulator.Workspace, id string) error) func(w *emulator.Workspace, id string, n int) error {
	return func(w *emulator.Workspace, id string, _ int) error { return do(w, id) }
}

func createContact(w *emulator.Workspace, _ string, n int) error {
	_, err := w.CreateContact([]string{"user", "lead"}[n%2])
	return err
}

func renameContact(w *emulator.Workspace, id string, n int) error {
	return w.UpdateContact(id, emulator.FieldChange{Field: "name", Value: "Name " + strconv.Itoa(n)})
}

func addContactNote(w *emulator.Workspace, id string, n int) error {
	return w.AddContactNote(id, "<p>note "+strconv.Itoa(n)+"</p>")
}

func addToCompany(w *emulator.Workspace, id string, n int) error { return w.AddCompany(id, n%20) }

func mergeContacts(w *emulator.Workspace, id string, n int) error {
	others := w.ContactIDs("active")
	_ = w.MergeContacts(id, others[n%len(others)]) // refused unless these are a lead and a user
	return nil
}

func unarchiveContact(w *emulator.Workspace, id string, n int) error {
	return w.UnarchiveContact(id, n%2 == 0)
}

func unblockContact(w *emulator.Workspace, id string, n int) error {
	return w.UnblockContact(id, n%2 == 0)
}

// actOnConversation triggers an event in a conversation.
func actOnConversation(w *emulator.Workspace, _ string, n int) error {
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
		return w.RateConversation(id, 1+n%5, "remark "+strconv.Itoa(n), true)
	}
	return w.CloseConversation(id)
}

func openConversation(w *emulator.Workspace, id string, n int) error {
	_, err := w.OpenConversation(id, 1+n%4)
	return err
}
