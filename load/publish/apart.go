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
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// finishIsolated lets a process of its own make the models of users, and finishes the copy.
func (p *publishRun) finishIsolated(ctx context.Context) error {
	for _, b := range p.models {
		if err := b.makeIsolated(ctx, p.spec.Program, p.copyOptions(p.copyPath())); err != nil {
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

// makeIsolated makes the models of users by a process of its own, in a database that nobody has open and that has no log.
// A model that crashes the process, or takes too long, is skipped: its log is removed, and another process makes the
// remaining models from the beginning.
func (b *modelBuild) makeIsolated(ctx context.Context, program sandbox.Program, o duck.Options) error {
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
			return err // no model caused it
		}
		lethal[killed] = err
		if err := os.Remove(o.Path + ".wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove the files of an ended process: %w", err)
		}
	}
}

// modelAttempt is one process that makes models of users.
type modelAttempt struct {
	modelBuild // the models made there, and those that failed

	request modelRequest
	within  time.Duration // the longest time for one model
	at      int           // index in userModels of the model being made; -1: none yet
}

// newAttempt plans a process for all models except lethal ones.
func (b *modelBuild) newAttempt(o duck.Options, lethal map[string]error) *modelAttempt {
	a := &modelAttempt{modelBuild: modelBuild{schema: b.schema, made: slices.Clone(b.made)}, within: cmp.Or(b.schema.Models.Longest, longestModel), at: -1}
	o.Memory = min(o.Memory, read.DefaultMemory/2) // the process may use twice that, since DuckDB does not count all of its memory
	a.request = modelRequest{Options: o, Schema: b.schema.Models.Schema}
	for _, r := range b.userModels {
		switch {
		case lethal[r.Name] != nil:
			a.recordFailure(r, modelFault{Line: r.Line}, lethal[r.Name])
		case b.defined && !isTable(r):
			a.made = append(a.made, r)
		default:
			reads := slices.DeleteFunc(clause.ReferencedNames(r.SQL, modelPrefix), func(name string) bool { return !b.schema.Models.hasModel(name) })
			a.request.Models = append(a.request.Models, requestedModel{b.substituteModel(r), reads, b.schema.Models.substituteValues(duck.MarkPlaceholders(r.SQL))})
			a.userModels = append(a.userModels, r)
		}
	}
	for _, r := range a.made {
		a.request.There = append(a.request.There, r.Name)
	}
	return a
}

// hasModel reports whether one of the models has a name.
func (m Models) hasModel(name string) bool {
	return slices.ContainsFunc(m.Relations, func(r Relation) bool { return r.Name == name })
}

// runProcess runs the process. Where a model crashes it, killed is the model's name, and the error says why.
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

// recordMessage records what the process reports about a model.
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
		a.recordFailure(r, n.Fault, errors.New(n.Text))
	}
	return nil
}
