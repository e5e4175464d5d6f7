package contacts

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// identityIndex finds contacts by external id and e-mail. It reads the log on demand, so a workspace without lookups has none. Old identities
// stay in it, so each hit is checked against the contact's current identity.
type identityIndex struct {
	seen int                   // length of the log that it has read
	of   map[[2]string][]int32 // contact numbers by kind of identity and its value
}

const (
	byExternalID = "external_id"
	byEmail      = "email"
)

// catchUpWithLog reads the new part of the log.
func (d *identityIndex) catchUpWithLog(log []event.ContactEvent, contacts []StoredContact) {
	if d.of == nil {
		d.of = map[[2]string][]int32{}
	}
	for ; d.seen < len(log); d.seen++ {
		switch e := &log[d.seen]; e.Kind {
		case event.Created, event.Updated:
			d.addContact(e.Contact, contacts)
		case event.Merged:
			d.addContact(e.Other, contacts)
		}
	}
}

func (d *identityIndex) addContact(num int32, contacts []StoredContact) {
	for _, name := range [][2]string{{byExternalID, contacts[num].Doc.ExternalID}, {byEmail, strings.ToLower(contacts[num].Doc.Email)}} {
		if name[1] != "" && !slices.Contains(d.of[name], num) {
			d.of[name] = append(d.of[name], num)
		}
	}
}

// FindByIdentity returns the id of the oldest active contact with this external id or this e-mail, in any case, that fits; "" when there is
// none. No two users share an identity, but leads may: merges are for them. The caller holds the lock.
func (w *Book) FindByIdentity(external, email string, fits func(d *event.Contact) bool) string {
	w.names.catchUpWithLog(w.ContactLog, w.List)
	found := slices.Concat(w.names.of[[2]string{byExternalID, external}], w.names.of[[2]string{byEmail, strings.ToLower(email)}])
	slices.Sort(found)
	for _, num := range found {
		c := &w.List[num]
		same := external != "" && c.Doc.ExternalID == external || email != "" && strings.EqualFold(c.Doc.Email, email)
		if same && c.Status == Active && fits(c.Doc) {
			return c.Doc.ID
		}
	}
	return ""
}
