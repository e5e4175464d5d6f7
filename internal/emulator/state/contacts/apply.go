package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// SeedContacts makes the contacts of hour 0, which search has long found.
func (w *Book) SeedContacts(events []event.ContactEvent) {
	w.ByID = make(map[string]int32, len(events))
	w.ContactIndex.Init(&w.SearchEnv, w.searchContact())
	for i := range events {
		if events[i].Kind == event.Created {
			w.List = append(w.List, StoredContact{})
		}
	}
	w.ContactLog = events
	for i := range w.ContactLog {
		w.applyContactEvent(i)
	}
	for num := range w.List {
		if c := &w.List[num]; c.Status == Active {
			c.Now = c.Doc
		}
	}
	w.ContactIndex.StartAnnouncing()
}

// RecordContactEvent appends an event to the log and makes the served state follow it. The lock is held.
func (w *Book) RecordContactEvent(e event.ContactEvent) {
	w.ContactLog = append(w.ContactLog, e)
	w.applyContactEvent(len(w.ContactLog) - 1)
	if (e.Kind == event.CompanyAttached || e.Kind == event.CompanyDetached) && w.K().AttachMoves {
		w.OnAttached(e.Other, e.At)
	}
}

// applyContactEvent makes the served state follow one event of the log.
func (w *Book) applyContactEvent(seq int) {
	e := &w.ContactLog[seq]
	if isActivity(e.Kind) {
		w.Feed = append(w.Feed, int32(seq))
	}
	if e.Kind == event.Created {
		for int(e.Contact) >= len(w.List) {
			w.List = append(w.List, StoredContact{})
		}
		w.List[e.Contact].Doc = e.Born
		w.ByID[e.Born.ID] = e.Contact
		w.announceContact(seq, e.Contact)
		return
	}
	c := &w.List[e.Contact]
	switch e.Kind {
	case event.Updated, event.RoleChanged, event.Tagged, event.Untagged, event.Noted, event.NoteDeleted, event.CompanyAttached, event.CompanyDetached, event.SubscriptionLeft, event.SubscriptionJoined:
		w.applyVersion(seq, e, c)
	case event.Merged:
		w.removeFromSearch(e, Merged, true)
		c.MergedInto = e.Other
		w.mergeIntoSurvivor(seq, e, c.Doc)
	case event.Archived:
		w.removeFromSearch(e, Archived, true)
	case event.Blocked:
		w.removeFromSearch(e, Blocked, true)
	case event.DeletionRequested:
		w.removeFromSearch(e, PendingDeletion, true)
	case event.Erased:
		w.removeFromSearch(e, PermanentlyDeleted, true)
	case event.Deleted:
		w.removeFromSearch(e, Deleted, e.Listed)
	case event.Unarchived, event.Unblocked:
		c.Status, c.Listed, c.Since = Active, false, e.At
		w.InactiveStale = true
		if !e.Quiet {
			d := *c.Doc
			d.Updated = e.At
			c.Doc = &d
		}
		w.announceContact(seq, e.Contact)
	}
}

// applyVersion makes a new version of the contact.
func (w *Book) applyVersion(seq int, e *event.ContactEvent, c *StoredContact) {
	if e.Kind == event.RoleChanged && e.Quiet && c.Doc.User == e.User {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.Doc
	switch e.Kind {
	case event.Updated:
		for _, s := range e.Set {
			_ = setField(&d, s) // checked before it came into the log
		}
	case event.RoleChanged:
		d.User = e.User
	case event.Tagged:
		d.Tags = core.WithElement(d.Tags, e.Other)
	case event.Untagged:
		d.Tags = core.WithoutElement(d.Tags, e.Other)
	case event.Noted:
		d.Notes = core.WithElement(d.Notes, e.Other)
		w.Notes[e.Other] = e.Text
	case event.NoteDeleted:
		d.Notes = core.WithoutElement(d.Notes, e.Other)
	case event.SubscriptionLeft:
		d.Left, d.Joined = core.WithElement(d.Left, e.Other), core.WithoutElement(d.Joined, e.Other)
	case event.SubscriptionJoined:
		d.Left, d.Joined = core.WithoutElement(d.Left, e.Other), core.WithElement(d.Joined, e.Other)
	case event.CompanyAttached:
		d.Companies = core.WithElement(d.Companies, e.Other)
	case event.CompanyDetached:
		d.Companies = core.WithoutElement(d.Companies, e.Other)
	}
	if !e.Quiet {
		d.Updated = e.At
	}
	c.Doc = &d
	if c.Status == Active {
		w.announceContact(seq, e.Contact)
	}
}

// removeFromSearch takes a contact out of search.
func (w *Book) removeFromSearch(e *event.ContactEvent, s Status, listed bool) {
	c := &w.List[e.Contact]
	c.Status, c.Listed, c.Since = s, listed, e.At
	w.InactiveStale = true
	w.ContactIndex.Withdraw(len(w.ContactLog), e.At, e.Contact)
}

// mergeIntoSurvivor gives the survivor of a merge what it lacked (workspace-api 3.2), and the lead's notes, tags and companies.
func (w *Book) mergeIntoSurvivor(seq int, e *event.ContactEvent, lead *event.Contact) {
	c := &w.List[e.Other]
	if e.Quiet {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.Doc
	Inherit(&d, lead)
	d.Tags, d.Notes, d.Companies = core.Union(d.Tags, lead.Tags), core.Union(d.Notes, lead.Notes), core.Union(d.Companies, lead.Companies)
	d.Updated = e.At
	c.Doc = &d
	if c.Status == Active {
		w.announceContact(seq, e.Other)
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

// announceContact lets search find the newest version of a contact once the index has caught up.
func (w *Book) announceContact(seq int, num int32) {
	w.ContactIndex.Announce(seq, w.ContactLog[seq].At, num, w.List[num].Doc)
}

// ReleaseIndexed lets everything become visible whose time has come.
func (w *Book) ReleaseIndexed() { w.ContactIndex.ReleaseDue(w.UnixNow()) }
