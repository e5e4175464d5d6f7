package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
	"aqueduck/schemas"
)

func (a *app) status() *cobra.Command {
	exitCode := false
	c := &cobra.Command{
		Use:   "status",
		Short: "What runs now, how the last runs went, how fresh the data is",
		Long: `Show what runs now with its percentage and the time it may still take, the last runs, how far each stream is read and
when the next run is due. A stream is late when the run that was due after it was last read well has not brought it, and its
freshness is breached when two have not; freshness: in pipelines.yaml sets other limits. Reads the published file and run.json only; needs neither token nor network.`,
		Example:     "  aqueduck status\n  aqueduck status --dir demo -o json\n  aqueduck status --exit-code",
		Args:        noArguments,
		Annotations: map[string]string{forms: "json"},
		RunE: func(c *cobra.Command, _ []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			var config *pipeline.Config // without one there is no next run to tell of
			var catalogue *schemas.Catalogue
			if _, err := os.Stat(a.file); err == nil {
				if config, catalogue, err = a.load(); err != nil && (a.dir == "" || exitCode) {
					return err
				}
				if err != nil {
					fmt.Fprintf(a.stderr, "note: %s has mistakes, so that no next run is shown, and nothing is late: aqueduck check lists them\n", a.file)
				}
			}
			s, err := pipeline.ReadStatus(c.Context(), dir, config, catalogue, a.now())
			if err != nil {
				return err
			}
			if a.output == "json" {
				err = a.encode(s)
			} else {
				s.Print(a.stdout)
			}
			if stale := s.Stale(); err == nil && exitCode && len(stale) > 0 {
				return &pipeline.Problem{Class: "freshness", Exit: pipeline.ExitBreached, What: "older than they may be: " + strings.Join(stale, ", "),
					Next: "aqueduck status shows why; aqueduck sync reads them"}
			}
			return err
		},
	}
	c.Flags().BoolVar(&exitCode, "exit-code", false, "end with 6 when the freshness of a stream is breached")
	return c
}
