package emulator

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/input"
)

// writing makes a route of a function that changes something. Nobody else changes anything between what it checks and what it
// does, and the clock stands still for it. What it refuses has not happened, and is in no journal.
func writing(f func(w *server, q *request, b *input.Body) answer) func(w *server, q *request) answer {
	return func(w *server, q *request) (a answer) {
		b := input.ReadBody(q.body)
		if b.Refused() {
			return refusedBody(b)
		}
		w.controlling.Lock()
		defer w.controlling.Unlock()
		w.frozen(func() {
			w.catchUp()
			a = f(w, q, b)
		})
		a.wrote = true
		return a
	}
}

// perform carries out an operation for a writing route, as Do does for others, and gives the ids that it answers. A route has
// checked before what workspace-api 7 names; what the operation refuses beyond that is a parameter that it cannot take.
func (w *server) perform(name string, with map[string]any) (made, *answer) {
	text, err := json.Marshal(with)
	var done []byte
	if err == nil {
		done, err = w.do(name, text)
	}
	ids := made{}
	if err == nil {
		err = json.Unmarshal(done, &ids)
	}
	if err == nil {
		return ids, nil
	}
	a := failure(http.StatusBadRequest, "parameter_invalid", err.Error())
	switch {
	case errors.Is(err, control.ErrForgotten):
		a = failure(http.StatusInternalServerError, "server_error", err.Error())
	case errors.Is(err, ErrUnknown):
		a = notFound("Contact")
	}
	return nil, &a
}

// refusedBody is the answer to a body that is refused.
func refusedBody(b *input.Body) answer {
	return failure(b.Refusal.Status, b.Refusal.Code, b.Refusal.Message)
}

// deed is something that was begun and happens later.
type deed struct {
	at time.Time
	do func(at int64) // with the lock held
}

// happensAt has something happen when the clock reaches a time: before anything else is asked or done then, and at its own time,
// however late that is. So a journal that is done again has it happen in the same place. What it does is logged at the time that
// it is given. The lock is held.
func (w *core) happensAt(at time.Time, do func(at int64)) {
	i := slices.IndexFunc(w.deeds, func(d deed) bool { return d.at.After(at) })
	if i < 0 {
		i = len(w.deeds)
	}
	w.deeds = slices.Insert(w.deeds, i, deed{at, do})
}

// happen carries out what is due by a time, in the order of the times, and in that in which it was begun. The lock is held.
func (w *core) happen(by time.Time) {
	for len(w.deeds) > 0 && !w.deeds[0].at.After(by) {
		next := w.deeds[0]
		w.deeds = w.deeds[1:]
		next.do(next.at.Unix())
	}
	if w.passed != nil {
		w.passed(by)
	}
}

// catchUp carries out what is due by now.
func (w *core) catchUp() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
}
