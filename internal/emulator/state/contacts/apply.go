package contacts

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// Begin makes the contacts of hour 0, which search has long found.
func (w *Book) Begin(events []event.ContactEvent) {
	w.ByID = make(map[string]int32, len(events))
	w.ContactIndex.Init(&w.SearchEnv, w.searchContact())
	for i := range events {
		if events[i].Kind == event.Created {
			w.List = append(w.List, Contact{})
		}
	}
	w.ContactLog = events
	for i := range w.ContactLog {
		w.apply(i)
	}
	for num := range w.List {
		if c := &w.List[num]; c.Status == Active {
			c.Now = c.Doc
		}
	}
	w.ContactIndex.Open()
}

// Record appends an event to the log and makes the served state follow it. The lock is held.
func (w *Book) Record(e event.ContactEvent) {
	w.ContactLog = append(w.ContactLog, e)
	w.apply(len(w.ContactLog) - 1)
	if (e.Kind == event.CompanyAttached || e.Kind == event.CompanyDetached) && w.K().AttachMoves {
		w.OnAttached(e.Other, e.At)
	}
}

// apply makes the served state follow one event of the log.
func (w *Book) apply(seq int) {
	e := &w.ContactLog[seq]
	if isActivity(e.Kind) {
		w.Feed = append(w.Feed, int32(seq))
	}
	if e.Kind == event.Created {
		for int(e.Contact) >= len(w.List) {
			w.List = append(w.List, Contact{})
		}
		w.List[e.Contact].Doc = e.Born
		w.ByID[e.Born.ID] = e.Contact
		w.announce(seq, e.Contact)
		return
	}
	c := &w.List[e.Contact]
	switch e.Kind {
	case event.Updated, event.RoleChanged, event.Tagged, event.Untagged, event.Noted, event.NoteDeleted, event.CompanyAttached, event.CompanyDetached, event.SubscriptionLeft, event.SubscriptionJoined:
		w.change(seq, e, c)
	case event.Merged:
		w.leave(e, Merged, true)
		c.MergedInto = e.Other
		w.absorb(seq, e, c.Doc)
	case event.Archived:
		w.leave(e, Archived, true)
	case event.Blocked:
		w.leave(e, Blocked, true)
	case event.DeletionRequested:
		w.leave(e, PendingDeletion, true)
	case event.Erased:
		w.leave(e, PermanentlyDeleted, true)
	case event.Deleted:
		w.leave(e, Deleted, e.Listed)
	case event.Unarchived, event.Unblocked:
		c.Status, c.Listed, c.Since = Active, false, e.At
		w.InactiveStale = true
		if !e.Quiet {
			d := *c.Doc
			d.Updated = e.At
			c.Doc = &d
		}
		w.announce(seq, e.Contact)
	}
}

// change makes a new version of the contact.
func (w *Book) change(seq int, e *event.ContactEvent, c *Contact) {
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
		d.Tags = core.With(d.Tags, e.Other)
	case event.Untagged:
		d.Tags = core.Without(d.Tags, e.Other)
	case event.Noted:
		d.Notes = core.With(d.Notes, e.Other)
		w.Notes[e.Other] = e.Text
	case event.NoteDeleted:
		d.Notes = core.Without(d.Notes, e.Other)
	case event.SubscriptionLeft:
		d.Left, d.Joined = core.With(d.Left, e.Other), core.Without(d.Joined, e.Other)
	case event.SubscriptionJoined:
		d.Left, d.Joined = core.Without(d.Left, e.Other), core.With(d.Joined, e.Other)
	case event.CompanyAttached:
		d.Companies = core.With(d.Companies, e.Other)
	case event.CompanyDetached:
		d.Companies = core.Without(d.Companies, e.Other)
	}
	if !e.Quiet {
		d.Updated = e.At
	}
	c.Doc = &d
	if c.Status == Active {
		w.announce(seq, e.Contact)
	}
}

// leave takes a contact out of search.
func (w *Book) leave(e *event.ContactEvent, s Status, listed bool) {
	c := &w.List[e.Contact]
	c.Status, c.Listed, c.Since = s, listed, e.At
	w.InactiveStale = true
	w.ContactIndex.Withdraw(len(w.ContactLog), e.At, e.Contact)
}

// absorb gives the survivor of a merge what it lacked (workspace-api 3.2), and the lead's notes, tags and companies.
func (w *Book) absorb(seq int, e *event.ContactEvent, lead *event.Contact) {
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

// announce lets search find the newest version of a contact once the index has caught up.
func (w *Book) announce(seq int, num int32) {
	w.ContactIndex.Announce(seq, w.ContactLog[seq].At, num, w.List[num].Doc)
}

// SettleIndex lets everything become visible whose time has come.
func (w *Book) SettleIndex() { w.ContactIndex.Settle(w.Now()) }
