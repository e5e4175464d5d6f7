package emulator

import (
	"html"
	"iter"
	"slices"
	"strconv"
	"strings"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/population"
)

// Oracle gives the rows that a perfect reader would hold of a stream now, computed from the log alone; nil for a stream
// it does not know. The package's documentation tells the columns.
func (w *Workspace) Oracle(stream string) []map[string]any {
	rows := w.Truth(stream)
	if rows == nil {
		return nil
	}
	list := []map[string]any{}
	for row := range rows {
		list = append(list, row)
	}
	return list
}

// Truth is Oracle row by row, for workspaces whose rows are too many to hold.
func (w *Workspace) Truth(stream string) iter.Seq[map[string]any] {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	return w.oracle().tell(stream)
}

// oracle is one that knows everything so far. The logs are only appended to, so it reads them without the lock.
func (w *Workspace) oracle() *oracle {
	return &oracle{log: slices.Clip(w.log), workspace: w.workspace, make: w.make, said: slices.Clip(w.said), conv: w.conv,
		cap: w.k().partsCap(), beside: w.beside()}
}

// tell gives the rows of a stream, nil for one that it does not know.
func (o *oracle) tell(stream string) iter.Seq[map[string]any] {
	if s := reportSet(stream); s != nil {
		return func(yield func(map[string]any) bool) { o.reportRows(s, yield) }
	}
	tell, known := oracles[stream]
	if !known {
		return nil
	}
	return func(yield func(map[string]any) bool) {
		o.replay()
		tell(o, yield)
	}
}

// oracle replays the log. It shares the log and the drawn attributes with the server, and no code that changes them.
type oracle struct {
	log       []event.ContactEvent
	workspace string
	make      *population.Contacts
	said      []event.ThreadEvent // the log of conversations
	conv      *population.Conversations
	cap       int // parts that an answer holds
	beside
	people []person
	merges map[int32]int32 // by contact: into whom, while it stands as merged
}

// person is what the log says of one contact: its birth, and what was changed since.
type person struct {
	born      *event.Contact
	changed   map[string]any // by column; nil is null
	attrs     []event.Attribute
	social    []event.SocialProfile
	tags      map[int32]bool // changed since birth: true is put on, false is taken off
	notes     map[int32]bool
	companies map[int32]bool

	subscriptions map[int32]bool

	word    string // lifecycle
	since   int64
	listed  bool
	user    bool
	updated int64
}

func (o *oracle) replay() {
	o.merges = map[int32]int32{}
	for _, e := range o.log {
		if e.Kind == event.Created {
			for int(e.Contact) >= len(o.people) {
				o.people = append(o.people, person{})
			}
			o.people[e.Contact] = person{born: e.Born, attrs: e.Born.Attrs, social: e.Born.Social, word: "active", user: e.Born.User, updated: e.Born.Updated}
		}
	}
	for i := range o.log {
		o.follow(&o.log[i])
	}
}

func (o *oracle) follow(e *event.ContactEvent) {
	p := &o.people[e.Contact]
	if word, gone := departureWords[e.Kind]; gone {
		p.word, p.since, p.listed = word, e.At, e.Kind != event.Deleted || e.Listed
		if e.Kind == event.Deleted && e.Listed {
			p.word = "pending_deletion"
		}
		delete(o.merges, e.Contact)
		if e.Kind == event.Merged {
			o.merges[e.Contact] = e.Other
			o.inherit(e, p)
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
			p.write(c)
		}
	case event.RoleChanged:
		p.user = e.User
	case event.Tagged, event.Untagged:
		mark(&p.tags, e.Other, e.Kind == event.Tagged)
	case event.Noted, event.NoteDeleted:
		mark(&p.notes, e.Other, e.Kind == event.Noted)
	case event.SubscriptionLeft, event.SubscriptionJoined:
		mark(&p.subscriptions, e.Other, e.Kind == event.SubscriptionJoined)
	case event.CompanyAttached, event.CompanyDetached:
		mark(&p.companies, e.Other, e.Kind == event.CompanyAttached)
	}
	if !e.Quiet {
		p.updated = e.At
	}
}

var departureWords = map[event.ContactKind]string{event.Archived: "archived", event.Blocked: "blocked", event.Merged: "merged",
	event.DeletionRequested: "pending_deletion", event.Erased: "permanently_deleted", event.Deleted: "deleted"}

func mark(set *map[int32]bool, n int32, on bool) {
	if *set == nil {
		*set = map[int32]bool{}
	}
	(*set)[n] = on
}

// write notes one changed column.
func (p *person) write(c event.Change) {
	if name, ok := strings.CutPrefix(c.Field, "custom_attributes."); ok {
		raw, _ := rawJSON(c.Value) // checked before it came into the log
		p.attrs = population.SetAttribute(p.attrs, name, raw)
		return
	}
	value := orNull(c.Value)
	switch {
	case c.Field == "email" && value != p.value("email"):
		p.put("email_verified", false)
	case c.Field == "email_verified" && p.value("email") == nil:
		value = false
	}
	p.put(c.Field, value)
}

