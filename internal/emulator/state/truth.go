package state

import (
	"slices"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// TruthLog returns everything that happened. Logs are append-only, so the oracle reads it without the lock.
func (w *World) TruthLog() event.EventLog {
	return event.EventLog{Start: w.Setup.Start.Unix(), Cast: w.Setup.Cast, Contacts: slices.Clip(w.ContactLog), Companies: slices.Clip(w.CompanyLog), Conversations: slices.Clip(w.ConversationLog),
		Tickets: slices.Clip(w.TicketLog), Deletions: w.DeletedBefore, Content: slices.Clip(w.ContentLog), Consultations: slices.Clip(w.ConsultationLog),
		Calls: slices.Clip(w.CallList), Actions: w.ActionLog, Reports: slices.Clip(w.ReportEvents), Terms: slices.Clip(w.Terms), Facts: w.oracleFacts()}
}

// oracleFacts returns the functions that draw details which the log does not store.
func (w *World) oracleFacts() event.OracleFacts {
	from, start := w.Setup.Origin, w.Setup.Start.Unix()
	return event.OracleFacts{
		Conversation: w.Conversations.Maker.DrawBeginning, Ticket: w.Tickets.Maker.DrawTicketBeginning, Consultations: w.Conversations.Maker.DrawConsultations,
		Dialogue: from.Dialogue, Lines: from.CallLines, Handling: from.Handling, SideTalks: from.SideTalks,

		Companies: w.Contacts.Maker.Companies, Company: func(n int32) *event.Company { return w.Contacts.Maker.DrawCompany(n, start) },
		CompanyID:     func(n int32) string { return string(w.Contacts.Maker.AppendCompanyID(nil, n)) },
		Subscriptions: w.Contacts.Maker.DrawSubscriptions, Note: w.Contacts.Maker.NoteBody,

		Content: from.BornContent, Piece: from.Piece, Wording: from.Wording,
		VersionNote: func(connector int32, n int) string { return population.DrawVersionNote(from.Seed, connector, n) },

		Reports: from.ReportFacts, ConversationReport: from.ConversationReport,
	}
}
