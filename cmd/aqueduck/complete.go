package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"aqueduck/internal/pipeline"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// completePipelines gives the shell the names of the pipelines, with how their last runs went; none while the configuration has mistakes.
func (a *app) completePipelines(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	config, _, err := a.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	// A warehouse that cannot be read takes the names away from nobody.
	runs, _ := pipeline.PastRuns(c.Context(), layout.Dir(config.Warehouse.Dir), "", math.MaxInt)
	var names []string
	for _, p := range config.Pipelines {
		name := p.Name
		if i := slices.IndexFunc(runs, func(r pipeline.PastRun) bool { return r.Pipeline == p.Name }); i >= 0 {
			name += fmt.Sprintf("\tlast run %s %s", runs[i].Started.UTC().Format("2006-01-02 15:04"), runs[i].Outcome)
		}
		names = append(names, name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// asGiven has the shell show what it is given in that order, and no files.
const asGiven = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder

// completeRuns gives the shell the ids of the runs, the newest first, with what became of them.
func (a *app) completeRuns(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	dir, err := a.warehouse()
	if err != nil || len(args) > 0 {
		return nil, asGiven
	}
	runs, _ := pipeline.PastRuns(c.Context(), dir, "", 20) // of a warehouse that cannot be read none
	var ids []string
	for _, r := range runs {
		ids = append(ids, fmt.Sprintf("%s\t%s %s %s", r.Run, r.Pipeline, r.Started.UTC().Format("2006-01-02 15:04"), r.Outcome))
	}
	return ids, asGiven
}

// completeFiles gives the shell the runs whose published files readers could have again.
func (a *app) completeFiles(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	dir, err := a.warehouse()
	if err != nil || len(args) > 0 {
		return nil, asGiven
	}
	files, _ := pipeline.PublishedFiles(dir) // of a warehouse that cannot be read none
	var ids []string
	for _, f := range files {
		if !f.Current {
			ids = append(ids, f.Run+"\t"+f.At.UTC().Format("2006-01-02 15:04"))
		}
	}
	return ids, asGiven
}

// completeStreams gives the shell the names of the streams: those of the configuration, or the built-in ones.
func (a *app) completeStreams(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	_, catalogue, err := a.load()
	if err != nil {
		catalogue, err = schemas.Builtin()
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return catalogue.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeChoices gives the shell what chooses streams: their names, and those that begin as what is typed with their pipelines'.
func (a *app) completeChoices(c *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	names, directive := a.completeStreams(c, args, typed)
	config, _, err := a.load()
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

// completeWorkspaces gives the shell the names of the workspaces.
func (a *app) completeWorkspaces(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	config, _, err := a.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return config.Names(), cobra.ShellCompDirectiveNoFileComp
}

// completeFlags gives the shell the values that flags may have, by their names: the same name means the same in every command.
func (a *app) completeFlags(c *cobra.Command) {
	values := map[string]cobra.CompletionFunc{
		"select": a.completeChoices, "exclude": a.completeChoices, "accept-drop": a.completeStreams, "pipeline": a.completePipelines,
		"workspace": a.completeWorkspaces, "saved": completeSaved,
		"format": cobra.FixedCompletions(mistakeForms, cobra.ShellCompDirectiveNoFileComp),
	}
	for name, known := range valuesOf {
		values[name] = cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp)
	}
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if complete, ok := values[f.Name]; ok && c.Flag(f.Name) == f {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // it errs only where that was done before
		}
	})
	for _, sub := range c.Commands() {
		a.completeFlags(sub)
	}
}