func (p *person) put(column string, value any) {
	if p.changed == nil {
		p.changed = map[string]any{}
	}
	p.changed[column] = value
}

// value is what a column holds now.
func (p *person) value(column string) any {
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

// inherit gives the survivor what it lacked of the lead (workspace-api 3.2). Merges of the population are in the
// attributes of hour 0 already, and are quiet.
func (o *oracle) inherit(e *event.ContactEvent, lead *person) {
	if e.Quiet {
		return
	}
	p := &o.people[e.Other]
	mine, theirs := o.row(p), o.row(lead)
	for _, together := range inherited {
		columns := strings.Fields(together)
		if slices.ContainsFunc(columns, func(column string) bool { return mine[column] != nil }) {
			continue
		}
		for _, column := range columns {
			p.put(column, theirs[column])
		}
	}
	if len(p.social) == 0 {
		p.social = lead.social
	}
	for _, a := range lead.attrs {
		if !hasAttr(p.attrs, a.Name) {
			p.attrs = population.SetAttribute(p.attrs, a.Name, a.Raw)
		}
	}
	for _, n := range numbers(lead.born.Tags, lead.tags) {
		mark(&p.tags, n, true)
	}
	for _, n := range numbers(lead.born.Notes, lead.notes) {
		mark(&p.notes, n, true)
	}
	for _, n := range numbers(lead.born.Companies, lead.companies) {
		mark(&p.companies, n, true)
	}
	p.updated = e.At
}

// inherited are the columns that a merge fills in, those on one line together or not at all.
var inherited = []string{"email", "phone", "name", "avatar", "external_id", "language_override", "owner_id", "signed_up_at", "last_seen_at",
	"last_replied_at", "last_contacted_at", "last_email_opened_at", "last_email_clicked_at", "android_last_seen_at", "ios_last_seen_at",
	"location_country location_region location_city", "browser browser_version browser_language os",
	"android_app_name android_app_version android_device android_os_version android_sdk_version",
	"ios_app_name ios_app_version ios_device ios_os_version ios_sdk_version"}

// numbers is a list as it was at birth, with what was changed since.
func numbers(born []int32, changed map[int32]bool) []int32 {
	var list []int32
	for _, n := range born {
		if on, touched := changed[n]; on || !touched {
			list = append(list, n)
		}
	}
	for n, on := range changed {
		if on && !has32(born, n) {
			list = append(list, n)
		}
	}
	return list
}

func has32(list []int32, n int32) bool {
	for _, have := range list {
		if have == n {
			return true
		}
	}
	return false
}

// orNull makes null of an empty text and a zero number.
func orNull(v any) any {
	if v == "" || v == int64(0) {
		return nil
	}
	return v
}

func (o *oracle) deleted(yield func(map[string]any) bool) {
	for num := range o.people {
		p := &o.people[num]
		if !p.listed {
			continue
		}
		row := map[string]any{"id": p.born.ID, "role": roleName(p.user), "status": p.word, "updated_at": p.since,
			"merged_into_id": nil, "external_id": p.value("external_id"), "email": nil}
		if email, ok := p.value("email").(string); ok {
			row["email"] = html.EscapeString(email)
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

func (o *oracle) lifecycles(yield func(map[string]any) bool) {
	for num := range o.people {
		p := &o.people[num]
		row := map[string]any{"id": p.born.ID, "lifecycle": p.word, "inactive_since": orNull(p.since),
			"merged_into_id": nil, "current_contact_id": orNull(o.survivor(int32(num)))}
		if into, ok := o.merges[int32(num)]; ok {
			row["merged_into_id"] = o.people[into].born.ID
		}
		if !yield(row) {
			return
		}
	}
}

// survivor follows a chain of merges to its end; a cycle has none.
func (o *oracle) survivor(num int32) string {
	for range len(o.people) + 1 {
		into, merged := o.merges[num]
		if !merged {
			return o.people[num].born.ID
		}
		num = into
	}
	return ""
}

func (o *oracle) activities(yield func(map[string]any) bool) {
	place := 0
	for _, e := range o.log {
		kind := activityTypes[e.Kind]
		if kind == "" {
			continue
		}
		place++
		id := o.people[e.Contact].born.ID
		row := map[string]any{"id": "act_" + leftPad(strconv.Itoa(place), 12), "event_type": kind, "contact_id": id, "external_id": nil,
			"role": nil, "merge_source_id": nil, "merge_target_id": nil, "failure_reason": nil, "created_at": e.At}
		switch e.Kind {
		case event.Created:
			row["external_id"], row["role"] = orNull(e.Born.ExternalID), roleName(e.User)
		case event.RoleChanged:
			row["role"] = roleName(e.User)
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
