package runner

import (
	"slices"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
	"aqueduck/transform/compat"
)

// workspaceModels returns the models over one workspace's tables.
func (r *Runner) workspaceModels(workspace string) publish.Models {
	m := publish.Models{Schema: config.ModelSchema(workspace), Values: publish.Values{Timezone: r.Config.Warehouse.Timezone, Office: r.Config.Warehouse.Office}}
	for _, each := range r.Config.Models {
		m.Relations = append(m.Relations, dictionary.ModelRelation(each))
	}
	return m
}

// compatViews returns the views that show one workspace's tables as those of another program. Without them it names their schema, which is then dropped.
func (r *Runner) compatViews(workspace string) (publish.Models, error) {
	m := publish.Models{Schema: compat.Schema(workspace)}
	if r.Config.Compat == "" {
		return m, nil
	}
	views, err := compat.Views(func(stream string) bool {
		s, ok := r.Catalogue.Stream(stream)
		return ok && s.History
	})
	for _, v := range views {
		relation := dictionary.PublishedRelation(v)
		relation.File, relation.Line = v.File, v.Line
		m.Relations = append(m.Relations, relation)
	}
	return m, err
}

// keptColumns returns the columns, as table.column, that keep their values when a person is erased.
func keptColumns(r *Runner) map[string]bool {
	kept := map[string]bool{}
	for _, s := range r.Catalogue.Streams() {
		for _, column := range r.Config.Settings(s.Name).KeepErased {
			for _, t := range transform.Tables(s) {
				if slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return config.IsKeepable(c) && c.Name == column }) {
					kept[t.Name+"."+column] = true
				}
			}
		}
	}
	return kept
}

// CurrentRows says where the current records of a stream are. A published relation with the stream's name has them, whichever stream read them;
// the relation with _all at the end has the others too. Without such a relation it is the stream's own table.
func (r *Runner) CurrentRows(s *schemas.Stream) (load.Current, error) {
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

// attributeViews returns the views of a stream's custom attributes: over the relation with the stream's name, or else over its table. A stream
// that only feeds relations has none: the view of the stream that it is read along with has its attributes.
func attributeViews(s *schemas.Stream, streams []*schemas.Stream, relations []publish.Relation) (all []publish.Attributes) {
	own := s.Name
	if !slices.ContainsFunc(relations, func(r publish.Relation) bool { return r.Name == own }) {
		if s.Internal || s.Into != "" {
			return nil
		}
		own = s.Table
	}
	for _, c := range s.Columns {
		if c.Attributes != "" {
			tables := []string{transform.Tables(s)[0].Name}
			for _, other := range streams {
				if other.With == s.Name && slices.ContainsFunc(other.Columns, func(o schemas.Column) bool { return o.Name == c.Name && o.Attributes == c.Attributes }) {
					tables = append(tables, transform.Tables(other)[0].Name)
				}
			}
			all = append(all, publish.Attributes{
				View: s.Name + "_attributes", Stream: s.Name, Raw: s.Internal, Tables: tables, Column: c.Name, Of: own, Key: s.Key, Model: c.Attributes,
				Doc: "One row per row of " + own + ": the attributes in its " + c.Name + ", each in a typed column. An attribute with values of several types is text.",
			})
		}
	}
	return all
}
