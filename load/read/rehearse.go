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

// Rehearsed is SQL of a user that a run will later run in its own process.
type Rehearsed struct {
	SQL      string // with {schema} and {raw}
	Relation string // name of the relation it makes, which later SQL may read; "": none
}

// longestRehearsal is the time limit for each statement.
const longestRehearsal = 10 * time.Minute

// Rehearsal is the request to try SQL in another process.
type Rehearsal struct {
	Schema string      `json:"schema"`
	Make   []string    `json:"make"`   // statements that create the empty tables and views of the work database
	Path   string      `json:"path"`   // path of the published file; "": none
	Memory int64       `json:"memory"` // bytes that DuckDB may use
	SQL    []Rehearsed `json:"sql"`
}

// triedKind is the message that a statement begins, with its index.
const triedKind = 2

// Run tries the SQL in another process. Where a statement crashes that process, at is its index; at is -1 where no
// statement did.
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

// answerRehearsal runs each statement, first on empty tables, then on the published file. It ignores DuckDB's errors: the
// run itself meets them.
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
		_, _ = db.Exec(ctx, statement) // a view of a missing table cannot be made
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
	reader, err := openReader(ctx, r.Path, duck.Options{Memory: r.Memory})
	if err != nil {
		return nil // the run itself reports it
	}
	err = r.tryEach(to, func(one Rehearsed) { _ = drainQuery(ctx, reader, clause.Bare(one.SQL, r.Schema)) })
	return errors.Join(err, reader.Close())
}

// tryEach reports the index of each statement before it tries it.
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
