package config

import (
	"slices"

	"aqueduck/internal/grammar"
	"aqueduck/schemas"
	"aqueduck/transform/models"
)

// takeModels adds the user's own models to the program's: they have names of their own.
func (l *configLoader) takeModels(v *grammar.Value) {
	l.readMatchingFiles(v, func(name string, text []byte) {
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
