package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// ladder is the order in which a column widens: each type holds all values of those before it.
var ladder = []schemas.Type{schemas.Bool, schemas.Int, schemas.Double, schemas.Text}

// stored are the types as the database calls them.
var stored = map[string]schemas.Type{"BOOLEAN": schemas.Bool, "BIGINT": schemas.Int, "DOUBLE": schemas.Double, "VARCHAR": schemas.Text}

// evolve gives the streams of a workspace with the columns widened that were found not to hold what came, where the
// configuration wants that, or that are wide already: a column never narrows.
func (r *run) evolve(ctx context.Context, w *workspace, streams []*schemas.Stream) ([]*schemas.Stream, error) {
	var misfits []load.Misfit
	err := r.writer.use(func(work *load.Work) (err error) {
		misfits, err = work.Misfits(ctx, w.name)
		return err
	})
	if err != nil || len(misfits) == 0 {
		return streams, err
	}
	evolved := slices.Clone(streams)
	for i, s := range streams {
		evolved[i] = widened(s, misfits, r.config.Settings(s.Name).OnChange == "evolve")
		if at := slices.Index(w.streams, s); at >= 0 {
			w.streams[at] = evolved[i]
		}
		if evolved[i] != s {
			r.writer.describe(w.name, tables(evolved[i:i+1]))
		}
	}
	return evolved, nil
}

// widened is a stream with its columns as wide as what came needs.
func widened(s *schemas.Stream, misfits []load.Misfit, wanted bool) *schemas.Stream {
	next := *s
	own := transform.Tables(s)[0].Name
	changed := false
	widen := func(table string, columns []schemas.Column, key []string) []schemas.Column {
		columns = slices.Clone(columns)
		for i, c := range columns {
			at := slices.IndexFunc(misfits, func(m load.Misfit) bool { return m.Table == table && m.Column == c.Name })
			if at < 0 || slices.Contains(key, c.Name) {
				continue
			}
			if to := widest(c.Type, misfits[at]); to != c.Type && (wanted || stored[misfits[at].Stored] == to) {
				columns[i].Type, columns[i].Widened, changed = to, true, true
			}
		}
		return columns
	}
	next.Columns = widen(own, s.Columns, s.Key)
	next.Children = slices.Clone(s.Children)
	for i, c := range s.Children {
		next.Children[i].Columns = widen(c.Table, c.Columns, c.Key)
	}
	if !changed {
		return s
	}
	return &next
}

// widest is the type that holds what a column has and what it was found not to hold. Objects and lists widen nothing: they
// are not values of a column, and stay in _extra.
func widest(declared schemas.Type, m load.Misfit) schemas.Type {
	at := slices.Index(ladder, declared)
	if at < 0 {
		return declared
	}
	at = max(at, slices.Index(ladder, stored[m.Stored]))
	for _, kind := range m.Types {
		at = max(at, slices.Index(ladder, schemas.Type(kind)))
	}
	if ladder[at] == schemas.Double && m.Rounded {
		return schemas.Text
	}
	return ladder[at]
}

// describe has tables published as they are now.
func (w *writer) describe(schema string, tables []transform.Table) {
	at := slices.IndexFunc(w.spec.Schemas, func(s publish.Schema) bool { return s.Name == schema })
	for _, t := range tables {
		if i := slices.IndexFunc(w.spec.Schemas[at].Tables, func(old transform.Table) bool { return old.Name == t.Name }); i >= 0 {
			w.spec.Schemas[at].Tables[i] = t
		}
	}
}

// refuseNews stops a stream whose configuration wants no change, when its records have something that was not there before.
// Its first run is what later ones are held against.
func (t *task) refuseNews(ctx context.Context, news []transform.News) error {
	if len(news) == 0 || t.base.Seq == 0 || t.run.config.Settings(t.stream.Name).OnChange != "fail" {
		return nil
	}
	var known map[[3]string]bool
	err := t.run.writer.use(func(work *load.Work) (err error) {
		known, err = work.Known(ctx, t.workspace.name, t.stream.Name)
		return err
	})
	if err != nil {
		return err
	}
	var fresh []string
	for _, n := range news {
		if !known[[3]string{n.Table, n.Column, n.Path}] {
			fresh = append(fresh, fmt.Sprintf("%s.%s (%s)", n.Table, n.Path, n.Type))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return &Problem{Class: "data",
		What: fmt.Sprintf("stream %s: its records have what they had not before: %s; nothing of it was stored, the mark did not move", t.stream.Name, strings.Join(fresh, ", ")),
		Next: "give it a column in " + t.stream.File + ", or take on_change: fail out of pipelines.yaml"}
}
