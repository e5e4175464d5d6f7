package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

func (o *oracle) tagRows(yield func(map[string]any) bool) {
	for n := range int32(tagCount) {
		if !yield(map[string]any{"id": strconv.FormatInt(event.TagID(n), 10), "name": tagName(n)}) {
			return
		}
	}
}

func (o *oracle) adminRows(yield func(map[string]any) bool) {
	listed := event.Admins
	if o.knobs.FormerAdmins {
		listed = event.Everyone
	}
	for n, a := range listed {
		row := map[string]any{"id": strconv.FormatInt(a.ID, 10), "name": a.Name, "email": a.Email, "away_mode_enabled": false,
			"has_inbox_seat": true, "team_ids": "[]"}
		if n%2 == 0 {
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
	for _, a := range attributes(o.start, o.hours) {
		row := attributeRecord(&a, true).row()
		if a.isStandard {
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
	counts := [segmentCount]int64{}
	o.each(func(p *person) bool {
		for n, in := range o.belongs(p) {
			if in {
				counts[n]++
			}
		}
		return true
	})
	for n := range int32(segmentCount) {
		made := o.start - span + int64(n)*40*event.Day
		if !yield(map[string]any{"id": strconv.FormatInt(event.SegmentID(n), 10), "name": segmentNames[n], "created_at": made, "updated_at": made + 20*event.Day,
			"person_type": "contact", "count": counts[n]}) {
			return
		}
	}
	members := map[any]int64{}
	o.firmSegments(func(row map[string]any) bool { members[row["segment_id"]]++; return true })
	for n := range int32(len(firmSegmentNames)) {
		id, made := strconv.FormatInt(event.CompanySegmentID(n), 10), firmSegmentMade(o.start, n)
		if !yield(map[string]any{"id": id, "name": firmSegmentNames[n], "created_at": made, "updated_at": made, "person_type": "company",
			"count": members[id]}) {
			return
		}
	}
}

// belongs says which segments a contact is in, by their numbers.
func (o *oracle) belongs(p *person) [segmentCount]bool {
	row := o.row(p)
	tags, companies := len(numbers(p.born.Tags, p.tags)), len(numbers(p.born.Companies, p.companies))
	country := row["location_country"]
	return [segmentCount]bool{p.user, !p.user, row["last_seen_at"] != nil, row["signed_up_at"] == nil, row["last_replied_at"] == nil, tags > 3,
		country == "Germany" || country == "France", false, row["android_app_name"] != nil || row["ios_app_name"] != nil,
		companies > 0, row["email"] == nil, tags > 0}
}
