package pipeline

import (
	"context"
	"fmt"
	"slices"

	"aqueduck/load"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// alignHistories makes the open states of the histories those of the records that readers are about to be shown (T177).
func alignHistories(ctx context.Context, r *run) error {
	for _, w := range r.workspaces {
		if w.lost != nil {
			continue
		}
		for _, s := range r.runner.stored(w.name) {
			if !s.History || s.Into != "" || s.Family() {
				continue
			}
			current, err := r.runner.current(s)
			if err != nil {
				return err
			}
			err = r.writer.use(func(work *load.Work) error {
				_, err := work.AlignHistory(ctx, w.name, current, w.client.Now())
				return err
			})
			if err != nil {
				return fmt.Errorf("stream %s: %w", s.Name, err)
			}
		}
	}
	return nil
}

// current says which records of a stream are there. Where one of the relations that it publishes has its name, that has them, by
// whichever stream they were read, and the one of its name with _all what became of the others.
func (r *Runner) current(s *schemas.Stream) (load.Current, error) {
	c := load.Current{Table: transform.Tables(s)[0]}
	if s.PublishAs == "" {
		return c, nil
	}
	relations, err := r.Catalogue.Relations(s.PublishAs)
	if err != nil {
		return c, err
	}
	at := slices.IndexFunc(relations, func(relation schemas.Relation) bool { return relation.Name == s.Name })
	if at < 0 {
		return c, nil
	}
	for _, relation := range relations[:at+1] {
		c.Relations = append(c.Relations, load.Derived{Name: relation.Name, Kind: relation.Kind, SQL: relation.SQL})
		says := slices.ContainsFunc(relation.Columns, func(column schemas.RelationColumn) bool { return column.Name == transform.Lifecycle })
		if relation.Name == s.Name+"_all" && says {
			c.Lifecycle = relation.Name
		}
	}
	return c, nil
}

// freezeHistories ends the states of histories that the configuration keeps no longer, and says so: the tables stay as they are.
func freezeHistories(ctx context.Context, r *run, w *workspace) error {
	if w.lost != nil {
		return nil
	}
	var ended map[string]int64
	err := r.writer.use(func(work *load.Work) (err error) {
		ended, err = work.FreezeHistories(ctx, w.name, w.client.Now())
		return err
	})
	if err != nil {
		return err
	}
	for name, states := range ended {
		r.note(fmt.Sprintf("%s is kept no longer: %s ended with this run, and the table stays as it is, in the file and in the lake", name, many(int(states), "state")))
	}
	return nil
}
