package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/grammar"
)

func (a *app) check() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Report every mistake of pipelines.yaml and of the stream files",
		Long: `Read the configuration and all stream files and report all mistakes at once, each with its line, its column and
what to write instead. Needs neither token nor network. Exit code 3 when there is a mistake.`,
		Example: "  aqueduck check -f pipelines.yaml",
		Args:    usage(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			config, catalogue, err := a.load()
			var mistakes grammar.Mistakes
			if errors.As(err, &mistakes) && a.output == "json" {
				a.exit = 3
				return json.NewEncoder(a.stdout).Encode(mistakes)
			}
			if err != nil {
				return err
			}
			if a.output == "json" {
				fmt.Fprintln(a.stdout, "[]")
				return nil
			}
			fmt.Fprintf(a.stdout, "%s is right: %d pipelines, %d workspaces, %d streams known\n",
				a.file, len(config.Pipelines), len(config.Workspaces), len(catalogue.Streams()))
			return nil
		},
	}
}
