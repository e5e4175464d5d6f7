package oracle

import (
	"strings"

	"aqueduck/internal/emulator/event"
)

func tagRows(o *Oracle, yield func(Row) bool) {
	for n := range int32(o.log.Cast.TagCount) {
		if !yield(Row{"id": idText(event.TagID(n)), "name": o.log.Cast.TagName(n)}) {
			return
		}
	}
}

func adminRows(o *Oracle, yield func(Row) bool) {
	listed := o.log.Cast.Admins
	if o.terms.FormerAdmins {
		listed = o.log.Cast.Everyone
	}
	for _, a := range listed {
		var teams []string
		for _, t := range o.log.Cast.Teams {
			if t.Has(a) {
				teams = append(teams, jsonNumber(t.ID))
			}
		}
		if !yield(Row{"id": idText(a.ID), "name": a.Name, "email": a.Email, "away_mode_enabled": false, "away_mode_reassign": false, "has_inbox_seat": true, "team_ids": jsonArray(teams)}) {
			return
		}
	}
}

func teamRows(o *Oracle, yield func(Row) bool) {
	for _, t := range o.log.Cast.Teams {
		var members []string
		for _, a := range o.log.Cast.Admins {
			if t.Has(a) {
				members = append(members, jsonNumber(a.ID))
			}
		}
		if t.Hour <= o.terms.Hours && !yield(Row{"id": idText(t.ID), "name": t.Name, "admin_ids": jsonArray(members)}) {
			return
		}
	}
}

func subscriptionRows(o *Oracle, yield func(Row) bool) {
	for n, s := range o.log.Cast.SubscriptionTypes {
		state := "archived"
		if !s.Archived {
			state = map[bool]string{true: "live", false: "draft"}[o.terms.Hours >= s.Live]
		}
		words := jsonObject("name", jsonText(s.Name), "description", textOrNull(s.Description), "locale", jsonText("en"))
		if !yield(Row{"id": idText(event.SubscriptionID(int32(n))), "state": state, "consent_type": s.Consent, "default_translation": words,
			"translations": jsonArray([]string{words})}) {
			return
		}
	}
}

// attributeRows yields the attributes in the form of the later version, including archived ones. Standard attributes have no id.
func attributeRows(o *Oracle, yield func(Row) bool) {
	for _, a := range o.log.Cast.DataAttributes {
		row := Row{"id": nil, "created_at": nil, "updated_at": nil, "model": a.Model, "name": orNull(a.Name), "full_name": a.Name,
			"label": strings.Join(strings.Split(a.Name, "_"), " "), "data_type": a.Kind, "api_writable": !a.Standard, "custom": !a.Standard,
			"archived": o.terms.Hours >= a.Archived}
		if a.Kind == "time" {
			row["data_type"] = "datetime"
		}
		if !a.Standard {
			row["id"], row["full_name"] = idText(a.ID), "custom_attributes."+a.Name
			row["created_at"], row["updated_at"] = o.began+a.Made, o.began+a.Made
		}
		if a.Hour <= o.terms.Hours && !yield(row) {
			return
		}
	}
}

func ticketTypeRows(o *Oracle, yield func(Row) bool) {
	for _, t := range o.log.Cast.TicketTypes {
		var list []string
		for place, a := range t.Attributes {
			list = append(list, jsonObject("type", jsonText("ticket_type_attribute"), "id", jsonText(a.ID), "name", jsonText(a.Name), "data_type", jsonText(a.Kind),
				"order", jsonNumber(int64(place)), "required_to_create", jsonBool(a.Required), "input_options", inputOptions(a), "archived", "false"))
		}
		if !yield(Row{"id": t.ID, "name": t.Name, "description": orNull(t.Description), "icon": "🎟️", "workspace_id": o.terms.Workspace, "category": t.Category,
			"archived": t.Archived, "is_internal": t.Internal, "created_at": o.began + t.Made, "updated_at": o.began + t.Updated,
			"ticket_type_attributes": jsonObject("type", jsonText("list"), "data", jsonArray(list))}) {
			return
		}
	}
}

// inputOptions returns the input options of a ticket's attribute.
func inputOptions(a event.TicketAttribute) string {
	switch a.Kind {
	case "string":
		return jsonObject("multiline", "false")
	case "list":
		var items []string
		for _, item := range a.Items {
			items = append(items, jsonText(item))
		}
		return jsonObject("list_items", jsonArray(items))
	}
	return jsonObject()
}

func ticketStateRows(o *Oracle, yield func(Row) bool) {
	for _, s := range o.log.Cast.TicketStates {
		var types []string
		for _, t := range s.Types {
			types = append(types, jsonObject("type", jsonText("ticket_type"), "id", jsonText(t)))
		}
		if !yield(Row{"id": s.ID, "category": s.Category, "internal_label": s.Internal, "external_label": s.External, "archived": s.Archived,
			"ticket_types": jsonObject("type", jsonText("list"), "data", jsonArray(types))}) {
			return
		}
	}
}

func awayReasonRows(o *Oracle, yield func(Row) bool) {
	for n, r := range o.log.Cast.AwayReasons {
		row := Row{"id": idText(620 + int64(n)), "label": r.Label, "emoji": orNull(r.Emoji), "order": int64(n), "deleted": false,
			"created_at": o.began + r.Made, "updated_at": o.began + r.Made}
		if o.terms.Hours >= r.Deleted {
			row["deleted"] = true
			if r.Deleted != 0 {
				row["updated_at"] = o.log.Start + 3600*int64(r.Deleted)
			}
		}
		if !yield(row) {
			return
		}
	}
}

// segmentRows yields the segments of contacts and of companies, with the number of their members.
func segmentRows(o *Oracle, yield func(Row) bool) {
	counts := make([]int64, len(o.log.Cast.Segments))
	o.eachActive(func(p *replayedContact) bool {
		for n, in := range o.segmentMembership(p) {
			if in {
				counts[n]++
			}
		}
		return true
	})
	for n, s := range o.log.Cast.Segments {
		if !yield(Row{"id": idText(event.SegmentID(int32(n))), "name": s.Name, "created_at": o.began + s.Made, "updated_at": o.began + s.Updated,
			"person_type": "contact", "count": counts[n]}) {
			return
		}
	}
	members := map[any]int64{}
	companySegments(o, func(row Row) bool { members[row["segment_id"]]++; return true })
	for n, s := range o.log.Cast.CompanySegments {
		id := idText(event.CompanySegmentID(int32(n)))
		if !yield(Row{"id": id, "name": s.Name, "created_at": o.began + s.Made, "updated_at": o.began + s.Updated, "person_type": "company", "count": members[id]}) {
			return
		}
	}
}

// segmentMembership reports for each segment, by its number, whether a contact is in it.
func (o *Oracle) segmentMembership(p *replayedContact) []bool {
	row := o.contactRow(p)
	tags, companies := len(currentNumbers(p.born.Tags, p.tags)), len(currentNumbers(p.born.Companies, p.companies))
	country := row["location_country"]
	return []bool{p.user, !p.user, row["last_seen_at"] != nil, row["signed_up_at"] == nil, row["last_replied_at"] == nil, tags > 3,
		country == "Germany" || country == "France", false, row["android_app_name"] != nil || row["ios_app_name"] != nil,
		companies > 0, row["email"] == nil, tags > 0}
}

func jsonBool(yes bool) string { return map[bool]string{true: "true", false: "false"}[yes] }
