package runner

import (
	"slices"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/load"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// workspaceModels are those over one workspace's tables.
func (r *Runner) workspaceModels(workspace string) publish.Models {
	m := publish.Models{Schema: config.ModelSchema(workspace), Values: publish.Values{Timezone: r.Config.Warehouse.Timezone, Office: r.Config.Warehouse.Office}}
	for _, each := range r.Config.Models {
		m.Relations = append(m.Relations, dictionary.ModelRelation(each))
	}
	return m
}

// keptColumns are the columns that stay when a person is erased, as table.column.
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

// CurrentRows says which records of a stream are there. Where one of the relations that it publishes has its name, that has them, by
// whichever stream they were read, and the one of its name with _all what became of the others.
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

// attributeViews are the views of a stream's attributes: over the relation of its name, where there is one, else over its table.
// A stream that only feeds relations has none.
func attributeViews(s *schemas.Stream, relations []publish.Relation) (all []publish.Attributes) {
	own := s.Name
	if !slices.ContainsFunc(relations, func(r publish.Relation) bool { return r.Name == own }) {
		if s.Internal || s.Into != "" {
			return nil
		}
		own = s.Table
	}
	for _, c := range s.Columns {
		if c.Attributes != "" {
			all = append(all, publish.Attributes{
				View: s.Name + "_attributes", Stream: s.Name, Table: transform.Tables(s)[0].Name, Column: c.Name, Of: own, Key: s.Key, Model: c.Attributes,
				Doc: "One row per row of " + own + ": the attributes in its " + c.Name + ", each in a typed column. An attribute with values of several types is text.",
			})
		}
	}
	return all
}
