package oracle

import (
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
)

// activityNames are the event types of the activity feed.
var activityNames = map[event.ContactKind]string{event.Created: "contact.created", event.RoleChanged: "contact.role_updated",
	event.Merged: "contact.merged", event.MergeFailed: "contact.merge_failed", event.Deleted: "contact.deleted"}

func roleOf(user bool) string {
	return map[bool]string{true: "user", false: "lead"}[user]
}

// markup escapes e-mails as the list of inactive contacts does (api-notes).
var markup = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func deletedContacts(o *Oracle, yield func(Row) bool) {
	for num := range o.people {
		p := &o.people[num]
		if !p.listed {
			continue
		}
		row := Row{"id": p.born.ID, "role": roleOf(p.user), "status": p.word, "updated_at": p.since,
			"merged_into_id": nil, "external_id": p.columnValue("external_id"), "email": nil}
		if email, ok := p.columnValue("email").(string); ok {
			row["email"] = markup.Replace(email)
		}
		if into, ok := o.merges[int32(num)]; ok {
			row["merged_into_id"] = o.people[into].born.ID
		}
		if p.word == "permanently_deleted" {
			row["external_id"], row["email"] = nil, nil
		}
		if !yield(row) {
			return
		}
	}
}

func lifecycleRows(o *Oracle, yield func(Row) bool) {
	for num := range o.people {
		p := &o.people[num]
		row := Row{"id": p.born.ID, "lifecycle": p.word, "inactive_since": orNull(p.since),
			"merged_into_id": nil, "current_contact_id": orNull(o.findSurvivor(int32(num)))}
		if into, ok := o.merges[int32(num)]; ok {
			row["merged_into_id"] = o.people[into].born.ID
		}
		if !yield(row) {
			return
		}
	}
}

// contactDeletions has the contacts that were deleted, or whose deletion was requested. It reads their events from the last one back: only the
// end of a contact's time counts.
func contactDeletions(o *Oracle, yield func(Row) bool) {
	ended := map[int32]bool{}
	for i := range slices.Backward(o.log.Contacts) {
		e := &o.log.Contacts[i]
		how := map[event.ContactKind]string{event.Deleted: "deleted", event.DeletionRequested: "pending_deletion", event.Erased: "permanently_deleted"}[e.Kind]
		ends := how != "" || slices.Contains([]event.ContactKind{event.Archived, event.Blocked, event.Merged, event.Unarchived, event.Unblocked}, e.Kind)
		if !ends || ended[e.Contact] {
			continue
		}
		ended[e.Contact] = true
		if e.Listed && e.Kind == event.Deleted {
			how = "pending_deletion"
		}
		if how != "" && !yield(Row{"id": o.people[e.Contact].born.ID, "how": how, "deleted_at": e.At}) {
			return
		}
	}
}

// findSurvivor follows a chain of merges to its end. A cycle has no survivor.
func (o *Oracle) findSurvivor(num int32) string {
	for range len(o.people) + 1 {
		into, merged := o.merges[num]
		if !merged {
			return o.people[num].born.ID
		}
		num = into
	}
	return ""
}

func activityRows(o *Oracle, yield func(Row) bool) {
	place := 0
	for _, e := range o.log.Contacts {
		kind := activityNames[e.Kind]
		if kind == "" {
			continue
		}
		place++
		id := o.people[e.Contact].born.ID
		row := Row{"id": "act_" + leftPad(strconv.Itoa(place), 12), "event_type": kind, "contact_id": id, "external_id": nil,
			"role": nil, "merge_source_id": nil, "merge_target_id": nil, "failure_reason": nil, "created_at": e.At}
		switch e.Kind {
		case event.Created:
			row["external_id"], row["role"] = orNull(e.Born.ExternalID), roleOf(e.User)
		case event.RoleChanged:
			row["role"] = roleOf(e.User)
		case event.Merged, event.MergeFailed:
			row["merge_source_id"], row["merge_target_id"] = id, o.people[e.Other].born.ID
			row["failure_reason"] = orNull(e.Text)
		}
		if !yield(row) {
			return
		}
	}
}

func leftPad(s string, width int) string { return strings.Repeat("0", max(0, width-len(s))) + s }

// contactRows yields a row for every contact that search will return once it has caught up.
func contactRows(o *Oracle, yield func(Row) bool) {
	for num := range o.people {
		if p := &o.people[num]; p.word == "active" && !yield(o.contactRow(p)) {
			return
		}
	}
}

