package api

import (
	"net/http"
	"strings"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/population"
	"aqueduck/internal/emulator/state/conversations"
	"aqueduck/internal/emulator/state/core"
)

// turnsOf are the operations of POST /conversations/{id}/parts besides an assignment, by message_type.
var turnsOf = map[string]string{"close": "conversations.close", "open": "conversations.reopen", "snoozed": "conversations.snooze"}

// partOfConversation serves POST /conversations/{id}/parts: an assignment, or closing, opening or snoozing. An assignment is one row of the
// table of workspace-api 2.10. It reopens a closed conversation unless skip_reopen is true (3.2, 4.11).
func partOfConversation(w *Handlers, q *Request, b *input.Body) answer.Answer {
	if w.Conversations.LoadConversation(q.ID) == nil {
		return answer.NotFound("Conversation")
	}
	b.RequireFields("message_type", "admin_id")
	with := map[string]any{"id": q.ID, "by": b.ReadID("admin_id")}
	does := b.ReadWord("message_type", "assignment", "close", "open", "snoozed")
	operation, turns := turnsOf[does]
	to, kind := b.ReadID("assignee_id"), b.ReadWord("type", "admin", "team")
	switch {
	case !turns:
		b.RequireFields("assignee_id")
		operation, with["skip_reopen"] = "conversations.assign", b.ReadBool("skip_reopen") && q.Version.HasLaterChanges()
	case does == "close":
		addTextParam(with, "body", b.ReadText("body"))
	case does == "snoozed":
		b.RequireFields("snoozed_until")
		until := b.ReadInt("snoozed_until")
		if with["until"] = until; b.HasValue("snoozed_until") && until <= w.CurrentTime().Unix() {
			b.RefuseField("snoozed_until", "a later time")
		}
	}
	_, err := w.FindAdmin(b.ReadID("admin_id"))
	if b.IsRefused() {
		return refusedBody(b)
	}
	if err != nil {
		return answer.NotFound("Admin")
	}
	if !turns {
		if refused := w.setAssignmentParams(with, kind, to); refused != nil {
			return *refused
		}
	}
	if _, refused := w.performOperation(operation, with); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}

// setAssignmentParams adds the row of the table of workspace-api 2.10 and its assignee to the parameters of an operation. The assignee's id
// says whether it is a team or a teammate. For the id of nobody, the kind says which of them is removed.
func (w *Handlers) setAssignmentParams(with map[string]any, kind, to string) *answer.Answer {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	_, noAdmin := w.FindAdmin(to)
	team, noTeam := w.FindTeam(to)
	as := event.AssignTeam
	switch {
	case to == core.Nobody:
		as = map[string]event.Assignment{"": event.RemoveAll, "admin": event.RemoveTeammate, "team": event.RemoveTeam}[kind]
	case noAdmin == nil && kind != "team":
		as, with["teammate"] = event.AssignTeammate, to
	case to == event.Bot.ID && kind != "team":
		as = event.AssignBot
	case noTeam != nil:
		a := answer.NotFound("Assignee")
		return &a
	case team == w.RoundRobinTeam():
		as, with["teammate"], with["team"] = event.AssignTeamAndTeammate, population.AdminAuthor(w.NextInRoundRobin()).ID, to
	default:
		with["team"] = to
	}
	with["as"] = event.AssignmentNames[as]
	return nil
}

// replyToConversation serves POST /conversations/{id}/reply (workspace-api 4.11, 8).
func replyToConversation(w *Handlers, q *Request, b *input.Body) answer.Answer {
	c := w.Conversations.LoadConversation(q.ID)
	if c == nil {
		return answer.NotFound("Conversation")
	}
	if refused := w.performReply(q, b, c, "conversations.reply"); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}

// performReply carries out a reply to a conversation or a ticket.
func (w *Handlers) performReply(q *Request, b *input.Body, c *conversations.Conversation, operation string) *answer.Answer {
	b.RequireFields("message_type", "body")
	note := b.ReadWord("message_type", "comment", "note") == "note"
	text := b.ReadText("body")
	if b.HasValue("body") && text == "" {
		b.RefuseField("body", "a text that says something")
	}
	kind := b.ReadWord("type", "admin", "user")
	if kind == "user" && note {
		b.RefuseField("message_type", "comment: contacts write no notes")
	}
	kept, err := input.ReplyBody(text, q.Version.HasLaterChanges() && !w.K().FlatTables)
	if err != nil {
		b.Refuse(http.StatusBadRequest, "parameter_invalid", "%s", err)
	}
	who, known := w.writerOf(b, c, kind)
	by, missing := conversations.ByTeammate, answer.NotFound("Admin")
	switch {
	case kind == "user":
		by, missing = conversations.ByContact, answer.NotFound("User")
	case note:
		by = conversations.ByNote
	}
	if b.IsRefused() {
		a := refusedBody(b)
		return &a
	}
	if !known {
		return &missing
	}
	_, refused := w.performOperation(operation, map[string]any{"id": q.ID, "by": string(by), "author": who, "body": kept})
	return refused
}

// writerOf returns the author of a reply. An admin's reply is by the named admin, or by the token's owner, who is the first admin. A contact's
// reply is by a participant, named by id, external id or e-mail.
func (w *Handlers) writerOf(b *input.Body, c *conversations.Conversation, kind string) (id string, known bool) {
	if kind != "user" {
		owner := population.AdminAuthor(tokenOwner(w)).ID
		if b.HasValue("admin_id") {
			owner = b.ReadID("admin_id")
		}
		_, err := w.FindAdmin(owner)
		return owner, err == nil
	}
	id, external, email := b.ReadID("contact_id"), b.ReadID("user_id"), b.ReadText("email")
	w.Mu.Lock()
	defer w.Mu.Unlock()
	for _, then := range c.Contacts {
		d := w.ActiveContact(then.ID)
		if d != nil && (d.ID == id || external != "" && d.ExternalID == external || email != "" && strings.EqualFold(d.Email, email)) {
			return d.ID, true
		}
	}
	return "", false
}

// changeConversation serves PUT /conversations/{id}: title, read, custom_attributes, and from 2.14 on company_id (workspace-api 4.11).
func changeConversation(w *Handlers, q *Request, b *input.Body) answer.Answer {
	if w.Conversations.LoadConversation(q.ID) == nil {
		return answer.NotFound("Conversation")
	}
	set := map[string]any{}
	if b.WasSent("title") {
		set["title"] = b.ReadText("title")
	}
	if b.HasValue("read") {
		set["read"] = b.ReadBool("read")
	}
	for in, i := b.ReadObject("custom_attributes"), 0; i < len(conversations.ReviewAttributeNames); i++ {
		if in.WasSent(conversations.ReviewAttributeNames[i]) {
			in.RefuseField(conversations.ReviewAttributeNames[i], "left out: quality assurance writes it")
		}
	}
	for name, value := range b.ReadValues("custom_attributes") {
		set["custom_attributes."+name] = value
	}
	if b.WasSent("company_id") && q.Version.AtLeast(apiversion.V214) {
		set["company_id"] = nil
		if b.HasValue("company_id") {
			set["company_id"] = b.ReadID("company_id")
		}
	}
	switch firm, named := set["company_id"].(string); {
	case b.IsRefused():
		return refusedBody(b)
	case named && !w.HasCompany(firm):
		return answer.Failure(http.StatusNotFound, "company_not_found", "Company Not Found")
	case len(set) == 0:
		return oneConversation(w, q)
	}
	if _, refused := w.performOperation("conversations.update", map[string]any{"id": q.ID, "set": set}); refused != nil {
		return *refused
	}
	return oneConversation(w, q)
}
