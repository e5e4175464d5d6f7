// Package models has the analysts' models: one SQL file each, with its grain, its key and a comment for every column.
package models

import (
	"embed"
	"fmt"
	"io/fs"
	"path"

	"aqueduck/schemas"
)

//go:embed *.sql
var files embed.FS

// Placeholders are the words in braces that a model's SQL may have.
var Placeholders = []string{"schema", "raw", "models", "timezone", "office_timezone", "office_hours", "office_holidays"}

// Builtin are the built-in models, in no particular order. Their SQL names stored relations as {schema}.contacts, tables of the raw
// schema as {raw}.contacts_raw, other models as {models}.reply_pairs, and the warehouse's time zone as {timezone}.
func Builtin() ([]schemas.Relation, error) {
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list the models: %w", err)
	}
	var all []schemas.Relation
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("read the model %s: %w", name, err)
		}
		models, err := Parse(path.Join("transform/models", name), string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, models...)
	}
	return all, nil
}

// IsBuiltin reports whether a built-in model has the name; a user's model must not.
func IsBuiltin(name string) bool {
	_, err := fs.Stat(files, name+".sql")
	return err == nil
}

// Parse reads a file of models, usually of one. Its error is grammar.Mistakes.
func Parse(file, text string) ([]schemas.Relation, error) { return schemas.ParseRelations(file, text) }
