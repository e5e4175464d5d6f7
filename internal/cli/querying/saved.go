package querying

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"aqueduck/docs/queries"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// AnswerSaved answers a saved query about the workspace in a schema. If the warehouse lacks a relation that it reads, the error names the streams
// that provide it; if it lacks the schema, the error names the stored workspaces.
func (a Asker) AnswerSaved(ctx context.Context, name, schema string) error {
	q, err := savedQuery(name)
	if err != nil {
		return err
	}
	if stored := runlog.StoredWorkspaces(ctx, a.Dir); len(stored) > 0 && !slices.Contains(stored, schema) {
		return runlog.NoWorkspace(schema, stored)
	}
	err = a.writeAnswer(ctx, q.In(schema, config.ModelSchema(schema)))
	if err == nil {
		return nil
	}
	if lacking := a.missingRelations(ctx, q, schema); lacking != nil {
		return lacking
	}
	return a.explainUnanswered(ctx, err)
}

// PrintSaved writes the SQL of a saved query about the workspace in a schema, with its comments. It needs no published file.
func (a Asker) PrintSaved(name, schema string) error {
	q, err := savedQuery(name)
	if err != nil {
		return err
	}
	text := q.SQL
	if schema != "main" {
		comments := ""
		for line := range strings.Lines(q.SQL) {
			if strings.HasPrefix(line, "--") {
				comments += line
			}
		}
		text = comments + q.In(schema, config.ModelSchema(schema))
	}
	if _, err = io.WriteString(a.Stdout, text); err != nil {
		return fmt.Errorf("write the SQL of the saved query: %w", err)
	}
	return nil
}

func savedQuery(name string) (queries.Query, error) {
	all, err := queries.All()
	if err != nil {
		return queries.Query{}, err
	}
	var names []string
	for _, q := range all {
		if q.Name == name {
			return q, nil
		}
		names = append(names, q.Name)
	}
	next := grammar.BeforeStep(name, names) + "list the saved queries: aqueduck query --list"
	return queries.Query{}, &problem.Problem{Class: "usage", What: fmt.Sprintf("there is no saved query %q", name), Next: next}
}

// missingRelations returns an error that names the missing relations of a saved query and the streams that provide them; nil if none is missing.
func (a Asker) missingRelations(ctx context.Context, q queries.Query, schema string) error {
	stored, there := map[string]bool{}, false
	err := read.Query(ctx, a.Dir.Readable(), "SELECT table_schema || '.' || table_name FROM information_schema.tables", func(_ []string, row []any) error {
		if row != nil {
			stored[fmt.Sprint(row[0])] = true
			there = there || strings.HasPrefix(fmt.Sprint(row[0]), schema+".")
		}
		return nil
	})
	if err != nil {
		return nil // the query itself reports that the file cannot be read
	}
	if !there {
		return runlog.NoWorkspace(schema, runlog.StoredWorkspaces(ctx, a.Dir))
	}
	missing := slices.DeleteFunc(slices.Clone(q.Reads), func(name string) bool {
		if model, ok := strings.CutPrefix(name, "models."); ok {
			return stored[config.ModelSchema(schema)+"."+model]
		}
		return stored[schema+"."+name]
	})
	if len(missing) == 0 {
		return nil
	}
	p := &problem.Problem{Class: "query", What: q.Name + " reads tables that this warehouse does not have: " + strings.Join(missing, ", ")}
	catalogue, err := schemas.Builtin()
	if err != nil {
		return err
	}
	streams, err := dictionary.StreamsForRelations(catalogue, missing)
	if err != nil {
		return err
	}
	p.Next = "add to the streams of a pipeline: " + strings.Join(streams, ", ")
	return p
}
