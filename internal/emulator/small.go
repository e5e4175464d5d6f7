package emulator

import (
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/jsontext"
)

// The small lists of a workspace: what is in them is a function of the hours lived (trap T52).

func listTeams(w *server, _ *request) answer {
	return w.records("team.list", "teams", teamRecords(w.Hours()))
}

func teamRecords(hours int) []record {
	var members []string
	for _, a := range event.Admins {
		if a.InTeams {
			members = append(members, strconv.FormatInt(a.ID, 10))
		}
	}
	var list []record
	for _, t := range event.Teams {
		ids := "[]"
		if t.Members {
			ids = "[" + strings.Join(members, ",") + "]"
		}
		if hours >= t.Hour {
			list = append(list, record{{"type", "team"}, {"id", strconv.FormatInt(t.ID, 10)}, {"name", t.Name}, {"admin_ids", rawJSONText(ids)}})
		}
	}
	return list
}

func listSubscriptionTypes(w *server, _ *request) answer {
	return w.records("list", "data", subscriptionRecords(w.Hours()))
}

func subscriptionRecords(hours int) []record {
	list := make([]record, len(event.SubscriptionTypes))
	for n := range list {
		list[n] = subscriptionType(int32(n), hours)
	}
	return list
}

// subscriptionType is one with the fields of workspace-api 2.4.
func subscriptionType(n int32, hours int) record {
	s, state := event.SubscriptionTypes[n], "live"
	switch {
	case s.Archived:
		state = "archived"
	case hours < s.Live:
		state = "draft"
	}
	text := `{"name":` + jsontext.Quote(s.Name) + `,"description":` + string(jsontext.AppendText(nil, s.Description)) + `,"locale":"en"}`
	return record{{"type", "subscription"}, {"id", strconv.FormatInt(event.SubscriptionID(n), 10)}, {"state", state}, {"default_translation", rawJSONText(text)},
		{"translations", rawJSONText("[" + text + "]")}, {"consent_type", s.Consent}}
}

// listDataAttributes is GET /data_attributes. Up to 2.16 the standard times are a date, later a datetime (workspace-api 9,
// trap T51); those that customers define as a date stay one.
func listDataAttributes(w *server, q *request) answer {
	var list []record
	began, hours := w.cfg.Start.Unix()-event.Span, w.Hours()
	for i := range event.DataAttributes {
		a, model := &event.DataAttributes[i], q.query.Get("model")
		if hours < a.Hour || model != "" && model != a.Model || hours >= a.Archived && q.query.Get("include_archived") != "true" {
			continue
		}
		list = append(list, attributeRecord(a, began, hours, q.version.later()))
	}
	return w.records("list", "data", list)
}

func attributeRecord(a *event.DataAttribute, began int64, hours int, later bool) record {
	kind, full := a.Kind, a.Name
	switch {
	case kind == "time" && later:
		kind = "datetime"
	case kind == "time":
		kind = "date"
	}
	r := record{{"type", "data_attribute"}}
	if !a.Standard {
		full = event.OwnAttribute + a.Name
		r = append(r, column{"id", a.ID}, column{"created_at", moment(began + a.Made)}, column{"updated_at", moment(began + a.Made)})
	}
	return append(r, column{"model", a.Model}, column{"name", a.Name}, column{"full_name", full}, column{"label", strings.ReplaceAll(a.Name, "_", " ")},
		column{"data_type", kind}, column{"api_writable", !a.Standard}, column{"custom", !a.Standard}, column{"archived", hours >= a.Archived})
}

func listTicketTypes(w *server, _ *request) answer {
	w.mu.Lock()
	workspace := w.workspace
	w.mu.Unlock()
	return w.records("list", "data", ticketTypes(w.cfg.Start.Unix(), workspace))
}

// ticketTypes have their attributes inside (api-notes).
func ticketTypes(start int64, workspace string) []record {
	var list []record
	for _, t := range event.TicketTypes {
		began := start - event.Span
		list = append(list, record{{"type", "ticket_type"}, {"id", t.ID}, {"name", t.Name}, {"description", t.Description}, {"icon", "🎟️"},
			{"workspace_id", workspace}, {"category", t.Category}, {"archived", t.Archived}, {"is_internal", t.Internal},
			{"created_at", moment(began + t.Made)}, {"updated_at", moment(began + t.Updated)}, {"ticket_type_attributes", rawJSONText(ticketAttributeList(t.Attributes))}})
	}
	return list
}

func listTicketStates(w *server, _ *request) answer {
	return w.records("list", "data", ticketStates())
}

func ticketStates() []record {
	var list []record
	for _, t := range event.TicketStates {
		var types []string
		for _, id := range t.Types {
			types = append(types, `{"type":"ticket_type","id":"`+id+`"}`)
		}
		list = append(list, record{{"type", "ticket_state"}, {"id", t.ID}, {"category", t.Category}, {"internal_label", t.Internal}, {"external_label", t.External},
			{"archived", t.Archived}, {"ticket_types", rawJSONText(`{"type":"list","data":[` + strings.Join(types, ",") + `]}`)}})
	}
	return list
}

func listAwayReasons(w *server, _ *request) answer {
	return w.records("list", "data", awayReasons(w.cfg.Start.Unix(), w.Hours()))
}

// awayReasons includes deleted ones (api-notes).
func awayReasons(start int64, hours int) []record {
	var list []record
	for n, reason := range event.AwayReasons {
		made := start - event.Span + reason.Made
		updated, gone := made, hours >= reason.Deleted
		if gone && reason.Deleted > 0 {
			updated = start + int64(reason.Deleted)*3600
		}
		list = append(list, record{{"type", "away_status_reason"}, {"id", strconv.Itoa(620 + n)}, {"label", reason.Label}, {"emoji", reason.Emoji},
			{"order", int64(n)}, {"deleted", gone}, {"created_at", moment(made)}, {"updated_at", moment(updated)}})
	}
	return list
}
