package oracle

import (
	"fmt"

	"aqueduck/internal/emulator/event"
)

// actionRows yields the rows of the admins' activity log, in the names of the newest version.
func actionRows(o *Oracle, yield func(Row) bool) {
	for i := range o.log.Actions {
		a := &o.log.Actions[i]
		cast, kind := o.log.Cast.Everyone, actions[a.Kind]
		who := cast[a.Admin]
		sentence := who.Name + " " + kind.does(cast, a) + "."
		row := Row{"id": a.ID, "activity_type": kind.name, "activity_description": sentence, "metadata": kind.metadata(cast, a), "created_at": a.At,
			"performed_by_type": "admin", "performed_by_id": idText(who.ID), "performed_by_email": who.Email, "performed_by_ip": orNull(a.IP)}
		if a.Kind == event.WorkspaceRenamed { // the number comes behind the quotes
			row["activity_description"] = fmt.Sprintf("%s renamed the workspace to “Büro & Söhne” %d.", who.Name, a.Count)
		}
		if !yield(row) {
			return
		}
	}
}

// actionKind is a kind of entry: its name, its text and its metadata.
type actionKind struct {
	name     string
	does     func(everyone []event.Admin, a *event.AdminAction) string
	metadata func(everyone []event.Admin, a *event.AdminAction) string
}

// fixedWords returns a text that is equal for every entry.
func fixedWords(words string) func([]event.Admin, *event.AdminAction) string {
	return func([]event.Admin, *event.AdminAction) string { return words }
}

// countMetadata returns metadata that contains the entry's number.
func countMetadata(before, after string) func([]event.Admin, *event.AdminAction) string {
	return func(_ []event.Admin, a *event.AdminAction) string { return before + jsonNumber(int64(a.Count)) + after }
}

var actions = map[event.ActionKind]actionKind{
	event.LoggedIn: {"admin_login_success", fixedWords("successfully logged in"), func(everyone []event.Admin, a *event.AdminAction) string {
		return jsonObject("message", jsonText(everyone[a.Admin].Name+" successfully logged in."))
	}},
	event.LoginFailed: {"admin_login_failure", fixedWords("failed to log in"), countMetadata(`{"sign_in_method":"email","attempt":`, `}`)},
	event.LoggedOut:   {"admin_logout", fixedWords("logged out"), fixedWords(`{}`)},
	event.PermissionsChanged: {"admin_permission_change", fixedWords("changed the permissions of a teammate"), countMetadata(`{"before":{"permissions":{"access_billing":false,"limit":`,
		`}},"after":{"permissions":{"access_billing":true,"list":[1,[2,{"deep":null}]]}}}`)},
	event.AwayModeChanged:     {"admin_away_mode", fixedWords("changed away mode"), countMetadata(`{"away_mode":true,"reassign_conversations":false,"update_by":`, `}`)},
	event.WorkspaceRenamed:    {"app_name_change", fixedWords(""), countMetadata(`{"before":"Büro","after":"Büro & Söhne `, `"}`)},
	event.ContactsExported:    {"bulk_export", fixedWords("exported contacts"), countMetadata(`{"job_id":9007199254740993,"rows":`, `}`)},
	event.MessageSetLive:      {"message_state_change", fixedWords("set a message live"), countMetadata(`{"message":{"id":`, `,"title":"Spring <sale>"},"before":"draft","after":"live"}`)},
	event.MessageDeleted:      {"message_deletion", fixedWords("deleted a message"), countMetadata(`{"message":{"id":`, `,"title":null}}`)},
	event.InvitationSent:      {"admin_invite_creation", fixedWords("invited a teammate"), countMetadata(`{"invite":{"email":"new`, `@acme.example","teams":[]}}`)},
	event.InvitationChanged:   {"admin_invite_change", fixedWords("changed an invitation"), countMetadata(`{"before":{"seat":"lite"},"after":{"seat":"full"},"invite":`, `}`)},
	event.InvitationWithdrawn: {"admin_invite_deletion", fixedWords("withdrew an invitation"), countMetadata(`{"invite":{"email":"new`, `@acme.example"}}`)},
	event.CampaignDeleted:     {"campaign_deletion", fixedWords("deleted a campaign"), countMetadata(`{"campaign_id":`, `}`)},
	event.ConversationLimitChanged: {"admin_conversation_assignment_limit_change", fixedWords("changed an assignment limit"),
		countMetadata(`{"conversation_assignment_limit":`, `}`)},
	event.TicketLimitChanged: {"admin_ticket_assignment_limit_change", fixedWords("changed an assignment limit of tickets"), countMetadata(`{"ticket_assignment_limit":`, `}`)},
	event.AdminDeleted: {"admin_deletion", func(everyone []event.Admin, a *event.AdminAction) string { return "removed " + everyone[a.Other].Name }, func(everyone []event.Admin, a *event.AdminAction) string {
		deleted := everyone[a.Other]
		return jsonObject("deleted_admin", jsonObject("id", jsonText(jsonNumber(deleted.ID)), "name", jsonText(deleted.Name)))
	}},
	event.TimeZoneChanged: {"app_timezone_change", fixedWords("changed the time zone of the workspace"), func(_ []event.Admin, a *event.AdminAction) string {
		return jsonObject("before", jsonText(a.Zone[0]), "after", jsonText(a.Zone[1]))
	}},
}
