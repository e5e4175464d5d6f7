package state

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// TruthLog is all that happened. Logs are only appended to, so it is read without the lock.
func (w *World) TruthLog() event.Log {
	return event.Log{Start: w.Setup.Start.Unix(), Contacts: slices.Clip(w.ContactLog), Companies: slices.Clip(w.CompanyLog), Conversations: slices.Clip(w.ConversationLog),
		Tickets: slices.Clip(w.TicketLog), Deletions: w.DeletedBefore, Content: slices.Clip(w.ContentLog), Consultations: slices.Clip(w.ConsultationLog),
		Calls: slices.Clip(w.CallList), Actions: w.ActionLog, Reports: slices.Clip(w.ReportEvents), Terms: slices.Clip(w.Terms), Facts: w.facts()}
}

// facts are what the events of the log hold that is drawn anew whenever it is asked for.
func (w *World) facts() event.Facts {
	seed, start, contacts := w.Setup.Seed, w.Setup.Start.Unix(), w.Setup.Contacts
	return event.Facts{
		Conversation: w.Conversations.Maker.Begin, Ticket: w.Tickets.Maker.Begin, Consultations: w.Conversations.Maker.Consultations,
		Dialogue: func(c *event.Consultation) *event.Dialogue { return population.Dialogue(seed, c) },
		Lines:    func(call int32) []event.Line { return population.CallLines(seed, call) },

		Companies: w.Contacts.Maker.Companies, Company: func(n int32) *event.Company { return w.Contacts.Maker.Company(n, start) },
		CompanyID:     func(n int32) string { return string(w.Contacts.Maker.AppendCompanyID(nil, n)) },
		Subscriptions: w.Contacts.Maker.Subscriptions, Note: w.Contacts.Maker.Note,

		Content: func() [event.ContentKinds][]event.BornContent { return population.BornContent(seed, start) },
		Piece:   population.PieceOf,
		Wording: func(kind event.ContentKind, n int32, edits int) event.Wording {
			return population.WordingOf(seed, kind, n, edits)
		},
		VersionNote: func(connector int32, n int) string { return population.VersionNoteOf(seed, connector, n) },

		Reports: func(set *event.Dataset, hour int) []event.ReportFact {
			return population.ReportFacts(seed, contacts, start, set, hour)
		},
		TalkReport: func(conversation int32) event.TalkReport { return population.DrawTalk(seed, conversation) },
	}
}
