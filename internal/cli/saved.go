package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/docs/queries"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// savedOptions are the flags of `query` that replace a statement.
type savedOptions struct {
	name, workspace string
	list            bool
}

// checkArguments accepts one statement, or none with --saved or --list.
func (s *savedOptions) checkArguments(c *cobra.Command, args []string) error {
	if s.name == "" && !s.list {
		return usage.OneArgument("an SQL statement in quotes")(c, args)
	}
	if s.name != "" && s.list {
		return usage.Errorf(c, "--saved and --list exclude each other: use one of them")
	}
	if len(args) > 0 {
		return usage.Errorf(c, "%s takes a statement or a saved query, found both", c.CommandPath())
	}
	return nil
}

// completeSaved returns the names of the saved queries, each with its question.
func completeSaved(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	all, err := queries.All()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, q := range all {
		names = append(names, cobra.CompletionWithDesc(q.Name, q.Question))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// printSaved writes the names and questions of the saved queries.
func printSaved(env *Env) error {
	all, err := queries.All()
	if err != nil {
		return err
	}
	var rows [][]any
	for _, q := range all {
		rows = append(rows, []any{q.Name, q.Question})
	}
	return env.printRows([]string{"name", "question"}, rows)
}

// answerSaved answers a saved query. If the warehouse lacks a relation that it reads, the error names the streams that provide it.
func answerSaved(ctx context.Context, env *Env, dir layout.Dir, s savedOptions, b answerOptions) error {
	q, err := savedQuery(s.name)
	if err != nil {
		return err
	}
	schema, err := schemaOf(env, s.workspace)
	if err != nil {
		return err
	}
	if stored := runlog.StoredWorkspaces(ctx, dir); s.workspace != "" && len(stored) > 0 && !slices.Contains(stored, schema) {
		return runlog.NoWorkspace(schema, stored)
	}
	err = writeAnswer(ctx, env, dir, q.In(schema, config.ModelSchema(schema)), b)
	if err == nil {
		return nil
	}
	if lacking := missingRelations(ctx, env, dir, q, schema); lacking != nil {
		return lacking
	}
	return explainUnanswered(env, err)
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

// schemaOf returns the schema of a workspace: the named one, else the first of the configuration, else main.
func schemaOf(env *Env, workspace string) (string, error) {
	if workspace != "" || env.dir != "" {
		return cmp.Or(workspace, "main"), nil
	}
	config, _, err := env.loadConfig()
	if err != nil {
		return "", err
	}
	return config.ResolveWorkspace("")
}

// missingRelations returns an error that names the missing relations of a saved query and the streams that provide them; nil if none is missing.
func missingRelations(ctx context.Context, env *Env, dir layout.Dir, q queries.Query, schema string) error {
	stored, there := map[string]bool{}, false
	err := read.Query(ctx, dir.Readable(), "SELECT table_schema || '.' || table_name FROM information_schema.tables", func(_ []string, row []any) error {
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
		return runlog.NoWorkspace(schema, runlog.StoredWorkspaces(ctx, dir))
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
