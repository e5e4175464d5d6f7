package config

import (
	"fmt"
	"slices"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// takeModels adds the user's models to the built-in ones. A name must be unique.
func (l *configLoader) takeModels(v *grammar.Value) {
	l.readMatchingFiles(v, func(name string, text []byte) {
		own, err := models.Parse(name, string(text))
		if err != nil {
			v.Report(err)
		}
		private := l.report.IsPrivate(name)
		for _, m := range own {
			all := l.config.Models
			if i := slices.IndexFunc(all, func(other schemas.Relation) bool { return other.Name == m.Name }); i >= 0 {
				what := fmt.Sprintf("model %q", m.Name)
				if private {
					what = "one of its models"
				}
				v.Wrong("give it another name", "%s: %s is in %s already", name, what, all[i].File)
				continue
			}
			m.Private = private
			l.config.Models = append(all, m)
		}
	})
}

// ModelSchema is the schema of the models over a workspace's tables.
func ModelSchema(workspace string) string {
	if workspace == "main" {
		return "models"
	}
	return workspace + "_models"
}
