package emulator

import (
	"net/http"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/population"
)

// turnsOf are the operations that POST /conversations/{id}/parts has beside an assignment, by their message_type.
var turnsOf = map[string]string{"close": "conversations.close", "open": "conversations.reopen", "snoozed": "conversations.snooze"}

// partOfConversation is POST /conversations/{id}/parts: an assignment, one row of the table of workspace-api 2.10, which opens a
// closed conversation again unless skip_reopen is true (3.2, 4.11); or that it is closed, opened or snoozed.
func partOfConversation(w *server, q *request, b *input.Body) answer {
	if w.talk(q.id) == nil {
		return notFound("Conversation")
	}
	b.Need("message_type", "admin_id")
	with := map[string]any{"id": q.id, "by": b.ID("admin_id")}
	does := b.Word("message_type", "assignment", "close", "open", "snoozed")
	operation, turns := turnsOf[does]
	to, kind := b.ID("assignee_id"), b.Word("type", "admin", "team")
	switch {
	case !turns:
		b.Need("assignee_id")
		operation, with["skip_reopen"] = "conversations.assign", b.Flag("skip_reopen") && q.version.later()
	case does == "close":
		give(with, "body", b.Text("body"))
	case does == "snoozed":
		b.Need("snoozed_until")
		until := b.Whole("snoozed_until")
		if with["until"] = until; b.Holds("snoozed_until") && until <= w.Clock().Unix() {
			b.Invalid("snoozed_until", "a later time")
		}
	}
	_, err := adminNamed(b.ID("admin_id"))
	if b.Refused() {
		return refusedBody(b)
	}
	if err != nil {
		return notFound("Admin")
	}
	if !turns {
		if refused := w.assigning(with, kind, to); refused != nil {
			return *refused
		}
	}
	if _, refused := w.perform(operation, with); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}

// talk draws a conversation that is there; nil where there is none.
func (w *talkDesk) talk(id string) *conversation {
	w.mu.Lock()
	defer w.mu.Unlock()
	if num, there := w.thread(id); there {
		return w.drawer().draw(w.threads[num].now)
	}
	return nil
}

// nobody is whom things are assigned to that are assigned to nobody.
const nobody = "0"

// assigning adds to the parameters of an operation which row of the table of workspace-api 2.10 it is, and whom that names. The
// assignee's id tells what he is; where it is nobody's, the kind tells who is taken away.
func (w *server) assigning(with map[string]any, kind, to string) *answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, noAdmin := adminNamed(to)
	team, noTeam := w.teamNamed(to)
	as := event.AssignTeam
	switch {
	case to == nobody:
		as = map[string]event.Assignment{"": event.RemoveAll, "admin": event.RemoveTeammate, "team": event.RemoveTeam}[kind]
	case noAdmin == nil && kind != "team":
		as, with["teammate"] = event.AssignTeammate, to
	case to == event.Bot.ID && kind != "team":
		as = event.AssignBot
	case noTeam != nil:
		a := notFound("Assignee")
		return &a
	case team == roundRobinTeam:
		as, with["teammate"], with["team"] = event.AssignTeamAndTeammate, population.AdminAuthor(w.nextInTurn()).ID, to
	default:
		with["team"] = to
	}
	with["as"] = event.AssignmentNames[as]
	return nil
}

// replyToConversation is POST /conversations/{id}/reply (workspace-api 4.11, 8).
func replyToConversation(w *server, q *request, b *input.Body) answer {
	c := w.talk(q.id)
	if c == nil {
		return notFound("Conversation")
	}
	if refused := w.reply(q, b, c, "conversations.reply"); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}

// reply carries out one to a conversation or to a ticket.
func (w *server) reply(q *request, b *input.Body, c *conversation, operation string) *answer {
	b.Need("message_type", "body")
	note := b.Word("message_type", "comment", "note") == "note"
	text := b.Text("body")
	if b.Holds("body") && text == "" {
		b.Invalid("body", "a text that says something")
	}
	kind := b.Word("type", "admin", "user")
	if kind == "user" && note {
		b.Invalid("message_type", "comment: contacts write no notes")
	}
	kept, err := replyBody(text, q.version.later() && !w.k().FlatTables)
	if err != nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s", err)
	}
	who, known := w.writerOf(b, c, kind)
	by, missing := ByTeammate, notFound("Admin")
	switch {
	case kind == "user":
		by, missing = ByContact, notFound("User")
	case note:
		by = ByNote
	}
	if b.Refused() {
		a := refusedBody(b)
		return &a
	}
	if !known {
		return &missing
	}
	_, refused := w.perform(operation, map[string]any{"id": q.id, "by": string(by), "author": who, "body": kept})
	return refused
}

// writerOf gives who writes a reply: the admin that is named, or whoever the token is of, who is the first; or one of the
// contacts that take part, named by the id, the external id or the e-mail address.
func (w *server) writerOf(b *input.Body, c *conversation, kind string) (id string, known bool) {
	if kind != "user" {
		owner := population.AdminAuthor(event.Admins[0]).ID
		if b.Holds("admin_id") {
			owner = b.ID("admin_id")
		}
		_, err := adminNamed(owner)
		return owner, err == nil
	}
	id, external, email := b.ID("contact_id"), b.ID("user_id"), b.Text("email")
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, then := range c.Contacts {
		d := w.activeContact(then.ID)
		if d != nil && (d.ID == id || external != "" && d.ExternalID == external || email != "" && strings.EqualFold(d.Email, email)) {
			return d.ID, true
		}
	}
	return "", false
}

// changeConversation is PUT /conversations/{id}: title, read, custom_attributes, and from 2.14 on company_id (workspace-api 4.11).
func changeConversation(w *server, q *request, b *input.Body) answer {
	if w.talk(q.id) == nil {
		return notFound("Conversation")
	}
	set := map[string]any{}
	if b.Told("title") {
		set["title"] = b.Text("title")
	}
	if b.Holds("read") {
		set["read"] = b.Flag("read")
	}
	for in, i := b.Object("custom_attributes"), 0; i < len(qaNames); i++ {
		if in.Told(qaNames[i]) {
			in.Invalid(qaNames[i], "left out: quality assurance writes it")
		}
	}
	for name, value := range b.Values("custom_attributes") {
		set["custom_attributes."+name] = value
	}
	if b.Told("company_id") && q.version.atLeast(v214) {
		set["company_id"] = nil
		if b.Holds("company_id") {
			set["company_id"] = b.ID("company_id")
		}
	}
	switch firm, named := set["company_id"].(string); {
	case b.Refused():
		return refusedBody(b)
	case named && !w.hasCompany(firm):
		return failure(http.StatusNotFound, "company_not_found", "Company Not Found")
	case len(set) == 0:
		return oneConversation(w, q)
	}
	if _, refused := w.perform("conversations.update", map[string]any{"id": q.id, "set": set}); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}

func (w *companyDesk) hasCompany(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, known := w.companyNamed(id)
	return known
}
