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

// MadeIDs is what an operation answers that made something.
type MadeIDs map[string]string

// writingRoute makes a route of a function that changes something. Nobody else changes anything between what it checks and what it
// does, and the clock stands still for it. What it refuses has not happened, and is in no journal.
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

// performOperation carries out an operation for a writing route, as Do does for others, and gives the ids that it answers. A route has
// checked before what workspace-api 7 names; what the operation refuses beyond that is a parameter that it cannot take.
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

// refusedBody is the answer to a body that is refused.
func refusedBody(b *input.Body) answer.Answer {
	return answer.Failure(b.Refusal.Status, b.Refusal.Code, b.Refusal.Message)
}
