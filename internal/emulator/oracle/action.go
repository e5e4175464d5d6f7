package oracle

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// actionRows are the rows of the admins' activity log, in the words of the newest version.
func actionRows(o *Oracle, yield func(Row) bool) {
	for i := range o.log.Actions {
		a := &o.log.Actions[i]
		who, kind := event.Everyone[a.Admin], actions[a.Kind]
		sentence := who.Name + " " + kind.does(a) + "."
		row := Row{"id": a.ID, "activity_type": kind.name, "activity_description": sentence, "metadata": kind.metadata(a), "created_at": a.At,
			"performed_by_type": "admin", "performed_by_id": idText(who.ID), "performed_by_email": who.Email, "performed_by_ip": orNull(a.IP)}
		if a.Kind == event.WorkspaceRenamed { // the number comes behind the quotes
			row["activity_description"] = fmt.Sprintf("%s renamed the workspace to “Büro & Söhne” %d.", who.Name, a.Count)
		}
		if !yield(row) {
			return
		}
	}
}

// action is a kind of entry: what it is called, what the admin does, and what it tells beside.
type action struct {
	name     string
	does     func(a *event.AdminAction) string
	metadata func(a *event.AdminAction) string
}

// said is the same words for every entry.
func said(words string) func(*event.AdminAction) string {
	return func(*event.AdminAction) string { return words }
}

// counted is metadata in which the entry's number stands in one place.
func counted(before, after string) func(*event.AdminAction) string {
	return func(a *event.AdminAction) string { return before + number(int64(a.Count)) + after }
}

var actions = map[event.ActionKind]action{
	event.LoggedIn: {"admin_login_success", said("successfully logged in"), func(a *event.AdminAction) string {
		return object("message", text(event.Everyone[a.Admin].Name+" successfully logged in."))
	}},
	event.LoginFailed: {"admin_login_failure", said("failed to log in"), counted(`{"sign_in_method":"email","attempt":`, `}`)},
	event.LoggedOut:   {"admin_logout", said("logged out"), said(`{}`)},
	event.PermissionsChanged: {"admin_permission_change", said("changed the permissions of a teammate"), counted(`{"before":{"permissions":{"access_billing":false,"limit":`,
		`}},"after":{"permissions":{"access_billing":true,"list":[1,[2,{"deep":null}]]}}}`)},
	event.AwayModeChanged:     {"admin_away_mode", said("changed away mode"), counted(`{"away_mode":true,"reassign_conversations":false,"update_by":`, `}`)},
	event.WorkspaceRenamed:    {"app_name_change", said(""), counted(`{"before":"Büro","after":"Büro & Söhne `, `"}`)},
	event.ContactsExported:    {"bulk_export", said("exported contacts"), counted(`{"job_id":9007199254740993,"rows":`, `}`)},
	event.MessageSetLive:      {"message_state_change", said("set a message live"), counted(`{"message":{"id":`, `,"title":"Spring <sale>"},"before":"draft","after":"live"}`)},
	event.MessageDeleted:      {"message_deletion", said("deleted a message"), counted(`{"message":{"id":`, `,"title":null}}`)},
	event.InvitationSent:      {"admin_invite_creation", said("invited a teammate"), counted(`{"invite":{"email":"new`, `@acme.example","teams":[]}}`)},
	event.InvitationChanged:   {"admin_invite_change", said("changed an invitation"), counted(`{"before":{"seat":"lite"},"after":{"seat":"full"},"invite":`, `}`)},
	event.InvitationWithdrawn: {"admin_invite_deletion", said("withdrew an invitation"), counted(`{"invite":{"email":"new`, `@acme.example"}}`)},
	event.CampaignDeleted:     {"campaign_deletion", said("deleted a campaign"), counted(`{"campaign_id":`, `}`)},
	event.ConversationLimitChanged: {"admin_conversation_assignment_limit_change", said("changed an assignment limit"),
		counted(`{"conversation_assignment_limit":`, `}`)},
	event.TicketLimitChanged: {"admin_ticket_assignment_limit_change", said("changed an assignment limit of tickets"), counted(`{"ticket_assignment_limit":`, `}`)},
	event.AdminDeleted: {"admin_deletion", func(a *event.AdminAction) string { return "removed " + event.Everyone[a.Other].Name }, func(a *event.AdminAction) string {
		gone := event.Everyone[a.Other]
		return object("deleted_admin", object("id", text(number(gone.ID)), "name", text(gone.Name)))
	}},
	event.TimeZoneChanged: {"app_timezone_change", said("changed the time zone of the workspace"), func(a *event.AdminAction) string {
		return object("before", text(a.Zone[0]), "after", text(a.Zone[1]))
	}},
}
