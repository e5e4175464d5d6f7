package remote

import (
	"bytes"
	"context"
	"errors"
	"time"

	"aqueduck/internal/problem"
)

// runsName is the object in which machines tell each other of their runs. The store does not look into it.
const runsName = "runs.json"

// ChangeRuns replaces what machines have told of their runs by what change makes of it. change may be called again, if another machine was first.
func (s *Store) ChangeRuns(ctx context.Context, change func(former []byte) ([]byte, error)) error {
	for range maxTries {
		former, version, err := s.read(ctx, runsName)
		if err != nil && !errors.Is(err, ErrNoObject) {
			return err
		}
		content, err := change(former)
		if err != nil || bytes.Equal(content, former) {
			return err
		}
		if _, err = s.replace(ctx, runsName, version, content); !errors.Is(err, ErrMoved) {
			return err
		}
	}
	return &problem.Problem{Class: "transient", What: "write " + runsName + " of " + s.place + ": other machines change it all the time"}
}

// Seen is what a store says of the runs of a warehouse, without a byte of its rows.
type Seen struct {
	Runs  []byte    // what machines have told; nil: nothing
	Run   string    // the run whose published file the store has; "": none
	Moved time.Time // when it got that file, by the clock of the machine that sent it
}

// SeeRuns asks a store for the runs of a warehouse, by two small requests.
func (s *Store) SeeRuns(ctx context.Context) (seen Seen, err error) {
	head, err := s.readHead(ctx)
	if err != nil {
		return seen, err
	}
	if head.Epoch > 0 {
		seen.Run, seen.Moved = head.File.RunID(), head.Moved
	}
	if seen.Runs, _, err = s.read(ctx, runsName); errors.Is(err, ErrNoObject) {
		err = nil
	}
	return seen, err
}
