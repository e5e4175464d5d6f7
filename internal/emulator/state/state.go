package state

import (
	"time"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/knobs"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/adminlog"
	"aqueduck/internal/emulator/state/calls"
	"aqueduck/internal/emulator/state/companies"
	"aqueduck/internal/emulator/state/contacts"
	"aqueduck/internal/emulator/state/content"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
	"aqueduck/internal/emulator/state/exports"
	"aqueduck/internal/emulator/state/jobs"
	"aqueduck/internal/emulator/state/tickets"
)

// World is the whole state of a workspace.
type World struct {
	*core.Core
	*contacts.Contacts
	*companies.Companies
	*conversations.Conversations
	*tickets.Tickets
	*content.Content
	*calls.Calls
	*adminlog.AdminLog
	*exports.Exports
	*jobs.Jobs
}

// New returns the state of an empty workspace.
func New(base *core.Core) *World {
	book := contacts.New(base)
	firms := &companies.Companies{Core: base, People: book}
	talks := conversations.New(base, book, firms)
	tickets := &tickets.Tickets{Desk: &tickets.Desk{Core: base, People: book, Talks: talks}}
	people := &contacts.Contacts{Book: book}
	return &World{
		Core:          base,
		Contacts:      people,
		Companies:     firms,
		Conversations: talks,
		Tickets:       tickets,
		Content:       &content.Content{Core: base},
		Calls:         &calls.Calls{Core: base, People: book, Conversations: talks},
		AdminLog:      &adminlog.AdminLog{Core: base},
		Exports:       &exports.Exports{Core: base, Conversations: talks},
		Jobs:          &jobs.Jobs{Core: base, People: people, Tickets: tickets},
	}
}

// SetZone moves the workspace to another time zone and logs that in the activity log (trap T135).
func (w *World) SetZone(z *time.Location) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	if before, after := w.Zone.String(), z.String(); before != after {
		now := w.UnixNow()
		w.AddActions([]event.AdminAction{population.NewAction(w.Setup.Seed, event.AdminAction{At: now, ListedAt: now, N: int32(len(w.ActionLog)), Kind: event.TimeZoneChanged, Zone: &[2]string{before, after}})})
	}
	w.Zone = z
	w.ContactIndex.ClearAnswers()
	w.ConversationIndex.ClearAnswers()
	w.TicketIndex.ClearAnswers()
	w.CompanyIndex.ClearAnswers()
}

// SetKnobs changes the knobs of a running workspace. Chaos is changed by SetChaos.
func (w *World) SetKnobs(change func(k *knobs.Knobs)) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	k := *w.K()
	change(&k)
	w.StoreKnobs(&k)
	w.ContactIndex.ClearOrderings()
	w.ConversationIndex.ClearOrderings()
	w.TicketIndex.ClearOrderings()
	w.CompanyIndex.ClearOrderings()
	w.InactiveStale = true
	w.NoteTerms(w.UnixNow())
}
