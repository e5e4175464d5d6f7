package pipeline_test

import (
	"fmt"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/state/conversations"
)

// family is a set of streams that are read together, with the things that happen to their records.
type family struct {
	name, streams string
	events        func(l *life) []event
}

// families are those that the model reads. Calls go with contacts: the oracle tells their transcripts by whom they are about.
var families = []family{
	{"contacts", "contacts, deleted_contacts, contact_activities", (*life).events},
	{"conversations", "conversations, deleted_conversations", (*life).conversations},
	{"tickets", "tickets", (*life).tickets},
	{"companies", "companies", (*life).companies},
	{"calls", "contacts, deleted_contacts, contact_activities, calls, call_transcripts", (*life).calls},
	{"logs", "admin_activity_logs", (*life).logs},
	{"lists", "tags, segments, teams", (*life).hour},
	{"content", "news_items, folders", (*life).content},
}

// one gives one of a list, "" when it is empty.
func (l *life) one(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[l.dice.IntN(len(ids))]
}

// of does something to one of those that there are.
func (l *life) of(ids func() []string, do func(id string) error) func() error {
	return func() error {
		if id := l.one(ids()); id != "" {
			return do(id)
		}
		return errNobody
	}
}

func (l *life) speaker() conversations.Speaker {
	return []conversations.Speaker{conversations.ByContact, conversations.ByTeammate, conversations.ByAI, conversations.ByNote}[l.dice.IntN(4)]
}

func (l *life) words() string { return fmt.Sprintf("<p>words %d</p>", l.dice.IntN(1000)) }

// conversations are what happens to conversations with a sign: updated_at moves, or a list names those that left.
func (l *life) conversations() []event {
	s := l.space
	any := func(do func(id string) error) func() error { return l.of(s.ConversationIDs, do) }
	open := func() error { _, err := s.OpenConversation(l.someone("active"), 1+l.dice.IntN(3)); return err }
	reply := any(func(id string) error { return s.ReplyConversation(id, l.speaker(), l.words()) })
	return []event{
		{"conversations.open", open}, {"conversations.open", open},
		{"conversations.reply", reply}, {"conversations.reply", reply}, {"conversations.reply", reply},
		{"conversations.close", any(s.CloseConversation)},
		{"conversations.reopen", any(s.ReopenConversation)},
		{"conversations.snooze", any(func(id string) error { return s.SnoozeConversation(id, s.Clock().Add(24*time.Hour)) })},
		{"conversations.assign", any(func(id string) error {
			return s.AssignConversation(id, emulator.Assignment(l.dice.IntN(6)), l.dice.IntN(2) == 0)
		})},
		{"conversations.rate", any(func(id string) error { return s.Rate(id, 1+l.dice.IntN(5), "so so", true) })},
		{"conversations.review", any(func(id string) error { return s.Review(id, l.dice.IntN(2), "needs_fix", true) })},
		{"conversations.monitor", any(func(id string) error { return s.Monitor(id, l.dice.IntN(2), true) })},
		{"conversations.tag", any(func(id string) error { return s.TagConversation(id, l.dice.IntN(9)) })},
		{"conversations.untag", any(func(id string) error { return s.UntagConversation(id, l.dice.IntN(9)) })},
		{"conversations.link", any(s.LinkObject)},
		{"conversations.title", any(func(id string) error {
			return s.UpdateConversation(id, emulator.Change{Field: "title", Value: fmt.Sprint("title ", l.dice.IntN(1000))})
		})},
		{"conversations.redact", any(func(id string) error { return s.Redact(id, l.one(s.PartIDs(id)), true) })},
		{"conversations.delete", any(s.DeleteConversation)},
	}
}

func (l *life) tickets() []event {
	s := l.space
	any := func(do func(id string) error) func() error { return l.of(s.TicketIDs, do) }
	named := func(stream string) string { return l.one(ids(s.Oracle(stream))) }
	open := func() error { _, err := s.CreateTicket(l.someone("active"), named("ticket_types")); return err }
	reply := any(func(id string) error { return s.ReplyTicket(id, l.speaker(), l.words()) })
	return []event{
		{"tickets.create", open}, {"tickets.create", open}, {"tickets.reply", reply}, {"tickets.reply", reply},
		{"tickets.state", any(func(id string) error { return s.SetTicketState(id, named("ticket_states")) })},
		{"tickets.close", any(s.CloseTicket)},
		{"tickets.assign", any(func(id string) error { return s.AssignTicket(id, emulator.Assignment(l.dice.IntN(6))) })},
		{"tickets.snooze", any(func(id string) error { return s.SnoozeTicket(id, s.Clock().Add(24*time.Hour)) })},
		{"tickets.redact", any(func(id string) error { return s.RedactTicketPart(id, l.one(s.TicketPartIDs(id)), true) })},
	}
}

func (l *life) companies() []event {
	s := l.space
	any := func(do func(id string) error) func() error {
		return l.of(func() []string { return ids(s.Oracle("companies")) }, do)
	}
	attach := l.to("active", func(id string) error { return s.AddCompany(id, l.dice.IntN(s.CompanyCount())) })
	return []event{
		{"companies.create", func() error { _, err := s.CreateCompany(); return err }},
		{"companies.attach", attach}, {"companies.attach", attach},
		{"companies.detach", l.to("active", func(id string) error { return s.RemoveCompany(id, l.dice.IntN(s.CompanyCount())) })},
		{"companies.rename", any(func(id string) error {
			return s.UpdateCompany(id, emulator.Change{Field: "name", Value: fmt.Sprint("name ", l.dice.IntN(1000))})
		})},
		{"companies.tag", any(func(id string) error { return s.TagCompany(id, l.dice.IntN(9)) })},
		{"companies.untag", any(func(id string) error { return s.UntagCompany(id, l.dice.IntN(9)) })},
	}
}

func (l *life) calls() []event {
	s := l.space
	any := func(do func(id string) error) func() error { return l.of(s.CallIDs, do) }
	start := l.of(s.ConversationIDs, func(id string) error { _, err := s.StartCall(id, l.dice.IntN(2) == 0); return err })
	return []event{
		{"calls.start", start}, {"calls.start", start},
		{"calls.answer", any(s.AnswerCall)}, {"calls.end", any(s.EndCall)}, {"calls.record", any(s.RecordCall)},
		{"calls.transcribe", any(func(id string) error { return s.TranscribeCall(id, l.dice.IntN(4) == 0) })},
		{"calls.remove", any(s.RemoveCall)},
		{"contacts.archive", l.to("active", s.Archive)},
	}
}

func (l *life) logs() []event {
	return []event{{"logs.add", func() error { l.space.AddLogs(1+l.dice.IntN(12), time.Minute); return nil }}}
}

// hour is an hour of everything.
func (l *life) hour() []event {
	return []event{{"live", func() error { l.space.Live(1); return nil }}}
}

func (l *life) content() []event {
	s := l.space
	kind := func() string { return []string{"news_items", "folders"}[l.dice.IntN(2)] }
	on := func(do func(kind, id string) error) func() error {
		return func() error {
			k := kind()
			return do(k, l.one(ids(s.Oracle(k))))
		}
	}
	return []event{
		{"content.create", func() error { _, err := s.CreateContent(kind()); return err }},
		{"content.edit", on(s.EditContent)}, {"content.edit", on(s.EditContent)}, {"content.remove", on(s.RemoveContent)},
	}
}

func ids(rows []map[string]any) (list []string) {
	for _, row := range rows {
		list = append(list, row["id"].(string))
	}
	return list
}
