package contacts

import "aqueduck/internal/emulator/event"

// FindActive is one by its id; nil when it is not there or not active.
func (w *Contacts) FindActive(id string) *event.Contact {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.ActiveContact(id)
}

// FindClash gives the other active user who is known by the external id or the e-mail that a contact comes to have as a user, by what is
// set of it; "" when there is none.
func (w *Contacts) FindClash(d *event.Contact, set map[string]any) string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.FindClashOf(d, set)
}

// FindClashOf is FindClash with the lock held.
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
			return "" // it was so known before
		}
		return name
	}
	return w.FindByIdentity(comes("external_id", d.ExternalID), comes("email", d.Email), func(other *event.Contact) bool { return other.User && other.ID != d.ID })
}

// ClashMessage says that a contact with this id has what another one asks for.
func ClashMessage(id string) string {
	return "A contact matching those details already exists with id=" + id
}
