package publish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"aqueduck/internal/sandbox"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// RelationOutline is a table, view or model with its columns and DuckDB's types.
type RelationOutline struct {
	Name    string
	Kind    string // table or view
	Doc     string
	Model   bool // in the schema of the models
	Columns []transform.Column
}

// Outline gives the relations of a schema in the published file before any row was read. It lacks the attributes, which
// depend on rows, models of tables that are not there, and those that failed. It makes everything once in a temporary
// file, which it removes. program makes the models of users in a process of its own.
func Outline(ctx context.Context, s Schema, program sandbox.Program) (all []RelationOutline, failed []FailedModel, err error) {
	dir, err := os.MkdirTemp("", "aqueduck-outline-")
	if err != nil {
		return nil, nil, fmt.Errorf("create a directory for the outline: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	options := duck.Options{Path: filepath.Join(dir, "outline.duckdb"), TempDir: dir}
	db, err := duck.Open(ctx, options)
	if err != nil {
		return nil, nil, fmt.Errorf("make a file for the outline: %w", err)
	}
	b := &modelBuild{schema: s}
	known, err := b.makeEmpty(ctx, db)
	if err == nil && b.needsProcess() {
		err = db.Checkpoint(ctx)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, nil, fmt.Errorf("outline %s: %w", s.Name, err)
	}
	if err := b.makeIsolated(ctx, program, options); err != nil {
		return nil, nil, fmt.Errorf("outline %s: %w", s.Name, err)
	}
	for _, r := range b.made {
		known = append(known, relationMeaning{modelPrefix, r.Name, r.Kind, r.Doc, false, inheritMeanings(r, known)})
	}
	if db, err = duck.Open(ctx, options); err != nil {
		return nil, nil, fmt.Errorf("read the outline: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	all, err = outlineRelations(ctx, db, s, known)
	return all, b.failed, err
}

// makeEmpty makes the tables, the relations and the program's models of a schema, without rows.
func (b *modelBuild) makeEmpty(ctx context.Context, db *duck.DB) (known []relationMeaning, err error) {
	s := b.schema
	statements := []string{"CREATE SCHEMA IF NOT EXISTS " + duck.Name(s.Name), "CREATE SCHEMA IF NOT EXISTS " + duck.Name(duck.RawSchema(s.Name))}
	for _, t := range s.Tables {
		columns := make([]string, len(t.Columns))
		for i, c := range t.Columns {
			columns[i] = duck.Name(c.Name) + " " + c.SQL
		}
		statements = append(statements, "CREATE TABLE "+clause.Stored(s.Name, t)+" ("+strings.Join(columns, ", ")+")")
	}
	if _, err := db.Exec(ctx, strings.Join(statements, ";\n")); err != nil {
		return nil, err
	}
	if err := s.makeViews(ctx, db); err != nil {
		return nil, err
	}
	return schemaMeanings(s), b.makeModels(ctx, db)
}

func outlineRelations(ctx context.Context, db *duck.DB, s Schema, known []relationMeaning) (all []RelationOutline, err error) {
	columns := map[string]map[string][]duck.StoredColumn{}
	for prefix, schema := range map[string]string{schemaPrefix: s.Name, modelPrefix: s.Models.Schema} {
		if columns[prefix], err = db.Columns(ctx, schema); err != nil {
			return nil, err
		}
	}
	for _, d := range known {
		if d.prefix == rawPrefix {
			continue // its readers find it under its old name
		}
		one := RelationOutline{Name: d.name, Kind: d.kind, Doc: d.doc, Model: d.prefix == modelPrefix}
		for _, c := range columns[d.prefix][d.name] {
			column := d.columns[c.Name]
			column.Name, column.SQL = c.Name, c.Type
			one.Columns = append(one.Columns, column)
		}
		all = append(all, one)
	}
	return all, nil
}
