package emulator

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/companies"
)

var (
	intoParam    = param{name: "into", kind: &textParam}
	companyParam = param{name: "company", kind: &textParam}
)

func noteOnContact(w *Workspace, a args) (any, error) {
	w.Mu.Lock()
	n := w.NextNote()
	w.Mu.Unlock()
	return ofID(strconv.FormatInt(event.NoteID(n), 10), w.AddNote(a.text("id"), a.text("body")))
}

// withCompany is an operation that names a company by the id that the API tells.
func withCompany(do func(w *Workspace, id string, company int) error) func(w *Workspace, a args) (any, error) {
	return func(w *Workspace, a args) (any, error) {
		w.Mu.Lock()
		n, ok := w.FindCompany(a.text("company"))
		w.Mu.Unlock()
		if !ok {
			return nil, fmt.Errorf("company %s: %w", a.text("company"), companies.ErrNoCompany)
		}
		return nil, do(w, a.text("id"), int(n))
	}
}
