package contacts

import "aqueduck/internal/emulator/event"

// FindActive returns an active contact by its id; nil where there is none.
func (w *Contacts) FindActive(id string) *event.Contact {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.ActiveContact(id)
}

// FindClash returns the id of another active user with the external id or the e-mail that a contact would get as a user from set; "" when
// there is none.
func (w *Contacts) FindClash(d *event.Contact, set map[string]any) string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.FindClashOf(d, set)
}

// FindClashOf is FindClash for callers that hold the lock.
func (w *Book) FindClashOf(d *event.Contact, set map[string]any) string {
	if role, told := set["role"]; told && role != "user" || !told && !d.User {
		return ""
	}
	comes := func(field, now string) string {
		name := now
		if told, ok := set[field]; ok {
			name, _ = told.(string)
		}
		if d.User && name == now {
			return "" // no new clash: it had both before
		}
		return name
	}
	return w.FindByIdentity(comes("external_id", d.ExternalID), comes("email", d.Email), func(other *event.Contact) bool { return other.User && other.ID != d.ID })
}

// ClashMessage is the refusal that names the contact with the same identity.
func ClashMessage(id string) string {
	return "A contact matching those details already exists with id=" + id
}
