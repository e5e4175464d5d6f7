package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/admin"
	"aqueduck/internal/runlog"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// shellCompletion has the functions that complete command lines in a shell.
type shellCompletion struct{ env *Env }

// completePipelines returns the names of the pipelines with the outcomes of their last runs; none while the configuration has mistakes.
func (of shellCompletion) completePipelines(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	config, _, err := of.env.loadConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	// The names are completed also when the warehouse cannot be read.
	runs, _ := runlog.PastRuns(c.Context(), layout.Dir(config.Warehouse.Dir), "", math.MaxInt)
	var names []string
	for _, p := range config.Pipelines {
		name := p.Name
		if i := slices.IndexFunc(runs, func(r runlog.PastRun) bool { return r.Pipeline == p.Name }); i >= 0 {
			name += fmt.Sprintf("\tlast run %s %s", runs[i].Started.UTC().Format("2006-01-02 15:04"), runs[i].Outcome)
		}
		names = append(names, name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// asGiven makes the shell keep the order, and add no file names.
const asGiven = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// completeRuns returns the ids of the runs with their outcomes, the newest first.
func (of shellCompletion) completeRuns(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir, err := of.env.warehouseDir()
	if err != nil || len(args) > 0 {
		return nil, asGiven
	}
	runs, _ := runlog.PastRuns(c.Context(), dir, "", 20) // none if the warehouse cannot be read
	var ids []string
	for _, r := range runs {
		ids = append(ids, fmt.Sprintf("%s\t%s %s %s", completeID(r.Run, typed), r.Pipeline, r.Started.UTC().Format("2006-01-02 15:04"), r.Outcome))
	}
	return ids, asGiven
}

// completePublishedFiles returns the runs to whose published files a rollback is possible.
func (of shellCompletion) completePublishedFiles(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	dir, err := of.env.warehouseDir()
	if err != nil || len(args) > 0 {
		return nil, asGiven
	}
	files, _ := admin.PublishedFiles(c.Context(), dir) // none if the warehouse cannot be read
	var ids []string
	for _, f := range files {
		if !f.Current {
			ids = append(ids, completeID(f.Run, typed)+"\t"+f.Time())
		}
	}
	return ids, asGiven
}

// completeID returns the short id of a run; its whole id, where a person has typed the beginning of that.
func completeID(id, typed string) string {
	if typed != "" && strings.HasPrefix(id, typed) {
		return id
	}
	return runlog.ShortRun(id)
}

// completeStreams returns the names of the streams of the configuration, or of the built-in ones.
func (of shellCompletion) completeStreams(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	_, catalogue, err := of.env.loadConfig()
	if err != nil {
		catalogue, err = schemas.Builtin()
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return catalogue.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeSelectors returns the names of the streams, and pipeline.stream for pipelines whose names begin with the typed text.
func (of shellCompletion) completeSelectors(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, directive := of.completeStreams(c, args, typed)
	config, _, err := of.env.loadConfig()
	if err != nil || typed == "" {
		return names, directive
	}
	for _, p := range config.Pipelines {
		for _, stream := range append([]string{"*"}, p.Streams...) {
			if pair := p.Name + "." + stream; strings.HasPrefix(pair, typed) {
				names = append(names, pair)
			}
		}
	}
	return names, directive
}

// completeWorkspaces returns the names of the workspaces.
func (of shellCompletion) completeWorkspaces(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	config, _, err := of.env.loadConfig()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return config.WorkspaceNames(), cobra.ShellCompDirectiveNoFileComp
}

// completeFlags completes the values of flags by the flags' names: a name means the same in every command.
func completeFlags(env *Env, c *cobra.Command) {
	of := shellCompletion{env}
	values := map[string]cobra.CompletionFunc{
		"select": of.completeSelectors, "exclude": of.completeSelectors, "accept-drop": of.completeStreams, "pipeline": of.completePipelines,
		"workspace": of.completeWorkspaces, "saved": completeSaved,
		"format": cobra.FixedCompletions(mistakeForms, cobra.ShellCompDirectiveNoFileComp),
	}
	for name, known := range valuesOf {
		values[name] = cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if complete, ok := values[f.Name]; ok && c.Flag(f.Name) == f {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // it fails only for a flag that already has a function
		}
	})
	for _, sub := range c.Commands() {
		completeFlags(env, sub)
	}
}
