package dictionary

import (
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// ModelRelation is a model as a publish makes it: a user's own in a process of its own.
func ModelRelation(m schemas.Relation) publish.Relation {
	r := PublishedRelation(m)
	r.File, r.Line, r.Own = m.File, m.Line, !models.IsBuiltin(m.Name)
	return r
}

// PublishedRelation is a relation of the stream files in the words of the package that publishes it.
func PublishedRelation(r schemas.Relation) publish.Relation {
	relation := publish.Relation{Name: r.Name, Kind: r.Kind, Doc: r.Doc, SQL: r.SQL, Union: r.Union}
	for _, c := range r.Columns {
		relation.Columns = append(relation.Columns, publish.Column(c))
	}
	return relation
}
