package oracle

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// replayedContact is the state of one contact after a replay of the log.
type replayedContact struct {
	born      *event.Contact
	changed   map[string]any // by column; nil is null
	attrs     []event.Attribute
	social    []event.SocialProfile
	tags      map[int32]bool // changed since its creation: true is added, false is removed
	notes     map[int32]bool
	companies map[int32]bool

	subscriptions map[int32]bool

	word    string // lifecycle
	since   int64
	listed  bool
	user    bool
	updated int64
}

// replayContacts replays the log of contacts from its beginning, once.
func (o *Oracle) replayContacts() {
	if o.merges != nil {
		return
	}
	o.merges = map[int32]int32{}
	for _, e := range o.log.Contacts {
		if e.Kind == event.Created {
			for int(e.Contact) >= len(o.people) {
				o.people = append(o.people, replayedContact{})
			}
			o.people[e.Contact] = replayedContact{born: e.Born, attrs: e.Born.Attrs, social: e.Born.Social, word: "active", user: e.Born.User, updated: e.Born.Updated}
		}
	}
	for i := range o.log.Contacts {
		o.applyContactEvent(&o.log.Contacts[i])
	}
}

func (o *Oracle) applyContactEvent(e *event.ContactEvent) {
	p := &o.people[e.Contact]
	if word, gone := departureWords[e.Kind]; gone {
		p.word, p.since, p.listed = word, e.At, e.Kind != event.Deleted || e.Listed
		if e.Kind == event.Deleted && e.Listed {
			p.word = "pending_deletion"
		}
		delete(o.merges, e.Contact)
		if e.Kind == event.Merged {
			o.merges[e.Contact] = e.Other
			o.mergeIntoSurvivor(e, p)
		}
		return
	}
	switch e.Kind {
	case event.Created, event.MergeFailed:
		return
	case event.Unarchived, event.Unblocked:
		p.word, p.since, p.listed = "active", 0, false
		delete(o.merges, e.Contact)
	case event.Updated:
		for _, c := range e.Set {
			p.applyChange(c)
		}
	case event.RoleChanged:
		p.user = e.User
	case event.Tagged, event.Untagged:
		setMembership(&p.tags, e.Other, e.Kind == event.Tagged)
	case event.Noted, event.NoteDeleted:
		setMembership(&p.notes, e.Other, e.Kind == event.Noted)
	case event.SubscriptionLeft, event.SubscriptionJoined:
		setMembership(&p.subscriptions, e.Other, e.Kind == event.SubscriptionJoined)
	case event.CompanyAttached, event.CompanyDetached:
		setMembership(&p.companies, e.Other, e.Kind == event.CompanyAttached)
	}
	switch {
	case e.Back > 0:
		p.updated -= e.Back
	case !e.Quiet:
		p.updated = e.At
	}
}

var departureWords = map[event.ContactKind]string{event.Archived: "archived", event.Blocked: "blocked", event.Merged: "merged",
	event.DeletionRequested: "pending_deletion", event.Erased: "permanently_deleted", event.Deleted: "deleted"}

// setMembership notes that an item was added or removed.
func setMembership(set *map[int32]bool, n int32, on bool) {
	if *set == nil {
		*set = map[int32]bool{}
	}
	(*set)[n] = on
}

// applyChange notes a changed column.
func (p *replayedContact) applyChange(c event.FieldChange) {
	if name, ok := strings.CutPrefix(c.Field, "custom_attributes."); ok {
		p.attrs = setAttribute(p.attrs, name, valueText(c.Value))
		return
	}
	value := orNull(c.Value)
	switch {
	case c.Field == "email" && value != p.columnValue("email"):
		p.setColumn("email_verified", false)
	case c.Field == "email_verified" && p.columnValue("email") == nil:
		value = false
	}
	p.setColumn(c.Field, value)
}

func (p *replayedContact) setColumn(column string, value any) {
	if p.changed == nil {
		p.changed = map[string]any{}
	}
	p.changed[column] = value
}

// columnValue returns the current value of a column.
func (p *replayedContact) columnValue(column string) any {
	if v, ok := p.changed[column]; ok {
		return v
	}
	switch column {
	case "email":
		return orNull(p.born.Email)
	case "phone":
		return orNull(p.born.Phone)
	case "name":
		return orNull(p.born.Name)
	case "avatar":
		return orNull(p.born.Avatar)
	case "external_id":
		return orNull(p.born.ExternalID)
	}
	return nil
}

// mergeIntoSurvivor fills in what the survivor lacked from the lead (workspace-api 3.2). Merges of the population are quiet: the attributes of
// hour 0 include them already.
func (o *Oracle) mergeIntoSurvivor(e *event.ContactEvent, lead *replayedContact) {
	if e.Quiet {
		return
	}
	p := &o.people[e.Other]
	mine, theirs := o.contactRow(p), o.contactRow(lead)
	for _, together := range inherited {
		columns := strings.Fields(together)
		if slices.ContainsFunc(columns, func(column string) bool { return mine[column] != nil }) {
			continue
		}
		for _, column := range columns {
			p.setColumn(column, theirs[column])
		}
	}
	if len(p.social) == 0 {
		p.social = lead.social
	}
	for _, a := range lead.attrs {
		if !slices.ContainsFunc(p.attrs, func(mine event.Attribute) bool { return mine.Name == a.Name }) {
			p.attrs = setAttribute(p.attrs, a.Name, a.Raw)
		}
	}
	for _, n := range currentNumbers(lead.born.Tags, lead.tags) {
		setMembership(&p.tags, n, true)
	}
	for _, n := range currentNumbers(lead.born.Notes, lead.notes) {
		setMembership(&p.notes, n, true)
	}
	for _, n := range currentNumbers(lead.born.Companies, lead.companies) {
		setMembership(&p.companies, n, true)
	}
	p.updated = e.At
}

// inherited are the columns that a merge fills in. The columns of one entry are filled in together or not at all.
var inherited = []string{"email", "phone", "name", "avatar", "external_id", "language_override", "owner_id", "signed_up_at", "last_seen_at",
	"last_replied_at", "last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "android_last_seen_at", "ios_last_seen_at",
	"location_country location_region location_city", "browser browser_version browser_language os",
	"android_app_name android_app_version android_device android_os_version android_sdk_version",
	"ios_app_name ios_app_version ios_device ios_os_version ios_sdk_version"}

// currentNumbers returns a list with the changes since the contact's creation.
func currentNumbers(born []int32, changed map[int32]bool) []int32 {
	var list []int32
	for _, n := range born {
		if on, touched := changed[n]; on || !touched {
			list = append(list, n)
		}
	}
	for n, on := range changed {
		if on && !containsInt32(born, n) {
			list = append(list, n)
		}
	}
	return list
}

func containsInt32(list []int32, n int32) bool {
	for _, have := range list {
		if have == n {
			return true
		}
	}
	return false
}
