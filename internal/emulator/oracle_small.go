package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

func (o *oracle) tagRows(yield func(map[string]any) bool) {
	for n := range int32(event.TagCount) {
		if !yield(map[string]any{"id": strconv.FormatInt(event.TagID(n), 10), "name": event.TagName(n)}) {
			return
		}
	}
}

func (o *oracle) adminRows(yield func(map[string]any) bool) {
	listed := event.Admins
	if o.knobs.FormerAdmins {
		listed = event.Everyone
	}
	for _, a := range listed {
		row := map[string]any{"id": strconv.FormatInt(a.ID, 10), "name": a.Name, "email": a.Email, "away_mode_enabled": false,
			"has_inbox_seat": true, "team_ids": "[]"}
		if a.InTeams {
			row["team_ids"] = "[814865,814866]"
		}
		if !yield(row) {
			return
		}
	}
}

func (o *oracle) teamRows(yield func(map[string]any) bool) { rows(yield, teamRecords(o.hours)) }

func (o *oracle) subscriptionRows(yield func(map[string]any) bool) {
	rows(yield, subscriptionRecords(o.hours))
}

// attributeRows gives the attributes as the later version tells them, archived ones too. Standard ones have no id.
func (o *oracle) attributeRows(yield func(map[string]any) bool) {
	for i := range event.DataAttributes {
		a := &event.DataAttributes[i]
		if o.hours < a.Hour {
			continue
		}
		row := attributeRecord(a, o.start-event.Span, o.hours, true).row()
		if a.Standard {
			row["id"], row["created_at"], row["updated_at"] = nil, nil, nil
		}
		if !yield(row) {
			return
		}
	}
}

func (o *oracle) ticketTypeRows(yield func(map[string]any) bool) {
	rows(yield, ticketTypes(o.start, o.workspace))
}

func (o *oracle) ticketStateRows(yield func(map[string]any) bool) { rows(yield, ticketStates()) }

func (o *oracle) awayRows(yield func(map[string]any) bool) {
	rows(yield, awayReasons(o.start, o.hours))
}

// segments gives those of contacts and of companies, with the number of their members.
func (o *oracle) segments(yield func(map[string]any) bool) {
	counts := make([]int64, len(event.Segments))
	o.each(func(p *person) bool {
		for n, in := range o.belongs(p) {
			if in {
				counts[n]++
			}
		}
		return true
	})
	for n := range int32(len(event.Segments)) {
		s, began := event.Segments[n], o.start-event.Span
		if !yield(map[string]any{"id": strconv.FormatInt(event.SegmentID(n), 10), "name": s.Name, "created_at": began + s.Made, "updated_at": began + s.Updated,
			"person_type": "contact", "count": counts[n]}) {
			return
		}
	}
	members := map[any]int64{}
	o.firmSegments(func(row map[string]any) bool { members[row["segment_id"]]++; return true })
	for n := range int32(len(event.CompanySegments)) {
		id, made := strconv.FormatInt(event.CompanySegmentID(n), 10), o.start-event.Span+event.CompanySegments[n].Made
		if !yield(map[string]any{"id": id, "name": event.CompanySegments[n].Name, "created_at": made, "updated_at": made, "person_type": "company",
			"count": members[id]}) {
			return
		}
	}
}

// belongs says which segments a contact is in, by their numbers.
func (o *oracle) belongs(p *person) []bool {
	row := o.row(p)
	tags, companies := len(numbers(p.born.Tags, p.tags)), len(numbers(p.born.Companies, p.companies))
	country := row["location_country"]
	return []bool{p.user, !p.user, row["last_seen_at"] != nil, row["signed_up_at"] == nil, row["last_replied_at"] == nil, tags > 3,
		country == "Germany" || country == "France", false, row["android_app_name"] != nil || row["ios_app_name"] != nil,
		companies > 0, row["email"] == nil, tags > 0}
}
