package conversations

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/companies"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/core"
)

// New returns an empty state of conversations.
func New(base *core.Core, people *contacts.Book, firms *companies.Companies) *Conversations {
	return &Conversations{&Desk{Core: base, People: people, Companies: firms, ServedConsultations: map[int32][]event.Consultation{}}}
}

// LoadConversation replays a conversation that exists; nil where there is none.
func (w *Desk) LoadConversation(id string) *Conversation {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if num, there := w.FindThread(id); there {
		return w.ThreadDrawer().DrawConversation(w.Threads[num].Newest)
	}
	return nil
}
