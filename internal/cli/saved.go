package cli

import (
	"cmp"

	"github.com/spf13/cobra"

	"aqueduck/docs/queries"
	"aqueduck/internal/cli/usage"
)

// savedOptions are the flags of `query` that replace a statement.
type savedOptions struct {
	name, workspace string
	list, sql       bool
}

// checkArguments accepts one statement, or none with --saved or --list. --sql goes with --saved.
func (s *savedOptions) checkArguments(c *cobra.Command, args []string) error {
	if s.sql && s.name == "" {
		return usage.Errorf(c, "--sql prints the SQL of a saved query: give --saved NAME too")
	}
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
