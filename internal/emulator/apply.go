package emulator

import "time"

// record appends an event to the log and makes the served state follow it. The lock is held.
func (w *Workspace) record(e Event) {
	w.log = append(w.log, e)
	w.apply(len(w.log) - 1)
}

// apply makes the served state follow one event of the log.
func (w *Workspace) apply(seq int) {
	e := &w.log[seq]
	if isActivity(e.Kind) {
		w.feed = append(w.feed, int32(seq))
	}
	if e.Kind == Created {
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
	case Updated, RoleChanged, Tagged, Untagged, Noted, CompanyAttached, CompanyDetached:
		w.change(seq, e, c)
	case Merged:
		w.leave(e, merged, true)
		c.into = e.Other
		w.absorb(seq, e, c.doc)
	case Archived:
		w.leave(e, archived, true)
	case Blocked:
		w.leave(e, blocked, true)
	case DeletionRequested:
		w.leave(e, pendingDeletion, true)
	case Erased:
		w.leave(e, permanentlyDeleted, true)
	case Deleted:
		w.leave(e, deleted, e.Listed)
	case Unarchived, Unblocked:
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
func (w *Workspace) change(seq int, e *Event, c *contact) {
	if e.Kind == RoleChanged && e.Quiet && c.doc.User == e.User {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.doc
	switch e.Kind {
	case Updated:
		for _, s := range e.Set {
			_ = d.set(s) // checked before it came into the log
		}
	case RoleChanged:
		d.User = e.User
	case Tagged:
		d.Tags = with(d.Tags, e.Other)
	case Untagged:
		d.Tags = without(d.Tags, e.Other)
	case Noted:
		d.Notes = with(d.Notes, e.Other)
		w.notes[e.Other] = e.Text
	case CompanyAttached:
		d.Companies = with(d.Companies, e.Other)
	case CompanyDetached:
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
func (w *Workspace) leave(e *Event, s status, listed bool) {
	c := &w.contacts[e.Contact]
	c.status, c.listed, c.since = s, listed, e.At
	w.stale = true
	if w.k().LeaveLag > 0 {
		w.idx.later(pending{at: e.At + int64(w.k().LeaveLag/time.Second), seq: len(w.log), num: e.Contact})
		return
	}
	w.show(e.Contact, nil)
}

// absorb gives the survivor of a merge what it lacked (workspace-api 3.2), and the lead's notes, tags and companies.
func (w *Workspace) absorb(seq int, e *Event, lead *doc) {
	c := &w.contacts[e.Other]
	if e.Quiet {
		return // of the population, whose attributes are those of hour 0
	}
	d := *c.doc
	for _, p := range [][2]*string{{&d.Email, &lead.Email}, {&d.Phone, &lead.Phone}, {&d.Name, &lead.Name}, {&d.Avatar, &lead.Avatar}} {
		if *p[0] == "" {
			*p[0] = *p[1]
		}
	}
	for _, a := range lead.Attrs {
		if !hasAttr(d.Attrs, a.Name) {
			d.Attrs = setAttr(d.Attrs, a.Name, a.Raw)
		}
	}
	d.Tags, d.Notes, d.Companies = union(d.Tags, lead.Tags), union(d.Notes, lead.Notes), union(d.Companies, lead.Companies)
	d.Updated = e.At
	c.doc = &d
	if c.status == active {
		w.announce(seq, e.Other)
	}
}

func hasAttr(attrs []attr, name string) bool {
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
func (w *Workspace) announce(seq int, num int32) {
	if w.idx.quiet {
		return
	}
	d := w.contacts[num].doc
	lag := w.k().lag(newRNG(w.cfg.Seed, forLag, uint64(seq)))
	if lag <= 0 {
		w.contacts[num].shownFrom = seq
		w.show(num, d)
		return
	}
	w.idx.later(pending{at: w.log[seq].At + int64(lag/time.Second), seq: seq, num: num, doc: d})
}

// settle lets everything become visible whose time has come.
func (w *Workspace) settle() {
	now := w.now()
	for {
		p, ok := w.idx.due(now)
		if !ok {
			return
		}
		c := &w.contacts[p.num]
		switch {
		case p.doc == nil: // it left, and search notices now
			if c.status != active {
				w.show(p.num, nil)
			}
		case c.status == active && p.seq > c.shownFrom:
			c.shownFrom = p.seq
			w.show(p.num, p.doc)
		}
	}
}

// show puts a version of a contact before the searchers, or none.
func (w *Workspace) show(num int32, d *doc) {
	c := &w.contacts[num]
	if c.shown == d {
		return
	}
	w.idx.moved(num, c.shown)
	c.before, c.shown = c.shown, d
}
