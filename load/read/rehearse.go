package read

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
)

// Rehearsed is SQL of a user's that a run will run itself, in its own process.
type Rehearsed struct {
	SQL      string // with {schema}
	Relation string // what it makes, which those after it may read; "": nothing
}

// longestRehearsal is how long one of them may take.
const longestRehearsal = 10 * time.Minute

// Rehearsal is what a process is to try.
type Rehearsal struct {
	Schema string      `json:"schema"`
	Make   []string    `json:"make"`   // the tables and views of the work database, without a row
	Path   string      `json:"path"`   // of the published file; "": there is none
	Memory int64       `json:"memory"` // of DuckDB
	SQL    []Rehearsed `json:"sql"`
}

// triedKind tells which of them is begun.
const triedKind = 2

// Run starts the process. Where it dies at one of them, at is its place; -1 where it was the doing of none.
func (r *Rehearsal) Run(ctx context.Context, program sandbox.Program) (at int, err error) {
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	tooLong := fmt.Errorf("it took longer than %s and was stopped", longestRehearsal)
	clock := time.AfterFunc(longestRehearsal, func() { end(tooLong) })
	defer clock.Stop()
	at = -1
	err = program.Run(limited, "rehearse", sandbox.Limits{Memory: DefaultMemory}, r, func(_ byte, payload []byte) error {
		clock.Reset(longestRehearsal)
		return json.Unmarshal(payload, &at)
	})
	var died *sandbox.ProcessDied
	switch {
	case err == nil:
		return -1, nil
	case context.Cause(limited) == tooLong:
		return at, tooLong
	case errors.As(err, &died) && died.OutOfMemory():
		return at, failure.ErrQueryMemory
	case errors.As(err, &died):
		return at, fmt.Errorf("%w: %w", failure.ErrQueryFault, died)
	}
	return -1, err
}

// answerRehearsal tries them, first without a row, then on what readers have. An error of DuckDB's is none here.
func answerRehearsal(ctx context.Context, request json.RawMessage, to *sandbox.Answer) error {
	var r Rehearsal
	if err := json.Unmarshal(request, &r); err != nil {
		return fmt.Errorf("read the SQL to test: %w", err)
	}
	db, err := duck.Open(ctx, duck.Options{Path: ":memory:", Memory: r.Memory})
	if err != nil {
		return fmt.Errorf("open a database to test SQL: %w", err)
	}
	for _, statement := range r.Make {
		_, _ = db.Exec(ctx, statement) // a view of what is not there is not there either
	}
	err = r.tryEach(to, func(one Rehearsed) {
		query := clause.Bare(one.SQL, r.Schema)
		if drainQuery(ctx, &Reader{db}, query) == nil && one.Relation != "" {
			_, _ = db.Exec(ctx, "CREATE OR REPLACE VIEW "+duck.Table(r.Schema, one.Relation)+" AS "+query)
		}
	})
	if err = errors.Join(err, db.Close()); err != nil || r.Path == "" {
		return err
	}
	reader, err := openReader(ctx, r.Path, r.Memory)
	if err != nil {
		return nil // the run itself will tell
	}
	err = r.tryEach(to, func(one Rehearsed) { _ = drainQuery(ctx, reader, clause.Bare(one.SQL, r.Schema)) })
	return errors.Join(err, reader.Close())
}

// tryEach tells of each before it is tried.
func (r *Rehearsal) tryEach(to *sandbox.Answer, try func(Rehearsed)) error {
	for i, one := range r.SQL {
		place, err := json.Marshal(i)
		if err := errors.Join(err, to.Send(triedKind, place), to.Flush()); err != nil {
			return err
		}
		try(one)
	}
	return nil
}

func drainQuery(ctx context.Context, r *Reader, query string) error {
	return r.Query(ctx, query, func([]string, []any) error { return nil })
}
