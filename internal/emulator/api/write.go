package api

import (
	"encoding/json"
	"errors"
	"net/http"

	"aqueduck/internal/emulator/api/answer"
	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/input"
	"aqueduck/internal/emulator/state/contacts"
)

// MadeIDs is the answer of an operation that created something: ids by name.
type MadeIDs map[string]string

// writingRoute makes a route of a function that changes the state. Controlling is held and the clock stands still, so nothing changes between
// the checks and the change. A refused request changes nothing and is in no journal.
func writingRoute(f func(w *Handlers, q *Request, b *input.Body) answer.Answer) func(w *Handlers, q *Request) answer.Answer {
	return func(w *Handlers, q *Request) (a answer.Answer) {
		b := input.ReadBody(q.Body)
		if b.IsRefused() {
			return refusedBody(b)
		}
		w.Controlling.Lock()
		defer w.Controlling.Unlock()
		w.HoldClock(func() {
			w.RunDueNow()
			a = f(w, q, b)
		})
		a.Wrote = true
		return a
	}
}

// performOperation carries out an operation for a writing route, and returns the created ids. The route has checked what workspace-api 7
// names. Any other refusal of the operation becomes an invalid parameter.
func (w *Handlers) performOperation(name string, with map[string]any) (MadeIDs, *answer.Answer) {
	text, err := json.Marshal(with)
	var done []byte
	if err == nil {
		done, err = w.OnOperation(name, text)
	}
	ids := MadeIDs{}
	if err == nil {
		err = json.Unmarshal(done, &ids)
	}
	if err == nil {
		return ids, nil
	}
	a := answer.Failure(http.StatusBadRequest, "parameter_invalid", err.Error())
	switch {
	case errors.Is(err, control.ErrForgotten):
		a = answer.Failure(http.StatusInternalServerError, "server_error", err.Error())
	case errors.Is(err, contacts.ErrUnknown):
		a = answer.NotFound("Contact")
	}
	return nil, &a
}

// refusedBody returns the answer to a refused body.
func refusedBody(b *input.Body) answer.Answer {
	return answer.Failure(b.Refusal.Status, b.Refusal.Code, b.Refusal.Message)
}
