package dictionary

import (
	"strings"

	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// ModelRelation converts a model for publishing. A user's model is built in a separate process.
func ModelRelation(m schemas.Relation) publish.Relation {
	r := PublishedRelation(m)
	r.File, r.Line, r.Own = m.File, m.Line, !models.IsBuiltin(m.Name)
	return r
}

// PublishedRelation converts a relation of the stream files for publishing.
func PublishedRelation(r schemas.Relation) publish.Relation {
	relation := publish.Relation{Name: r.Name, Kind: r.Kind, Doc: r.Doc, SQL: r.SQL, Union: r.Union, RowsOf: r.RowsOf, Private: r.Private}
	for _, source := range r.ChangedBy {
		table, column, _ := strings.Cut(source, ".")
		relation.Key, relation.ChangedBy = r.Key[0], append(relation.ChangedBy, publish.KeyColumn{Table: table, Column: column})
	}
	for _, c := range r.Columns {
		relation.Columns = append(relation.Columns, publish.Column(c))
	}
	return relation
}
