package emulator

import (
	"strconv"

	"aqueduck/internal/emulator/event"
)

// contacts gives a row for every contact that search will return once it has caught up.
func (o *oracle) contacts(yield func(map[string]any) bool) {
	for num := range o.people {
		if p := &o.people[num]; p.word == "active" && !yield(o.row(p)) {
			return
		}
	}
}

// row is a contact with its objects flattened.
func (o *oracle) row(p *person) map[string]any {
	d := p.born
	row := map[string]any{
		"id": d.ID, "workspace_id": o.workspace, "external_id": d.ExternalID, "role": roleName(p.user), "email": d.Email,
		"email_verified": d.Verified, "phone": d.Phone, "name": d.Name, "avatar": d.Avatar, "owner_id": d.Owner,
		"unsubscribed_from_emails": d.Unsubscribed, "language_override": d.Language,
		"created_at": d.Created, "updated_at": p.updated, "signed_up_at": d.SignedUp, "last_seen_at": d.LastSeen,
		"last_replied_at": d.LastReplied, "last_contacted_at": d.LastContacted, "last_email_opened_at": d.LastOpened,
		"last_email_clicked_at": d.LastClicked, "android_last_seen_at": d.Android, "ios_last_seen_at": d.IOSSeen,
		"custom_attributes": string((&renderer{}).attrs(nil, &event.Contact{Attrs: p.attrs})[len(`,"custom_attributes":`):]),
	}
	for _, column := range emptyColumns {
		row[column] = nil
	}
	if b := d.Browser; b != nil {
		row["browser"], row["browser_version"], row["browser_language"], row["os"] = b.Name, b.Version, b.Language, b.OS
	}
	if at := d.Place; at != nil {
		row["location_country"], row["location_region"], row["location_city"] = at.Country, at.Region, at.City
	}
	for os, a := range map[string]*event.App{"android": d.AndroidApp, "ios": d.IOSApp} {
		if a != nil {
			row[os+"_app_name"], row[os+"_app_version"], row[os+"_device"] = a.Name, a.Version, a.Device
			row[os+"_os_version"], row[os+"_sdk_version"] = a.OS, a.SDK
		}
	}
	for column, value := range p.changed {
		row[column] = value
	}
	for column, value := range row {
		row[column] = orNull(value)
	}
	return row
}

// emptyColumns are null unless the contact's objects say otherwise.
var emptyColumns = []string{"browser", "browser_version", "browser_language", "os", "location_country", "location_region", "location_city",
	"android_app_name", "android_app_version", "android_device", "android_os_version", "android_sdk_version",
	"ios_app_name", "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version"}

// each calls f for the active contacts until it has enough.
func (o *oracle) each(f func(p *person) bool) {
	for num := range o.people {
		if p := &o.people[num]; p.word == "active" && !f(p) {
			return
		}
	}
}

func (o *oracle) tags(yield func(map[string]any) bool) {
	o.each(func(p *person) bool {
		return items(yield, p.born.ID, "tag_id", numbers(p.born.Tags, p.tags), func(n int32) string { return strconv.FormatInt(event.TagID(n), 10) })
	})
}

func (o *oracle) noteRows(yield func(map[string]any) bool) {
	o.each(func(p *person) bool {
		return items(yield, p.born.ID, "note_id", numbers(p.born.Notes, p.notes), func(n int32) string { return strconv.FormatInt(event.NoteID(n), 10) })
	})
}

func (o *oracle) companies(yield func(map[string]any) bool) {
	o.each(func(p *person) bool {
		return items(yield, p.born.ID, "company_id", numbers(p.born.Companies, p.companies), func(n int32) string { return string(o.make.AppendCompanyID(nil, n)) })
	})
}

func (o *oracle) subscriptions(yield func(map[string]any) bool) {
	o.each(func(p *person) bool {
		return items(yield, p.born.ID, "subscription_id", numbers(o.make.Subscriptions(p.born), p.subscriptions), func(n int32) string {
			return strconv.FormatInt(event.SubscriptionID(n), 10)
		})
	})
}

func items(yield func(map[string]any) bool, contact, column string, list []int32, id func(n int32) string) bool {
	for _, n := range list {
		if !yield(map[string]any{"contact_id": contact, column: id(n)}) {
			return false
		}
	}
	return true
}

func (o *oracle) socials(yield func(map[string]any) bool) {
	o.each(func(p *person) bool {
		for i, s := range p.social {
			if !yield(map[string]any{"contact_id": p.born.ID, "position": int64(i), "name": s.Name, "url": s.URL}) {
				return false
			}
		}
		return true
	})
}
