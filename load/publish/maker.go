package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"aqueduck/internal/sandbox"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// Tasks are what processes of this program are asked to do for a publish, or of a published file.
func Tasks() map[string]sandbox.Task {
	all := read.Tasks()
	maps.Copy(all, map[string]sandbox.Task{"models": makeOrdered})
	return all
}

// modelRequest is what a process makes, in which database.
type modelRequest struct {
	Options duck.Options
	Schema  string
	There   []string // models that are made
	Models  []requestedModel
}

// requestedModel is one of its models.
type requestedModel struct {
	Relation
	Reads []string // models: where one of them was not made, this one is not
}

// What a process tells of a model: that it begins, then what came of it.
const (
	begunKind  = 2
	madeKind   = 3
	failedKind = 4
)

// modelOutcome is what is told of a model, by its place in the order.
type modelOutcome struct {
	Model int
	Line  int
	Text  string // why it failed
}

// makeOrdered makes models in a database that nobody else has open. Nothing is told of one that reads what was not made.
func makeOrdered(ctx context.Context, request json.RawMessage, answer *sandbox.Answer) error {
	var o modelRequest
	if err := json.Unmarshal(request, &o); err != nil {
		return fmt.Errorf("read the models to build: %w", err)
	}
	db, err := duck.Open(ctx, o.Options)
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	there, err := relationKinds(ctx, db, o.Schema)
	if err != nil {
		return errors.Join(err, db.Close())
	}
	made := slices.Clone(o.There)
	for i, m := range o.Models {
		if slices.ContainsFunc(m.Reads, func(name string) bool { return !slices.Contains(made, name) }) {
			continue
		}
		if err := sendOutcome(answer, begunKind, modelOutcome{Model: i}); err != nil {
			return errors.Join(err, db.Close())
		}
		kind, outcome := byte(madeKind), modelOutcome{Model: i}
		if wrong := makeRelation(ctx, db, o.Schema, m.Relation, there[m.Name]); wrong != nil {
			kind, outcome.Line, outcome.Text = failedKind, lineOf(m.Relation, wrong), plainError(wrong).Error()
		} else {
			made = append(made, m.Name)
		}
		if err := sendOutcome(answer, kind, outcome); err != nil {
			return errors.Join(err, db.Close())
		}
	}
	return db.Close()
}

func sendOutcome(answer *sandbox.Answer, kind byte, n modelOutcome) error {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("report a model: %w", err)
	}
	return errors.Join(answer.Send(kind, text), answer.Flush())
}
