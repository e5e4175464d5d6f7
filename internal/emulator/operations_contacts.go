package emulator

import (
	"fmt"
	"strconv"

	"aqueduck/internal/emulator/event"
	"aqueduck/internal/emulator/state/companies"
)

var (
	intoParam    = operationParam{name: "into", kind: &textParam}
	companyParam = operationParam{name: "company", kind: &textParam}
)

func noteOnContact(w *Workspace, a operationArgs) (any, error) {
	w.Mu.Lock()
	n := w.NextNote()
	w.Mu.Unlock()
	return ofID(strconv.FormatInt(event.NoteID(n), 10), w.AddContactNoteBy(a.textArg("id"), a.textArg("by"), a.textArg("body")))
}

// withCompany makes an operation that takes a company by the id that the API sends.
func withCompany(do func(w *Workspace, id string, company int) error) func(w *Workspace, a operationArgs) (any, error) {
	return func(w *Workspace, a operationArgs) (any, error) {
		w.Mu.Lock()
		n, ok := w.FindCompany(a.textArg("company"))
		w.Mu.Unlock()
		if !ok {
			return nil, fmt.Errorf("company %s: %w", a.textArg("company"), companies.ErrNoCompany)
		}
		return nil, do(w, a.textArg("id"), int(n))
	}
}
