package emulator

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// The small lists of a workspace: what is in them is a function of the hours lived. At hour 2 a team comes, at hour 3 an
// attribute, at hour 4 an attribute is archived (trap T52), at hour 5 a subscription type; at hour 3 a reason is deleted.

func (w *Workspace) listTeams(*request) answer {
	return w.records("team.list", "teams", teamRecords(w.Hours()))
}

func teamRecords(hours int) []record {
	var members []string
	for n, a := range event.Admins {
		if n%2 == 0 {
			members = append(members, strconv.FormatInt(a.ID, 10))
		}
	}
	ids := rawJSONText("[" + strings.Join(members, ",") + "]")
	list := []record{
		{{"type", "team"}, {"id", strconv.FormatInt(event.Teams[0], 10)}, {"name", "Support & Söhne"}, {"admin_ids", ids}},
		{{"type", "team"}, {"id", strconv.FormatInt(event.Teams[1], 10)}, {"name", "売上"}, {"admin_ids", ids}}}
	if hours >= 2 {
		list = append(list, record{{"type", "team"}, {"id", "814867"}, {"name", "New \"team\""}, {"admin_ids", rawJSONText("[]")}})
	}
	return list
}

func (w *Workspace) listSubscriptionTypes(*request) answer {
	return w.records("list", "data", subscriptionRecords(w.Hours()))
}

func subscriptionRecords(hours int) []record {
	list := make([]record, subCount+2)
	for n := range list {
		list[n] = subscriptionType(int32(n), hours)
	}
	return list
}

// subscriptionType is one with the fields of workspace-api 2.4. The two beyond those that contacts have are no longer, or not
// yet, in use.
func subscriptionType(n int32, hours int) record {
	state := "live"
	switch {
	case n == subCount && hours < 5:
		state = "draft"
	case n == subCount+1:
		state = "archived"
	}
	about := `"Neues & more"`
	if n == 3 {
		about = "null"
	}
	text := `{"name":"List ` + strconv.Itoa(int(n)+1) + `","description":` + about + `,"locale":"en"}`
	return record{{"type", "subscription"}, {"id", strconv.FormatInt(event.SubscriptionID(n), 10)}, {"state", state}, {"default_translation", rawJSONText(text)},
		{"translations", rawJSONText("[" + text + "]")}, {"consent_type", []string{"opt_out", "opt_in"}[n%2]}}
}

// listDataAttributes is GET /data_attributes. Up to 2.16 the standard times are a date, later a datetime (workspace-api 9,
// trap T51); those that customers define as a date stay one.
func (w *Workspace) listDataAttributes(q *request) answer {
	var list []record
	for _, a := range attributes(w.cfg.Start.Unix(), w.Hours()) {
		model := q.query.Get("model")
		if model != "" && model != a.model || a.archived && q.query.Get("include_archived") != "true" {
			continue
		}
		list = append(list, attributeRecord(&a, q.version.later()))
	}
	return w.records("list", "data", list)
}

// attribute is one that a kind of record has. Standard ones have no id (api-notes).
type attribute struct {
	id, made             int64
	model, name, kind    string
	archived, isStandard bool
}

// standardAttributes by model and type. A time is known as such.
var standardAttributes = []struct{ model, kind, names string }{
	{"contact", "string", "id external_id role name avatar email phone language_override browser browser_language os"},
	{"contact", "integer", "owner_id"},
	{"contact", "boolean", "unsubscribed_from_emails marked_email_as_spam has_hard_bounced"},
	{"contact", "time", "created_at updated_at signed_up_at last_seen_at last_contacted_at last_replied_at last_email_opened_at " +
		"last_email_clicked_at ios_last_seen_at android_last_seen_at"},
	{"company", "string", "id company_id name website industry plan"},
	{"company", "integer", "monthly_spend session_count size user_count"},
	{"company", "time", "created_at updated_at last_request_at"},
	{"conversation", "string", "title state priority"},
	{"conversation", "time", "created_at updated_at waiting_since snoozed_until"},
}

