package pipeline_test

import (
	"fmt"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// streamFamily is a set of streams that are read together, with the events of their records.
type streamFamily struct {
	name, streams string
	events        func(l *workspaceLife) []lifeEvent
}

// families are the sets that the model test reads. Calls belong to contacts, because the oracle returns transcripts by contact.
var families = []streamFamily{
	{"contacts", "contacts, deleted_contacts, contact_activities", (*workspaceLife).contactEvents},
	{"conversations", "conversations, deleted_conversations", (*workspaceLife).conversationEvents},
	{"tickets", "tickets", (*workspaceLife).ticketEvents},
	{"companies", "companies", (*workspaceLife).companyEvents},
	{"calls", "contacts, deleted_contacts, contact_activities, calls, call_transcripts", (*workspaceLife).callEvents},
	{"logs", "admin_activity_logs", (*workspaceLife).logEvents},
	{"lists", "tags, segments, teams", (*workspaceLife).hourEvents},
	{"content", "news_items, folders", (*workspaceLife).contentEvents},
}

// pickOne returns a random item of a list, "" when it is empty.
func (l *workspaceLife) pickOne(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[l.dice.IntN(len(ids))]
}

// onOneOf changes a random one of the existing records.
func (l *workspaceLife) onOneOf(ids func() []string, do func(id string) error) func() error {
	return func() error {
		if id := l.pickOne(ids()); id != "" {
			return do(id)
		}
		return errNobody
	}
}

func (l *workspaceLife) drawSpeaker() conversations.Speaker {
	return []conversations.Speaker{conversations.ByContact, conversations.ByTeammate, conversations.ByAI, conversations.ByNote}[l.dice.IntN(4)]
}

func (l *workspaceLife) drawText() string { return fmt.Sprintf("<p>words %d</p>", l.dice.IntN(1000)) }

// conversationEvents are the changes of conversations that move updated_at, or that a list of deletions shows.
func (l *workspaceLife) conversationEvents() []lifeEvent {
	s := l.space
	any := func(do func(id string) error) func() error { return l.onOneOf(s.ConversationIDs, do) }
	open := func() error { _, err := s.OpenConversation(l.pickContact("active"), 1+l.dice.IntN(3)); return err }
	reply := any(func(id string) error { return s.ReplyConversation(id, l.drawSpeaker(), l.drawText()) })
	return []lifeEvent{
		{"conversations.open", open}, {"conversations.open", open},
		{"conversations.reply", reply}, {"conversations.reply", reply}, {"conversations.reply", reply},
		{"conversations.close", any(s.CloseConversation)},
		{"conversations.reopen", any(s.ReopenConversation)},
		{"conversations.snooze", any(func(id string) error { return s.SnoozeConversation(id, s.CurrentTime().Add(24*time.Hour)) })},
		{"conversations.assign", any(func(id string) error {
			return s.AssignConversation(id, emulator.Assignment(l.dice.IntN(6)), l.dice.IntN(2) == 0)
		})},
		{"conversations.rate", any(func(id string) error { return s.RateConversation(id, 1+l.dice.IntN(5), "so so", true) })},
		{"conversations.review", any(func(id string) error { return s.ReviewConversation(id, l.dice.IntN(2), "needs_fix", true) })},
		{"conversations.monitor", any(func(id string) error { return s.EvaluateConversation(id, l.dice.IntN(2), true) })},
		{"conversations.tag", any(func(id string) error { return s.TagConversation(id, l.dice.IntN(9)) })},
		{"conversations.untag", any(func(id string) error { return s.UntagConversation(id, l.dice.IntN(9)) })},
		{"conversations.link", any(s.LinkObject)},
		{"conversations.title", any(func(id string) error {
			return s.UpdateConversation(id, emulator.FieldChange{Field: "title", Value: fmt.Sprint("title ", l.dice.IntN(1000))})
		})},
		{"conversations.redact", any(func(id string) error { return s.RedactPart(id, l.pickOne(s.PartIDs(id)), true) })},
		{"conversations.delete", any(s.DeleteConversation)},
	}
}

func (l *workspaceLife) ticketEvents() []lifeEvent {
	s := l.space
	any := func(do func(id string) error) func() error { return l.onOneOf(s.TicketIDs, do) }
	named := func(stream string) string { return l.pickOne(rowIDs(s.Oracle(stream))) }
	open := func() error { _, err := s.CreateTicket(l.pickContact("active"), named("ticket_types")); return err }
	reply := any(func(id string) error { return s.ReplyTicket(id, l.drawSpeaker(), l.drawText()) })
	return []lifeEvent{
		{"tickets.create", open}, {"tickets.create", open}, {"tickets.reply", reply}, {"tickets.reply", reply},
		{"tickets.state", any(func(id string) error { return s.SetTicketState(id, named("ticket_states")) })},
		{"tickets.close", any(s.CloseTicket)},
		{"tickets.assign", any(func(id string) error { return s.AssignTicket(id, emulator.Assignment(l.dice.IntN(6))) })},
		{"tickets.snooze", any(func(id string) error { return s.SnoozeTicket(id, s.CurrentTime().Add(24*time.Hour)) })},
		{"tickets.redact", any(func(id string) error { return s.RedactTicketPart(id, l.pickOne(s.TicketPartIDs(id)), true) })},
	}
}

func (l *workspaceLife) companyEvents() []lifeEvent {
	s := l.space
	any := func(do func(id string) error) func() error {
		return l.onOneOf(func() []string { return rowIDs(s.Oracle("companies")) }, do)
	}
	attach := l.onContact("active", func(id string) error { return s.AddCompany(id, l.dice.IntN(s.CompanyCount())) })
	return []lifeEvent{
		{"companies.create", func() error { _, err := s.CreateCompany(); return err }},
		{"companies.attach", attach}, {"companies.attach", attach},
		{"companies.detach", l.onContact("active", func(id string) error { return s.RemoveCompany(id, l.dice.IntN(s.CompanyCount())) })},
		{"companies.rename", any(func(id string) error {
			return s.UpdateCompany(id, emulator.FieldChange{Field: "name", Value: fmt.Sprint("name ", l.dice.IntN(1000))})
		})},
		{"companies.tag", any(func(id string) error { return s.TagCompany(id, l.dice.IntN(9)) })},
		{"companies.untag", any(func(id string) error { return s.UntagCompany(id, l.dice.IntN(9)) })},
	}
}

func (l *workspaceLife) callEvents() []lifeEvent {
	s := l.space
	any := func(do func(id string) error) func() error { return l.onOneOf(s.CallIDs, do) }
	start := l.onOneOf(s.ConversationIDs, func(id string) error { _, err := s.StartCall(id, l.dice.IntN(2) == 0); return err })
	return []lifeEvent{
		{"calls.start", start}, {"calls.start", start},
		{"calls.answer", any(s.AnswerCall)}, {"calls.end", any(s.EndCall)}, {"calls.record", any(s.RecordCall)},
		{"calls.transcribe", any(func(id string) error { return s.TranscribeCall(id, l.dice.IntN(4) == 0) })},
		{"calls.remove", any(s.RemoveCall)},
		{"contacts.archive", l.onContact("active", s.ArchiveContact)},
	}
}

func (l *workspaceLife) logEvents() []lifeEvent {
	return []lifeEvent{{"logs.add", func() error { l.space.AddRandomActions(1+l.dice.IntN(12), time.Minute); return nil }}}
}

// hourEvents is an hour of all kinds of events.
func (l *workspaceLife) hourEvents() []lifeEvent {
	return []lifeEvent{{"live", func() error { l.space.SimulateHours(1); return nil }}}
}

func (l *workspaceLife) contentEvents() []lifeEvent {
	s := l.space
	kind := func() string { return []string{"news_items", "folders"}[l.dice.IntN(2)] }
	on := func(do func(kind, id string) error) func() error {
		return func() error {
			k := kind()
			return do(k, l.pickOne(rowIDs(s.Oracle(k))))
		}
	}
	return []lifeEvent{
		{"content.create", func() error { _, err := s.CreateContent(kind()); return err }},
		{"content.edit", on(s.EditContent)}, {"content.edit", on(s.EditContent)}, {"content.remove", on(s.RemoveContent)},
	}
}

func rowIDs(rows []map[string]any) (list []string) {
	for _, row := range rows {
		list = append(list, row["id"].(string))
	}
	return list
}
