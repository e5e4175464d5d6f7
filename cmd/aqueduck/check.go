package main

import (
	"context"
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
	online := false
	c := &cobra.Command{
		Use:   "check",
		Short: "Report every mistake of pipelines.yaml and of the stream files",
		Long: `Read the configuration and all stream files and report all mistakes at once, each with its line, its column and
what to write instead. Needs neither token nor network. Exit code 3 when there is a mistake.

With --online each workspace is asked for the smallest page of each stream: which the token can read, and why not the
others: the plan, a scope of the token, the API version, or that there is no such thing (404). Nothing is written.`,
		Example:     "  aqueduck check\n  aqueduck check -f other.yaml\n  aqueduck check -o json\n  aqueduck check --online",
		Args:        noArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(c *cobra.Command, _ []string) error {
			if online {
				return a.online(c.Context())
			}
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
	c.Flags().BoolVar(&online, "online", false, "ask each workspace which streams its token can read (needs the token)")
	return c
}

// online says which streams the tokens can read.
func (a *app) online(ctx context.Context) error {
	runner, err := a.looker()
	if err != nil {
		return err
	}
	answers, err := runner.Online(ctx)
	if err != nil {
		return err
	}
	if answers.Failed() {
		a.exit = pipeline.ExitFailed
	}
	if a.output == "json" {
		return a.encode(answers)
	}
	answers.Print(a.stdout)
	return nil
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
