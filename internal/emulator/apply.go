package emulator

import "aqueduck/internal/emulator/event"

// beginContacts makes the contacts of hour 0, which search has long found.
func (w *contactBook) beginContacts(events []event.ContactEvent) {
	w.byID = make(map[string]int32, len(events))
	w.idx.Init(&w.env, w.searchContact())
	for i := range events {
		if events[i].Kind == event.Created {
			w.contacts = append(w.contacts, contact{})
		}
	}
	w.events = events
	for i := range w.events {
		w.apply(i)
	}
	for num := range w.contacts {
		if c := &w.contacts[num]; c.status == active {
			c.Now = c.doc
		}
	}
	w.idx.Open()
}

// record appends an event to the log and makes the served state follow it. The lock is held.
func (w *contactBook) record(e event.ContactEvent) {
	w.events = append(w.events, e)
	w.apply(len(w.events) - 1)
	if (e.Kind == event.CompanyAttached || e.Kind == event.CompanyDetached) && w.k().AttachMoves {
		w.attached(e.Other, e.At)
	}
}

// apply makes the served state follow one event of the log.
func (w *contactBook) apply(seq int) {
	e := &w.events[seq]
	if isActivity(e.Kind) {
		w.feed = append(w.feed, int32(seq))
	}
	if e.Kind == event.Created {
		for int(e.Contact) >= len(w.contacts) {
			w.contacts = append(w.contacts, contact{})
		}
		w.contacts[e.Contact].doc = e.Born
		w.byID[e.Born.ID] = e.Contact
		w.announce(seq, e.Contact)
		return
	}
	c := &w.contacts[e.Contact]
	switch e.Kind {
	case event.Updated, event.RoleChanged, event.Tagged, event.Untagged, event.Noted, event.NoteDeleted, event.CompanyAttached, event.CompanyDetached, event.SubscriptionLeft, event.SubscriptionJoined:
		w.change(seq, e, c)
	case event.Merged:
		w.leave(e, merged, true)
		c.into = e.Other
		w.absorb(seq, e, c.doc)
	case event.Archived:
		w.leave(e, archived, true)
	case event.Blocked:
		w.leave(e, blocked, true)
	case event.DeletionRequested:
		w.leave(e, pendingDeletion, true)
	case event.Erased:
		w.leave(e, permanentlyDeleted, true)
	case event.Deleted:
		w.leave(e, deleted, e.Listed)
	case event.Unarchived, event.Unblocked:
		c.status, c.listed, c.since = active, false, e.At
		w.stale = true
		if !e.Quiet {
			d := *c.doc
			d.Updated = e.At
			c.doc = &d
		}
		w.announce(seq, e.Contact)
	}
}

// change makes a new version of the contact.
func (w *contactBook) change(seq int, e *event.ContactEvent, c *contact) {
	if e.Kind == event.RoleChanged && e.Quiet && c.doc.User == e.User {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.doc
	switch e.Kind {
	case event.Updated:
		for _, s := range e.Set {
			_ = setField(&d, s) // checked before it came into the log
		}
	case event.RoleChanged:
		d.User = e.User
	case event.Tagged:
		d.Tags = with(d.Tags, e.Other)
	case event.Untagged:
		d.Tags = without(d.Tags, e.Other)
	case event.Noted:
		d.Notes = with(d.Notes, e.Other)
		w.notes[e.Other] = e.Text
	case event.NoteDeleted:
		d.Notes = without(d.Notes, e.Other)
	case event.SubscriptionLeft:
		d.Left, d.Joined = with(d.Left, e.Other), without(d.Joined, e.Other)
	case event.SubscriptionJoined:
		d.Left, d.Joined = without(d.Left, e.Other), with(d.Joined, e.Other)
	case event.CompanyAttached:
		d.Companies = with(d.Companies, e.Other)
	case event.CompanyDetached:
		d.Companies = without(d.Companies, e.Other)
	}
	if !e.Quiet {
		d.Updated = e.At
	}
	c.doc = &d
	if c.status == active {
		w.announce(seq, e.Contact)
	}
}

// leave takes a contact out of search.
func (w *contactBook) leave(e *event.ContactEvent, s status, listed bool) {
	c := &w.contacts[e.Contact]
	c.status, c.listed, c.since = s, listed, e.At
	w.stale = true
	w.idx.Withdraw(len(w.events), e.At, e.Contact)
}

// absorb gives the survivor of a merge what it lacked (workspace-api 3.2), and the lead's notes, tags and companies.
func (w *contactBook) absorb(seq int, e *event.ContactEvent, lead *event.Contact) {
	c := &w.contacts[e.Other]
	if e.Quiet {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.doc
	inheritFrom(&d, lead)
	d.Tags, d.Notes, d.Companies = union(d.Tags, lead.Tags), union(d.Notes, lead.Notes), union(d.Companies, lead.Companies)
	d.Updated = e.At
	c.doc = &d
	if c.status == active {
		w.announce(seq, e.Other)
	}
}

func hasAttr(attrs []event.Attribute, name string) bool {
	for _, a := range attrs {
		if a.Name == name {
			return true
		}
	}
	return false
}

func union(a, b []int32) []int32 {
	for _, n := range b {
		a = with(a, n)
	}
	return a
}

// announce lets search find the newest version of a contact once the index has caught up.
func (w *contactBook) announce(seq int, num int32) {
	w.idx.Announce(seq, w.events[seq].At, num, w.contacts[num].doc)
}

// settle lets everything become visible whose time has come.
func (w *contactBook) settle() { w.idx.Settle(w.now()) }
