package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// SeedContacts makes the contacts of hour 0, visible to search at once.
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

// RecordContactEvent appends an event to the log and updates the served state. The caller holds the lock.
func (w *Book) RecordContactEvent(e event.ContactEvent) {
	w.ContactLog = append(w.ContactLog, e)
	w.applyContactEvent(len(w.ContactLog) - 1)
	if (e.Kind == event.CompanyAttached || e.Kind == event.CompanyDetached) && w.K().AttachMoves {
		w.OnAttached(e.Other, e.At)
	}
}

// applyContactEvent updates the served state by one event of the log.
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
		return // an event of the population, which has the attributes of hour 0 already
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
		w.Notes[e.Other] = event.ContactNote{Body: e.Text, At: e.At, By: w.noteAuthor(e)}
	case event.NoteDeleted:
		d.Notes = core.WithoutElement(d.Notes, e.Other)
	case event.SubscriptionLeft:
		d.LeftSubscriptions, d.JoinedSubscriptions = core.WithElement(d.LeftSubscriptions, e.Other), core.WithoutElement(d.JoinedSubscriptions, e.Other)
	case event.SubscriptionJoined:
		d.LeftSubscriptions, d.JoinedSubscriptions = core.WithoutElement(d.LeftSubscriptions, e.Other), core.WithElement(d.JoinedSubscriptions, e.Other)
	case event.CompanyAttached:
		d.Companies = core.WithElement(d.Companies, e.Other)
	case event.CompanyDetached:
		d.Companies = core.WithoutElement(d.Companies, e.Other)
	}
	switch {
	case e.Back > 0:
		d.Updated -= e.Back
	case !e.Quiet:
		d.Updated = e.At
	}
	c.Doc = &d
	if c.Status == Active {
		w.announceContact(seq, e.Contact)
	}
}

// removeFromSearch sets the status of a contact that became inactive, and removes it from search.
func (w *Book) removeFromSearch(e *event.ContactEvent, s Status, listed bool) {
	c := &w.List[e.Contact]
	c.Status, c.Listed, c.Since = s, listed, e.At
	w.InactiveStale = true
	w.ContactIndex.Withdraw(len(w.ContactLog), e.At, e.Contact)
}

// mergeIntoSurvivor gives the survivor of a merge what it lacked (workspace-api 3.2), with the lead's notes, tags and companies.
func (w *Book) mergeIntoSurvivor(seq int, e *event.ContactEvent, lead *event.Contact) {
	c := &w.List[e.Other]
	if e.Quiet {
		return // a merge of the population, which has the attributes of hour 0 already
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

// announceContact makes the newest version of a contact visible to search once the index has caught up.
func (w *Book) announceContact(seq int, num int32) {
	w.ContactIndex.Announce(seq, w.ContactLog[seq].At, num, w.List[num].Doc)
}

// ReleaseIndexed makes every version visible whose time has come.
func (w *Book) ReleaseIndexed() { w.ContactIndex.ReleaseDue(w.UnixNow()) }

// noteAuthor returns the id of the admin who wrote a note since hour 0: the one that the event names, or the first.
func (w *Book) noteAuthor(e *event.ContactEvent) int64 {
	for _, s := range e.Set {
		if id, named := s.Value.(int64); named {
			return id
		}
	}
	return w.Setup.Cast.Admins[0].ID
}
