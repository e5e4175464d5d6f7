package emulator

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"aqueduck/internal/emulator/control"
	"aqueduck/internal/emulator/oracle"
)

// ErrTime is answered when the truth is asked for of a time that the oracle cannot tell of.
var ErrTime = errors.New("no truth of that time")

// OracleStreams names the streams that Oracle knows.
func OracleStreams() []string { return oracle.StreamNames() }

// Oracle gives the rows that a perfect reader would hold of a stream now, computed from the log alone; nil for a stream
// it does not know. The package's documentation tells the columns.
func (w *Workspace) Oracle(stream string) []map[string]any {
	rows := w.Truth(stream)
	if rows == nil {
		return nil
	}
	list := []map[string]any{}
	for row := range rows {
		list = append(list, row)
	}
	return list
}

// Truth is Oracle row by row, for workspaces whose rows are too many to hold.
func (w *Workspace) Truth(stream string) iter.Seq[map[string]any] {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
	return oracle.New(w.TruthLog(), w.UnixNow()).StreamRows(stream)
}

// TruthAt is Truth as it was: the rows that a perfect reader held when a second was over. It is what Truth told then, and
// stays so whatever happens later, an erasure too. Before hour 0 and after now there is none: ErrTime.
func (w *Workspace) TruthAt(stream string, t time.Time) (iter.Seq[map[string]any], error) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
	start, now := w.Setup.Start.Unix(), w.UnixNow()
	switch at := t.Unix(); {
	case at < start:
		return nil, fmt.Errorf("%w: %s is before hour 0, %s, and what the population was before it is not drawn", ErrTime,
			t.UTC().Format(time.RFC3339), w.Setup.Start.UTC().Format(time.RFC3339))
	case at > now:
		return nil, fmt.Errorf("%w: %s is yet to come, it is %s", ErrTime, t.UTC().Format(time.RFC3339), w.TimeHeld().UTC().Format(time.RFC3339))
	}
	rows := oracle.NewAt(w.TruthLog(), t.Unix()).StreamRows(stream)
	if rows == nil {
		return nil, unknownStream(stream)
	}
	return rows, nil
}

func unknownStream(stream string) error {
	return fmt.Errorf("%w %q; the oracle knows %s", control.ErrNoStream, stream, strings.Join(OracleStreams(), ", "))
}