// contactRow returns a contact with its objects flattened.
func (o *Oracle) contactRow(p *replayedContact) Row {
	d := p.born
	row := Row{
		"id": d.ID, "workspace_id": o.terms.Workspace, "external_id": d.ExternalID, "role": roleOf(p.user), "email": d.Email,
		"email_verified": d.Verified, "phone": d.Phone, "name": d.Name, "avatar": d.Avatar, "owner_id": d.Owner,
		"unsubscribed_from_emails": d.Unsubscribed, "language_override": d.Language,
		"created_at": d.Created, "updated_at": p.updated, "signed_up_at": d.SignedUp, "last_seen_at": d.LastSeen,
		"last_replied_at": d.LastReplied, "last_contacted_at": d.LastContacted, "last_email_opened_at": d.LastOpened,
		"last_email_clicked_at": d.LastClicked, "android_last_seen_at": d.Android, "ios_last_seen_at": d.IOSSeen,
		"custom_attributes": jsonAttributes(p.attrs),
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
	for os, a := range map[string]*event.MobileApp{"android": d.AndroidApp, "ios": d.IOSApp} {
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

// emptyColumns are null unless the contact has the objects.
var emptyColumns = []string{"browser", "browser_version", "browser_language", "os", "location_country", "location_region", "location_city",
	"android_app_name", "android_app_version", "android_device", "android_os_version", "android_sdk_version",
	"ios_app_name", "ios_app_version", "ios_device", "ios_os_version", "ios_sdk_version"}

// eachActive calls f for the active contacts until f returns false.
func (o *Oracle) eachActive(f func(p *replayedContact) bool) {
	for num := range o.people {
		if p := &o.people[num]; p.word == "active" && !f(p) {
			return
		}
	}
}

func contactTags(o *Oracle, yield func(Row) bool) {
	o.eachActive(func(p *replayedContact) bool {
		return listRows(yield, p.born.ID, "tag_id", "/tags/", currentNumbers(p.born.Tags, p.tags), func(n int32) string { return idText(event.TagID(n)) })
	})
}

func contactNotes(o *Oracle, yield func(Row) bool) {
	o.eachActive(func(p *replayedContact) bool {
		return listRows(yield, p.born.ID, "note_id", "/notes/", currentNumbers(p.born.Notes, p.notes), func(n int32) string { return idText(event.NoteID(n)) })
	})
}

// noteTexts yields the notes of active contacts. Those of the population were written when the contact was created for which they were drawn.
func noteTexts(o *Oracle, yield func(Row) bool) {
	written := map[int32]*event.ContactEvent{}
	for i := range o.log.Contacts {
		if e := &o.log.Contacts[i]; e.Kind == event.Noted {
			written[e.Other] = e
		}
	}
	o.eachActive(func(p *replayedContact) bool {
		for _, n := range currentNumbers(p.born.Notes, p.notes) {
			row := Row{"contact_id": p.born.ID, "note_id": idText(event.NoteID(n))}
			if e := written[n]; e != nil {
				row["body"], row["created_at"], row["author_id"] = e.Text, e.At, idText(o.log.Cast.Admins[0].ID)
				if len(e.Set) == 1 {
					row["author_id"] = idText(e.Set[0].Value.(int64))
				}
			} else {
				by := o.log.Cast.Admins[n%int32(len(o.log.Cast.Admins))]
				row["body"], row["created_at"], row["author_id"] = o.log.Facts.Note(n), o.people[n>>5].born.Created, idText(by.ID)
			}
			if !yield(row) {
				return false
			}
		}
		return true
	})
}

func contactCompanies(o *Oracle, yield func(Row) bool) {
	o.eachActive(func(p *replayedContact) bool {
		return listRows(yield, p.born.ID, "company_id", "", currentNumbers(p.born.Companies, p.companies), o.log.Facts.CompanyID)
	})
}

func contactSubscriptions(o *Oracle, yield func(Row) bool) {
	o.eachActive(func(p *replayedContact) bool {
		return listRows(yield, p.born.ID, "subscription_id", "", currentNumbers(o.log.Facts.Subscriptions(p.born), p.subscriptions), func(n int32) string {
			return idText(event.SubscriptionID(n))
		})
	})
}

// listRows yields the rows of a contact's list: the ids, and with address as prefix the addresses.
func listRows(yield func(Row) bool, contact, column, address string, list []int32, id func(n int32) string) bool {
	for _, n := range list {
		row := Row{"contact_id": contact, column: id(n)}
		if address != "" {
			row["url"] = address + id(n)
		}
		if !yield(row) {
			return false
		}
	}
	return true
}

func socialProfiles(o *Oracle, yield func(Row) bool) {
	o.eachActive(func(p *replayedContact) bool {
		for i, s := range p.social {
			if !yield(Row{"contact_id": p.born.ID, "position": int64(i), "name": s.Name, "url": s.URL}) {
				return false
			}
		}
		return true
	})
}
