package state

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// TruthLog returns everything that happened. Logs are append-only, so the oracle reads it without the lock.
func (w *World) TruthLog() event.EventLog {
	return event.EventLog{Start: w.Setup.Start.Unix(), Contacts: slices.Clip(w.ContactLog), Companies: slices.Clip(w.CompanyLog), Conversations: slices.Clip(w.ConversationLog),
		Tickets: slices.Clip(w.TicketLog), Deletions: w.DeletedBefore, Content: slices.Clip(w.ContentLog), Consultations: slices.Clip(w.ConsultationLog),
		Calls: slices.Clip(w.CallList), Actions: w.ActionLog, Reports: slices.Clip(w.ReportEvents), Terms: slices.Clip(w.Terms), Facts: w.oracleFacts()}
}

// oracleFacts returns the functions that draw details which the log does not store.
func (w *World) oracleFacts() event.OracleFacts {
	seed, start, contacts := w.Setup.Seed, w.Setup.Start.Unix(), w.Setup.Contacts
	return event.OracleFacts{
		Conversation: w.Conversations.Maker.DrawBeginning, Ticket: w.Tickets.Maker.DrawTicketBeginning, Consultations: w.Conversations.Maker.DrawConsultations,
		Dialogue: func(c *event.Consultation) *event.Dialogue { return population.DrawDialogue(seed, c) },
		Lines:    func(call int32) []event.TranscriptLine { return population.DrawCallLines(seed, call) },
		Handling: population.DrawHandling, SideTalks: population.DrawSideTalks,

		Companies: w.Contacts.Maker.Companies, Company: func(n int32) *event.Company { return w.Contacts.Maker.DrawCompany(n, start) },
		CompanyID:     func(n int32) string { return string(w.Contacts.Maker.AppendCompanyID(nil, n)) },
		Subscriptions: w.Contacts.Maker.DrawSubscriptions, Note: w.Contacts.Maker.NoteBody,

		Content: func() [event.ContentKinds][]event.BornContent { return population.DrawBornContent(seed, start) },
		Piece:   population.DrawPiece,
		Wording: func(kind event.ContentKind, n int32, edits int) event.Wording {
			return population.DrawWording(seed, kind, n, edits)
		},
		VersionNote: func(connector int32, n int) string { return population.DrawVersionNote(seed, connector, n) },

		Reports: func(set *event.Dataset, hour int) []event.ReportFact {
			return population.DrawReportFacts(seed, contacts, start, set, hour)
		},
		ConversationReport: func(conversation int32) event.ConversationReport {
			return population.DrawConversationReport(seed, conversation)
		},
	}
}
