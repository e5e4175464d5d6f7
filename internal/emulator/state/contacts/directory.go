package contacts

import (
	"slices"
	"strings"

	"aqueduck/internal/emulator/event"
)

// identityIndex finds contacts by their external ids and e-mails. It follows the log when somebody asks, so that a workspace that nobody
// writes to has none. Who had a name once stays under it: whoever finds one looks what it has now.
type identityIndex struct {
	seen int                   // so much of the log
	of   map[[2]string][]int32 // by the kind of name and the name
}

const (
	byExternalID = "external_id"
	byEmail      = "email"
)

// catchUpWithLog takes in what has happened since.
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

// FindByIdentity finds the oldest active contact that has this external id or this e-mail, in capitals or not, and fits; "" when there is none. Users share
// neither, leads may share both: they are what merging is for. The lock is held.
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
