package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/grammar"
	"aqueduck/internal/pipeline"
	"aqueduck/schemas"
)

func (a *app) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Report every mistake of pipelines.yaml and of the stream files",
		Long: `Read the configuration and all stream files and report all mistakes at once, each with its line, its column and
what to write instead. Needs neither token nor network. Exit code 3 when there is a mistake.`,
		Example:     "  aqueduck check\n  aqueduck check -f other.yaml\n  aqueduck check -o json",
		Args:        noArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(*cobra.Command, []string) error {
			config, catalogue, err := a.load()
			var mistakes grammar.Mistakes
			if a.output == "json" && (err == nil || errors.As(err, &mistakes)) {
				if mistakes == nil {
					mistakes = grammar.Mistakes{}
				} else {
					a.exit = pipeline.ExitConfig
				}
				return a.encode(mistakes)
			}
			if err != nil {
				return err
			}
			return a.right(config, catalogue)
		},
	}
}

// right says what a configuration without mistakes holds.
func (a *app) right(config *pipeline.Config, catalogue *schemas.Catalogue) error {
	var pipelines, workspaces []string
	for _, p := range config.Pipelines {
		pipelines = append(pipelines, p.Name)
		for _, name := range p.Workspaces(config) {
			if !slices.Contains(workspaces, name) {
				workspaces = append(workspaces, name)
			}
		}
	}
	list := func(names []string) string { return strings.Join(names, ", ") }
	_, err := fmt.Fprintf(a.stdout, "%s is right\n  pipelines   %s\n  workspaces  %s\n  streams     %s\n",
		a.file, list(pipelines), list(workspaces), list(catalogue.Names()))
	return err
}
