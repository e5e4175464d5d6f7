package main

import (
	"github.com/spf13/cobra"

	"aqueduck/schemas"
)

// completePipelines gives the shell the names of the pipelines; none while the configuration has mistakes.
func (a *app) completePipelines(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	config, _, err := a.load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, p := range config.Pipelines {
		names = append(names, p.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
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
