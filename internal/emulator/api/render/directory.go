package render

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
	"aqueduck/internal/emulator/state/tickets"
)

// AdminRecord returns an admin.
func AdminRecord(cast *event.Cast, a event.Admin) jsontext.Record {
	var ids []string
	for _, id := range TeamsOf(cast, a) {
		ids = append(ids, strconv.FormatInt(id, 10))
	}
	teams := "[" + strings.Join(ids, ",") + "]"
	return jsontext.Record{{Name: "type", Value: "admin"}, {Name: "id", Value: strconv.FormatInt(a.ID, 10)}, {Name: "name", Value: a.Name}, {Name: "email", Value: a.Email},
		{Name: "away_mode_enabled", Value: false}, {Name: "away_mode_reassign", Value: false}, {Name: "has_inbox_seat", Value: true}, {Name: "team_ids", Value: jsontext.RawJSON(teams)}}
}

// TeamRecords returns the teams after a number of simulated hours.
func TeamRecords(cast *event.Cast, hours int) []jsontext.Record {
	var list []jsontext.Record
	for _, t := range cast.Teams {
		var members []string
		for _, a := range cast.Admins {
			if t.Has(a) {
				members = append(members, strconv.FormatInt(a.ID, 10))
			}
		}
		if hours >= t.Hour {
			list = append(list, jsontext.Record{{Name: "type", Value: "team"}, {Name: "id", Value: strconv.FormatInt(t.ID, 10)}, {Name: "name", Value: t.Name}, {Name: "admin_ids", Value: jsontext.RawJSON("[" + strings.Join(members, ",") + "]")}})
		}
	}
	return list
}

// TeamsOf returns the ids of the teams that a teammate of hour 0 is in.
func TeamsOf(cast *event.Cast, a event.Admin) (ids []int64) {
	for _, t := range cast.Teams {
		if t.Has(a) {
			ids = append(ids, t.ID)
		}
	}
	return ids
}

// SubscriptionRecords returns the subscription types after a number of simulated hours.
func SubscriptionRecords(cast *event.Cast, hours int) []jsontext.Record {
	list := make([]jsontext.Record, len(cast.SubscriptionTypes))
	for n := range list {
		list[n] = subscriptionType(cast, int32(n), hours)
	}
	return list
}

// subscriptionType returns a subscription type with the fields of workspace-api 2.4.
func subscriptionType(cast *event.Cast, n int32, hours int) jsontext.Record {
	s, state := cast.SubscriptionTypes[n], "live"
	switch {
	case s.Archived:
		state = "archived"
	case hours < s.Live:
		state = "draft"
	}
	text := `{"name":` + jsontext.Quote(s.Name) + `,"description":` + string(jsontext.AppendText(nil, s.Description)) + `,"locale":"en"}`
	return jsontext.Record{{Name: "type", Value: "subscription"}, {Name: "id", Value: strconv.FormatInt(event.SubscriptionID(n), 10)}, {Name: "state", Value: state}, {Name: "default_translation", Value: jsontext.RawJSON(text)},
		{Name: "translations", Value: jsontext.RawJSON("[" + text + "]")}, {Name: "consent_type", Value: s.Consent}}
}

// AttributeRecord returns a data attribute. later selects the data types of the later version.
func AttributeRecord(a *event.DataAttribute, began int64, hours int, later bool) jsontext.Record {
	kind, full := a.Kind, a.Name
	switch {
	case kind == "time" && later:
		kind = "datetime"
	case kind == "time":
		kind = "date"
	}
	r := jsontext.Record{{Name: "type", Value: "data_attribute"}}
	if !a.Standard {
		full = event.OwnAttribute + a.Name
		r = append(r, jsontext.Column{Name: "id", Value: a.ID}, jsontext.Column{Name: "created_at", Value: jsontext.Moment(began + a.Made)}, jsontext.Column{Name: "updated_at", Value: jsontext.Moment(began + a.Made)})
	}
	return append(r, jsontext.Column{Name: "model", Value: a.Model}, jsontext.Column{Name: "name", Value: a.Name}, jsontext.Column{Name: "full_name", Value: full}, jsontext.Column{Name: "label", Value: strings.ReplaceAll(a.Name, "_", " ")},
		jsontext.Column{Name: "data_type", Value: kind}, jsontext.Column{Name: "api_writable", Value: !a.Standard}, jsontext.Column{Name: "custom", Value: !a.Standard}, jsontext.Column{Name: "archived", Value: hours >= a.Archived})
}

// TicketTypes returns the ticket types with their attributes (api-notes).
func TicketTypes(cast *event.Cast, start int64, workspace string) []jsontext.Record {
	var list []jsontext.Record
	for _, t := range cast.TicketTypes {
		began := start - event.Span
		list = append(list, jsontext.Record{{Name: "type", Value: "ticket_type"}, {Name: "id", Value: t.ID}, {Name: "name", Value: t.Name}, {Name: "description", Value: t.Description}, {Name: "icon", Value: "🎟️"},
			{Name: "workspace_id", Value: workspace}, {Name: "category", Value: t.Category}, {Name: "archived", Value: t.Archived}, {Name: "is_internal", Value: t.Internal},
			{Name: "created_at", Value: jsontext.Moment(began + t.Made)}, {Name: "updated_at", Value: jsontext.Moment(began + t.Updated)}, {Name: "ticket_type_attributes", Value: jsontext.RawJSON(tickets.TicketAttributeList(t.Attributes))}})
	}
	return list
}

// TicketStates returns the states that a ticket can have.
func TicketStates(cast *event.Cast) []jsontext.Record {
	var list []jsontext.Record
	for _, t := range cast.TicketStates {
		var types []string
		for _, id := range t.Types {
			types = append(types, `{"type":"ticket_type","id":"`+id+`"}`)
		}
		list = append(list, jsontext.Record{{Name: "type", Value: "ticket_state"}, {Name: "id", Value: t.ID}, {Name: "category", Value: t.Category}, {Name: "internal_label", Value: t.Internal}, {Name: "external_label", Value: t.External},
			{Name: "archived", Value: t.Archived}, {Name: "ticket_types", Value: jsontext.RawJSON(`{"type":"list","data":[` + strings.Join(types, ",") + `]}`)}})
	}
	return list
}

// AwayReasons returns the away reasons, including deleted ones (api-notes).
func AwayReasons(cast *event.Cast, start int64, hours int) []jsontext.Record {
	var list []jsontext.Record
	for n, reason := range cast.AwayReasons {
		made := start - event.Span + reason.Made
		updated, deleted := made, hours >= reason.Deleted
		if deleted && reason.Deleted > 0 {
			updated = start + int64(reason.Deleted)*3600
		}
		list = append(list, jsontext.Record{{Name: "type", Value: "away_status_reason"}, {Name: "id", Value: strconv.Itoa(620 + n)}, {Name: "label", Value: reason.Label}, {Name: "emoji", Value: reason.Emoji},
			{Name: "order", Value: int64(n)}, {Name: "deleted", Value: deleted}, {Name: "created_at", Value: jsontext.Moment(made)}, {Name: "updated_at", Value: jsontext.Moment(updated)}})
	}
	return list
}
