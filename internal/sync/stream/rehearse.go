package stream

import (
	"context"
	"fmt"
	"slices"

	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// Rehearse runs the SQL of users' stream files in a separate process first, because a fault inside DuckDB would end the run, and `serve` with it.
// A stream whose SQL selects its ids then fails alone. Faulty SQL of a published relation or of erasures is an error of the whole run, because
// nothing can be published without it.
func (r *Run) Rehearse(ctx context.Context, w *Workspace) error {
	var all []read.Rehearsed
	var of []ownSQL
	for _, s := range r.Runner.StoredStreams(w.Name) {
		found, err := r.ownSQL(s)
		if err != nil {
			return err
		}
		for _, one := range found {
			all, of = append(all, one.Rehearsed), append(of, one)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return r.Writer.Use(func(work *load.Work) error {
		lethal, err := work.Rehearse(ctx, r.Runner.Program, w.Name, r.Runner.Dir.Current(), all)
		if err != nil {
			return err
		}
		w.crashedSQL = map[string]error{}
		for i, one := range of {
			switch {
			case lethal[i] == nil:
			case one.ids:
				w.crashedSQL[one.stream] = lethal[i]
			default:
				err := fmt.Errorf("stream %s: try its %s: %w", one.stream, one.name, lethal[i])
				return &problem.Problem{Class: "config", What: problem.FirstLine(err), Next: "correct the SQL file, or remove the stream: nothing can be published until then"}
			}
		}
		return nil
	})
}

// ownSQL returns all SQL of a user's stream, in an order in which each piece may use the ones before it. Built-in streams have none.
func (r *Run) ownSQL(s *schemas.Stream) (all []ownSQL, err error) {
	if s.BuiltIn {
		return nil, nil
	}
	if s.Read.Over != nil && s.Read.Over.SQL != "" {
		all = append(all, ownSQL{read.Rehearsed{SQL: s.Read.Over.SQL}, s.Name, s.Read.Over.View, true})
	}
	if s.Persons != nil {
		all = append(all, ownSQL{read.Rehearsed{SQL: s.Persons.Deleted}, s.Name, "persons: forgotten", false},
			ownSQL{read.Rehearsed{SQL: s.Persons.Merged}, s.Name, "persons: merged", false})
		all = slices.DeleteFunc(all, func(one ownSQL) bool { return one.SQL == "" })
	}
	if s.PublishAs == "" {
		return all, nil
	}
	relations, err := r.Runner.Catalogue.Relations(s.PublishAs)
	for _, relation := range relations {
		all = append(all, ownSQL{read.Rehearsed{SQL: relation.SQL, Relation: relation.Name}, s.Name, "relation " + relation.Name, false})
	}
	return all, err
}
