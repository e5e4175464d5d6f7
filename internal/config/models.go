package config

import (
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/grammar"
	"aqueduck/load/publish"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// models gives the program's models and the user's own, which have names of their own.
func (l *loader) models(v *grammar.Value) ([]schemas.Relation, error) {
	all, err := models.Builtin()
	if err != nil {
		return nil, fmt.Errorf("read the built-in models: %w", err)
	}
	l.files(v, func(name string, text []byte) {
		own, err := models.Parse(name, string(text))
		if err != nil {
			v.Report(err)
		}
		for _, m := range own {
			if i := slices.IndexFunc(all, func(other schemas.Relation) bool { return other.Name == m.Name }); i >= 0 {
				v.Wrong("give it another name", "%s: model %q is in %s already", name, m.Name, all[i].File)
				continue
			}
			all = append(all, m)
		}
	})
	return all, nil
}

// office gives the office hours of a warehouse, none where it has none.
func office(warehouse *grammar.Value) publish.Office {
	v := warehouse.Key("office_hours")
	office := publish.Office{Timezone: v.Key("timezone").Text()}
	if office.Timezone == "" {
		office.Timezone = warehouse.Key("timezone").Text()
	}
	for i, day := range weekdays {
		for _, stretch := range v.Key(day).Texts() {
			opens, ends, _ := strings.Cut(stretch, "-")
			office.Hours = append(office.Hours, publish.Hours{Weekday: i + 1, Opens: opens, Ends: ends})
		}
	}
	office.Holidays = v.Key("holidays").Texts()
	return office
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
