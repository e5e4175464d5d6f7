package emulator

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/emulator/event"
)

// ErrNoStream is answered when the oracle is asked for a stream that it does not know.
var ErrNoStream = errors.New("no such stream")

// ErrTime is answered when the truth is asked for of a time that the oracle cannot tell of.
var ErrTime = errors.New("no truth of that time")

// TruthAt is Truth as it was: the rows that a perfect reader held when a second was over. It is what Truth told then, and
// stays so whatever happens later, an erasure too. Before hour 0 and after now there is none: ErrTime.
func (w *Workspace) TruthAt(stream string, t time.Time) (iter.Seq[map[string]any], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.happen(w.clock())
	start, now := w.cfg.Start.Unix(), w.now()
	switch at := t.Unix(); {
	case at < start:
		return nil, fmt.Errorf("%w: %s is before hour 0, %s, and what the population was before it is not drawn", ErrTime,
			t.UTC().Format(time.RFC3339), w.cfg.Start.UTC().Format(time.RFC3339))
	case at > now:
		return nil, fmt.Errorf("%w: %s is yet to come, it is %s", ErrTime, t.UTC().Format(time.RFC3339), w.clock().UTC().Format(time.RFC3339))
	}
	o := w.oracle()
	o.back(t.Unix(), w.stood)
	rows := o.tell(stream)
	if rows == nil {
		return nil, unknownStream(stream)
	}
	return rows, nil
}

func unknownStream(stream string) error {
	return fmt.Errorf("%w %q; the oracle knows %s", ErrNoStream, stream, strings.Join(OracleStreams(), ", "))
}

// standing is what the oracle depends on beside the logs, from a time on.
type standing struct {
	at        int64
	hours     int
	workspace string
	knobs     *Knobs
}

// stand notes how things stand from a time on. The lock is held.
func (w *Workspace) stand(at int64) {
	w.stood = append(w.stood, standing{at, w.hours, w.workspace, w.k()})
}

// back has the oracle forget what came after a time.
func (o *oracle) back(t int64, stood []standing) {
	o.log = until(o.log, t, func(e *event.ContactEvent) int64 { return e.At })
	o.said = until(o.said, t, func(e *event.ThreadEvent) int64 { return e.At })
	o.tickets = until(o.tickets, t, func(e *event.ThreadEvent) int64 { return e.At })
	o.firms = until(o.firms, t, func(e *event.CompanyEvent) int64 { return e.At })
	o.pages = until(o.pages, t, func(e *event.ContentEvent) int64 { return e.At })
	o.hitl = until(o.hitl, t, func(c *event.Consultation) int64 { return c.Put })
	o.facts = until(o.facts, t, func(e *event.ReportEvent) int64 { return e.At })
	// These are not in the order in which they came. Calls know by themselves when they did.
	o.acts = slices.DeleteFunc(slices.Clone(o.acts), func(a event.AdminAction) bool { return max(a.At, a.Put) > t })
	stood = until(stood, t, func(s *standing) int64 { return s.at })
	s := stood[max(0, len(stood)-1)]
	o.at, o.hours, o.workspace, o.knobs, o.cap = t, s.hours, s.workspace, *s.knobs, s.knobs.partsCap()
}

// until is a log up to a time. What was logged after an event counts as later than it, also where a clock that was turned
// back says otherwise: no entry is kept without those that it rests on.
func until[E any](log []E, t int64, at func(e *E) int64) []E {
	for i := range log {
		if at(&log[i]) > t {
			return log[:i:i]
		}
	}
	return log
}
