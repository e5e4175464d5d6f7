package publish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"aqueduck/internal/sandbox"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

// Tasks are the tasks that other processes of this program do for a publish or a query.
func Tasks() map[string]sandbox.Task {
	all := read.Tasks()
	maps.Copy(all, map[string]sandbox.Task{"models": makeOrdered})
	return all
}

// modelRequest says which models a process makes, and in which database.
type modelRequest struct {
	Options duck.Options
	Schema  string
	There   []string // names of the models that are made already
	Models  []requestedModel
}

// requestedModel is one model of a request.
type requestedModel struct {
	Relation
	Reads   []string // the models it reads; it is skipped where one of them was not made
	Written string   // its SQL with marks for the placeholders of schemas
}

// The messages about a model: it begins, then it was made or failed.
const (
	begunKind  = 2
	madeKind   = 3
	failedKind = 4
)

// modelOutcome is the result of a model, by its index in the request.
type modelOutcome struct {
	Model int
	Fault modelFault
	Text  string // why it failed
}

// makeOrdered makes models in a database that nobody else has open. It sends no message about a model that reads one
// which was not made.
func makeOrdered(ctx context.Context, request json.RawMessage, answer *sandbox.Answer) error {
	var o modelRequest
	if err := json.Unmarshal(request, &o); err != nil {
		return fmt.Errorf("read the models to build: %w", err)
	}
	db, err := duck.Open(ctx, o.Options)
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	there, err := catalog.RelationKinds(ctx, db, o.Schema)
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
		wrong := db.RequireSchemas(m.Written)
		if wrong == nil {
			wrong = makeRelation(ctx, db, o.Schema, m.Relation, there[m.Name])
		}
		if wrong != nil {
			kind, outcome.Fault, outcome.Text = failedKind, faultOf(o.Schema, m.Relation, wrong), plainError(m.Relation, wrong).Error()
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
