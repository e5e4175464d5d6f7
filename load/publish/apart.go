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
func (p *publishRun) finishApart(ctx context.Context) error {
	for _, b := range p.models {
		if err := b.makeApart(ctx, p.spec.Program, p.copyOptions(p.copyPath())); err != nil {
			return fmt.Errorf("models of %s: %w", b.schema.Name, err)
		}
	}
	db, err := duck.Open(ctx, p.copyOptions(p.copyPath()))
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	err = p.recordMetadata(ctx, db)
	if err == nil {
		err = checkpointCopy(ctx, db)
	}
	return errors.Join(err, db.Close())
}

// makeApart makes the models of users in a database that nobody has open and that has no log. One that brings the process down, or has
// to be ended, is left out, and what that process has written is not gone on from: another makes all the others from the beginning.
func (b *modelBuild) makeApart(ctx context.Context, program sandbox.Program, o duck.Options) error {
	if !b.needsProcess() {
		b.made = append(b.made, b.userModels...)
		return nil
	}
	o.Reach = nil
	lethal := map[string]error{}
	for {
		a := b.newAttempt(o, lethal)
		killed, err := a.runProcess(ctx, program)
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
			return fmt.Errorf("remove the files of an ended process: %w", err)
		}
	}
}

// modelAttempt is one process that makes models of users.
type modelAttempt struct {
	modelBuild // what is made there, and what has failed

	request modelRequest
	within  time.Duration // that a model may take
	at      int           // which of todo is being made; -1: none yet
}

// newAttempt makes all of its models but lethal ones.
func (b *modelBuild) newAttempt(o duck.Options, lethal map[string]error) *modelAttempt {
	a := &modelAttempt{modelBuild: modelBuild{schema: b.schema, made: slices.Clone(b.made)}, within: cmp.Or(b.schema.Models.Longest, longest), at: -1}
	o.Memory = min(o.Memory, read.DefaultMemory/2) // the process itself has no more than twice that
	a.request = modelRequest{Options: o, Schema: b.schema.Models.Schema}
	for _, r := range b.userModels {
		switch {
		case lethal[r.Name] != nil:
			a.recordFailure(r, r.Line, lethal[r.Name])
		case b.defined && !isTable(r):
			a.made = append(a.made, r)
		default:
			reads := slices.DeleteFunc(referencedNames(r.SQL, "{models}."), func(name string) bool { return !b.schema.Models.hasModel(name) })
			a.request.Models = append(a.request.Models, requestedModel{Relation: b.substituteModel(r), Reads: reads})
			a.userModels = append(a.userModels, r)
		}
	}
	for _, r := range a.made {
		a.request.There = append(a.request.There, r.Name)
	}
	return a
}

// hasModel says whether one of the models has a name.
func (m Models) hasModel(name string) bool {
	return slices.ContainsFunc(m.Relations, func(r Relation) bool { return r.Name == name })
}

// runProcess starts the process. Where that dies at a model, killed is its name and the error says of what.
func (a *modelAttempt) runProcess(ctx context.Context, program sandbox.Program) (killed string, err error) {
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	tooLong := fmt.Errorf("it took longer than %s and was stopped", a.within)
	clock := time.AfterFunc(a.within, func() { end(tooLong) })
	defer clock.Stop()
	err = program.Run(limited, "models", sandbox.Limits{Memory: read.DefaultMemory}, a.request, func(kind byte, payload []byte) error {
		clock.Reset(a.within)
		return a.recordMessage(kind, payload)
	})
	var died *sandbox.ProcessDied
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
	return a.userModels[a.at].Name, err
}

// recordMessage notes what the process tells of a model.
func (a *modelAttempt) recordMessage(kind byte, payload []byte) error {
	var n modelOutcome
	if err := json.Unmarshal(payload, &n); err != nil || n.Model < 0 || n.Model >= len(a.userModels) {
		return fmt.Errorf("the result of model %d of %d cannot be read: %w", n.Model, len(a.userModels), err)
	}
	r := a.userModels[n.Model]
	switch kind {
	case begunKind:
		a.at = n.Model
	case madeKind:
		a.made = append(a.made, r)
	case failedKind:
		a.recordFailure(r, n.Line, errors.New(n.Text))
	}
	return nil
}
