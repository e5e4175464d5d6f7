package render

import (
	"cmp"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/apiversion"
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// actKind is one type of log entry: its name, its text and its metadata. In them %d is a number drawn for the entry, {admin} and {other} are
// names, and {id} is the other admin's id.
type actKind struct {
	name, sentence, metadata string
	old                      string // name before version 2.14
	oldMetadata              string
}

var actKinds = [...]actKind{
	{name: "admin_login_success", sentence: "{admin} successfully logged in.", metadata: `{"message":"{admin} successfully logged in."}`},
	{name: "admin_login_failure", sentence: "{admin} failed to log in.", metadata: `{"sign_in_method":"email","attempt":%d}`},
	{name: "admin_logout", sentence: "{admin} logged out.", metadata: `{}`},
	{name: "admin_permission_change", sentence: "{admin} changed the permissions of a teammate.",
		metadata: `{"before":{"permissions":{"access_billing":false,"limit":%d}},"after":{"permissions":{"access_billing":true,"list":[1,[2,{"deep":null}]]}}}`},
	{name: "admin_away_mode", sentence: "{admin} changed away mode.", metadata: `{"away_mode":true,"reassign_conversations":false,"update_by":%d}`},
	{name: "app_name_change", sentence: "{admin} renamed the workspace to “Büro & Söhne” %d.", metadata: `{"before":"Büro","after":"Büro & Söhne %d"}`},
	{name: "bulk_export", sentence: "{admin} exported contacts.", metadata: `{"job_id":9007199254740993,"rows":%d}`},
	{name: "message_state_change", sentence: "{admin} set a message live.", metadata: `{"message":{"id":%d,"title":"Spring <sale>"},"before":"draft","after":"live"}`},
	{name: "message_deletion", sentence: "{admin} deleted a message.", metadata: `{"message":{"id":%d,"title":null}}`},
	{name: "admin_invite_creation", sentence: "{admin} invited a teammate.", metadata: `{"invite":{"email":"new%d@acme.example","teams":[]}}`},
	{name: "admin_invite_change", sentence: "{admin} changed an invitation.", metadata: `{"before":{"seat":"lite"},"after":{"seat":"full"},"invite":%d}`},
	{name: "admin_invite_deletion", sentence: "{admin} withdrew an invitation.", metadata: `{"invite":{"email":"new%d@acme.example"}}`},
	{name: "campaign_deletion", sentence: "{admin} deleted a campaign.", metadata: `{"campaign_id":%d}`},
	{name: "admin_conversation_assignment_limit_change", sentence: "{admin} changed an assignment limit.",
		metadata: `{"conversation_assignment_limit":%d}`, old: "admin_assignment_limit_change", oldMetadata: `{"assignment_limit":%d}`},
	{name: "admin_ticket_assignment_limit_change", sentence: "{admin} changed an assignment limit of tickets.",
		metadata: `{"ticket_assignment_limit":%d}`, old: "admin_assignment_limit_change", oldMetadata: `{"assignment_limit":%d}`},
	{name: "admin_deletion", sentence: "{admin} removed {other}.", metadata: `{"deleted_admin":{"id":"{id}","name":"{other}"}}`},
	{name: "app_timezone_change", sentence: "{admin} changed the time zone of the workspace.", metadata: `{"before":"{before}","after":"{after}"}`},
}

// fillAct replaces the placeholders in a text of an entry's kind.
func fillAct(everyone []event.Admin, a event.AdminAction, text string) string {
	other, zones := everyone[a.Other], [2]string{}
	if a.Zone != nil {
		zones = *a.Zone
	}
	return strings.NewReplacer("{admin}", everyone[a.Admin].Name, "{other}", other.Name, "{id}", strconv.FormatInt(other.ID, 10),
		"{before}", zones[0], "{after}", zones[1], "%d", strconv.Itoa(a.Count)).Replace(text)
}

// AppendAdminAction writes a log entry with the fields of workspace-api 2.7, in the names of a version. oldLimit is the type of a changed
// assignment limit before 2.14; "" is the default.
func AppendAdminAction(everyone []event.Admin, b []byte, a event.AdminAction, v apiversion.Version, oldLimit string) []byte {
	kind := actKinds[a.Kind]
	name, metadata := kind.name, kind.metadata
	if kind.old != "" && !v.AtLeast(apiversion.V214) {
		name, metadata = cmp.Or(oldLimit, kind.old), kind.oldMetadata
	}
	who := everyone[a.Admin]
	b = append(append(append(b, `{"id":"`...), a.ID...), `","performed_by":{"type":"admin","id":"`...)
	b = strconv.AppendInt(b, who.ID, 10)
	b = append(b, `","email":`...)
	b = jsontext.AppendString(b, who.Email)
	b = append(jsontext.AppendText(append(b, `,"ip":`...), a.IP), `},"metadata":`...)
	b = append(b, fillAct(everyone, a, metadata)...)
	b = append(b, `,"created_at":`...)
	b = strconv.AppendInt(b, a.At, 10)
	b = append(append(append(b, `,"activity_type":"`...), name...), `","activity_description":`...)
	b = jsontext.AppendString(b, fillAct(everyone, a, kind.sentence))
	return append(b, '}')
}
