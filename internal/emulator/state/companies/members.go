package companies

import (
	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/core"
)

// HasCompany reports whether a company with this id exists.
func (w *Companies) HasCompany(id string) bool {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	_, known := w.FindCompany(id)
	return known
}

// AddCompany attaches a company, by its number from 0, to a contact.
func (w *Companies) AddCompany(id string, company int) error {
	return w.People.AppendEvent(event.CompanyAttached, id, func(e *event.ContactEvent) error { return core.SetInt32(&e.Other, company, len(w.CompanyList)) })
}

// RemoveCompany detaches a company from a contact.
func (w *Companies) RemoveCompany(id string, company int) error {
	return w.People.AppendEvent(event.CompanyDetached, id, func(e *event.ContactEvent) error { return core.SetInt32(&e.Other, company, len(w.CompanyList)) })
}
