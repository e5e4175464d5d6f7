package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
)

func (a *app) status() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "What runs now, how the last runs went, how fresh the data is",
		Long: `Show what runs now with its percentage and the time it may still take, the last runs, how far each stream is read and
when the next run is due. Reads the published file and run.json only; needs neither token nor network.`,
		Example:     "  aqueduck status\n  aqueduck status --dir demo -o json",
		Args:        noArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			var config *pipeline.Config // without one there is no next run to tell of
			if _, err := os.Stat(a.file); err == nil {
				if config, _, err = a.load(); err != nil && a.dir == "" {
					return err
				}
				if err != nil {
					fmt.Fprintf(a.stderr, "note: %s has mistakes, so that no next run is shown: aqueduck check lists them\n", a.file)
				}
			}
			s, err := pipeline.ReadStatus(c.Context(), dir, config)
			if err != nil {
				return err
			}
			if a.output == "json" {
				return a.encode(s)
			}
			s.Print(a.stdout)
			return nil
		},
	}
}
