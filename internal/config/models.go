package config

import (
	"slices"

	"aqueduck/internal/grammar"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// takeModels adds the user's own models to the program's: they have names of their own.
func (l *loader) takeModels(v *grammar.Value) {
	l.files(v, func(name string, text []byte) {
		own, err := models.Parse(name, string(text))
		if err != nil {
			v.Report(err)
		}
		for _, m := range own {
			all := l.config.Models
			if i := slices.IndexFunc(all, func(other schemas.Relation) bool { return other.Name == m.Name }); i >= 0 {
				v.Wrong("give it another name", "%s: model %q is in %s already", name, m.Name, all[i].File)
				continue
			}
			l.config.Models = append(all, m)
		}
	})
}

// ModelSchema is where the models over a workspace's tables are.
func ModelSchema(workspace string) string {
	if workspace == "main" {
		return "models"
	}
	return workspace + "_models"
}

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
