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

// ErrTime means that the oracle has no truth of the requested time.
var ErrTime = errors.New("no truth of that time")

// OracleStreams names the streams of the oracle.
func OracleStreams() []string { return oracle.StreamNames() }

// Oracle returns the rows that a perfect reader has of a stream now, computed from the log alone; nil for an unknown stream. The documentation
// of the package describes the columns.
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

// Truth is Oracle row by row, for streams that are too large for memory.
func (w *Workspace) Truth(stream string) iter.Seq[map[string]any] {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.RunDue(w.TimeHeld())
	return oracle.New(w.TruthLog(), w.UnixNow()).StreamRows(stream)
}

// TruthAt is Truth at an earlier time: the rows that a perfect reader had at the end of that second. Later events, even an erasure, do not
// change it. Before hour 0 and after now it fails with ErrTime.
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
