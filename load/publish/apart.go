package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"aqueduck/internal/sandbox"
	"aqueduck/load/failure"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// finishApart has the models of users made by a process of their own, and finishes the copy.
func (p *publication) finishApart(ctx context.Context) error {
	for _, b := range p.models {
		if err := b.makeApart(ctx, p.spec.Program, p.settings(p.copied())); err != nil {
			return fmt.Errorf("models of %s: %w", b.schema.Name, err)
		}
	}
	db, err := duck.Open(ctx, p.settings(p.copied()))
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	err = p.finish(ctx, db)
	if err == nil {
		err = checkpoint(ctx, db)
	}
	return errors.Join(err, db.Close())
}

// makeApart makes the models of users in a database that nobody has open and that has no log. One that brings the process down, or has
// to be ended, is left out, and what that process has written is not gone on from: another makes all the others from the beginning.
func (b *building) makeApart(ctx context.Context, program sandbox.Program, o duck.Options) error {
	if !b.waits() {
		b.made = append(b.made, b.own...)
		return nil
	}
	o.Reach = nil
	lethal := map[string]error{}
	for {
		a := b.attempt(o, lethal)
		killed, err := a.run(ctx, program)
		switch {
		case err == nil:
			b.made, b.failed = a.made, append(b.failed, a.failed...)
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case killed == "":
			return err // it was not the doing of a model
		}
		lethal[killed] = err
		if err := os.Remove(o.Path + ".wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("take away what a process left behind: %w", err)
		}
	}
}

// attempt is one process that makes models of users.
type attempt struct {
	building // what is made there, and what has failed

	todo   order
	within time.Duration // that a model may take
	at     int           // which of todo is being made; -1: none yet
}

// attempt makes all of its models but lethal ones.
func (b *building) attempt(o duck.Options, lethal map[string]error) *attempt {
	a := &attempt{building: building{schema: b.schema, made: slices.Clone(b.made)}, within: cmp.Or(b.schema.Models.Longest, longest), at: -1}
	o.Memory = min(o.Memory, read.DefaultMemory/2) // the process itself has no more than twice that
	a.todo = order{Options: o, Schema: b.schema.Models.Schema}
	for _, r := range b.own {
		switch {
		case lethal[r.Name] != nil:
			a.fail(r, r.Line, lethal[r.Name])
		case b.defined && !isTable(r):
			a.made = append(a.made, r)
		default:
			reads := slices.DeleteFunc(references(r.SQL, "{models}."), func(name string) bool { return !b.schema.Models.has(name) })
			a.todo.Models = append(a.todo.Models, ordered{Relation: b.filled(r), Reads: reads})
			a.own = append(a.own, r)
		}
	}
	for _, r := range a.made {
		a.todo.There = append(a.todo.There, r.Name)
	}
	return a
}

// has says whether one of the models has a name.
func (m Models) has(name string) bool {
	return slices.ContainsFunc(m.Relations, func(r Relation) bool { return r.Name == name })
}

// run starts the process. Where that dies at a model, killed is its name and the error says of what.
func (a *attempt) run(ctx context.Context, program sandbox.Program) (killed string, err error) {
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	tooLong := fmt.Errorf("it took longer than %s and was given up", a.within)
	clock := time.AfterFunc(a.within, func() { end(tooLong) })
	defer clock.Stop()
	err = program.Run(limited, "models", sandbox.Limits{Memory: read.DefaultMemory}, a.todo, func(kind byte, payload []byte) error {
		clock.Reset(a.within)
		return a.take(kind, payload)
	})
	var died *sandbox.Died
	switch {
	case err == nil:
		return "", nil
	case context.Cause(limited) == tooLong:
		err = tooLong
	case errors.As(err, &died) && died.OutOfMemory():
		err = failure.ErrQueryMemory
	case errors.As(err, &died):
		err = fmt.Errorf("%w: %w", failure.ErrQueryFault, died)
	default:
		return "", err
	}
	if a.at < 0 {
		return "", fmt.Errorf("before the first model: %w", err)
	}
	return a.own[a.at].Name, err
}

// take notes what the process tells of a model.
func (a *attempt) take(kind byte, payload []byte) error {
	var n news
	if err := json.Unmarshal(payload, &n); err != nil || n.Model < 0 || n.Model >= len(a.own) {
		return fmt.Errorf("what became of model %d of %d cannot be read: %w", n.Model, len(a.own), err)
	}
	r := a.own[n.Model]
	switch kind {
	case begunKind:
		a.at = n.Model
	case madeKind:
		a.made = append(a.made, r)
	case failedKind:
		a.fail(r, n.Line, errors.New(n.Text))
	}
	return nil
}