func attributes(start int64, hours int) []attribute {
	var list []attribute
	for _, group := range standardAttributes {
		for _, name := range strings.Fields(group.names) {
			list = append(list, attribute{model: group.model, name: name, kind: group.kind, isStandard: true})
		}
	}
	own := []attribute{{model: "contact", name: "plan", kind: "string"}, {model: "contact", name: "score", kind: "integer"},
		{model: "contact", name: "paid", kind: "boolean"}, {model: "contact", name: dateAttr, kind: "date"},
		{model: "contact", name: "about", kind: "string"}, {model: "company", name: "plan", kind: "string"},
		{model: "company", name: "score", kind: "float", archived: hours >= 4}, {model: "conversation", name: "Escalated", kind: "boolean"},
		{model: "conversation", name: `"Odd" & named`, kind: "string", archived: true}}
	for n := range own {
		own[n].id, own[n].made = 9100000+int64(n), start-span+int64(n)*30*event.Day
	}
	list = append(list, own...)
	if hours >= 3 {
		list = append(list, attribute{id: 9100100, made: start + 3*3600, model: "contact", name: "neu & frisch", kind: "string"})
	}
	return list
}

func attributeRecord(a *attribute, later bool) record {
	kind, full := a.kind, a.name
	switch {
	case kind == "time" && later:
		kind = "datetime"
	case kind == "time":
		kind = "date"
	}
	r := record{{"type", "data_attribute"}}
	if !a.isStandard {
		full = "custom_attributes." + a.name
		r = append(r, column{"id", a.id}, column{"created_at", moment(a.made)}, column{"updated_at", moment(a.made)})
	}
	return append(r, column{"model", a.model}, column{"name", a.name}, column{"full_name", full}, column{"label", strings.ReplaceAll(a.name, "_", " ")},
		column{"data_type", kind}, column{"api_writable", !a.isStandard}, column{"custom", !a.isStandard}, column{"archived", a.archived})
}

func (w *Workspace) listTicketTypes(*request) answer {
	w.mu.Lock()
	workspace := w.workspace
	w.mu.Unlock()
	return w.records("list", "data", ticketTypes(w.cfg.Start.Unix(), workspace))
}

// ticketTypes have their attributes inside (api-notes).
func ticketTypes(start int64, workspace string) []record {
	var list []record
	for n, name := range ticketTypeNames {
		id, made := ticketTypeID(n), start-span+int64(n)*50*event.Day
		list = append(list, record{{"type", "ticket_type"}, {"id", id}, {"name", name}, {"description", []string{"", "a & b"}[n%2]}, {"icon", "🎟️"},
			{"workspace_id", workspace}, {"category", ticketCategory(n)}, {"archived", ticketTypeArchived(n)}, {"is_internal", n == 1},
			{"created_at", moment(made)}, {"updated_at", moment(made + 9*event.Day)}, {"ticket_type_attributes", rawJSONText(ticketAttributeList(n))}})
	}
	return list
}

func (w *Workspace) listTicketStates(*request) answer {
	return w.records("list", "data", ticketStates())
}

func ticketStates() []record {
	var list []record
	for n, category := range ticketStages {
		list = append(list, record{{"type", "ticket_state"}, {"id", ticketStateID(n)}, {"category", category},
			{"internal_label", []string{"Neu", "In Arbeit", "Waiting", "Erledigt & zu", "古い"}[n]}, {"external_label", strings.ReplaceAll(category, "_", " ")},
			{"archived", n == ticketStateArchived}, {"ticket_types", rawJSONText(`{"type":"list","data":[{"type":"ticket_type","id":"1200"},{"type":"ticket_type","id":"120` +
				strconv.Itoa(1+n%2) + `"}]}`)}})
	}
	return list
}

func (w *Workspace) listAwayReasons(*request) answer {
	return w.records("list", "data", awayReasons(w.cfg.Start.Unix(), w.Hours()))
}

// awayReasons includes deleted ones (api-notes).
func awayReasons(start int64, hours int) []record {
	var list []record
	for n, label := range []string{"Lunch", "Besprechung", "休憩", "On a call"} {
		made := start - span + int64(n)*event.Day
		updated, gone := made, n == 2
		if n == 1 && hours >= 3 {
			updated, gone = start+3*3600, true
		}
		list = append(list, record{{"type", "away_status_reason"}, {"id", strconv.Itoa(620 + n)}, {"label", label}, {"emoji", []string{"🍽️", "", "☕", "📞"}[n]},
			{"order", int64(n)}, {"deleted", gone}, {"created_at", moment(made)}, {"updated_at", moment(updated)}})
	}
	return list
}
