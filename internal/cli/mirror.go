package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/usage"
	"aqueduck/internal/config"
	"aqueduck/internal/grammar"
	"aqueduck/internal/mirror"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
)

func newMirror(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "mirror",
		Short: "Make Apache Iceberg tables equal to the published file",
		Long: `Make the tables of warehouse.mirror equal to the published file: each table in one transaction, with its changed rows alone. Every run
does the same at its end. This command does it again after an error of the store or the catalog, or for the first time.

A table that was dropped, rolled back or changed by another program is written again. Tables of another warehouse are refused. Run
it twice: the second time changes nothing. docs/mirror.md says how engines read the tables.

"make build-mirror" makes a program that has the mirror, "make build-stores" one for gs:// and abfss://, too, and "make build-full" one
that has the worker, too. Any other ends with exit code 3; "aqueduck version" says what a program has.`,
		Annotations: map[string]string{forms: "json"},
		Example:     "  aqueduck mirror\n  aqueduck mirror -o json",
		Args:        usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			r, err := newReadOnlyRunner(env)
			if err != nil {
				return err
			}
			report, err := mirror.MirrorAlone(c.Context(), r)
			if err != nil {
				return err
			}
			if env.output == "json" {
				return env.printJSON(report)
			}
			for _, note := range report.Notes {
				env.printNotice(note)
			}
			_, err = fmt.Fprintln(env.Stdout, report)
			return err
		},
	}
}

// mirrorRun is the mirror at the end of a run.
func mirrorRun(ctx context.Context, r *runner.Runner) ([]string, error) {
	report, err := mirror.MirrorWarehouse(ctx, r)
	if err == nil && report.Changed > 0 {
		r.Log.Info("mirrored", "tables", report.Tables, "changed", report.Changed, "rows_added", report.Added, "rows_removed", report.Removed)
	}
	return report.Notes, err
}

// mirrorDoubts warns of a mirror that this program has not. The one that runs the file may have it.
func mirrorDoubts(c *config.Config) grammar.Mistakes {
	p := new(problem.Problem)
	if c.Warehouse.Mirror.Location == "" || !errors.As(mirror.Missing(c.Warehouse.Mirror.Location), &p) {
		return nil
	}
	return grammar.Mistakes{{File: c.File, Message: "warehouse.mirror: " + p.What + ": it refuses to run these pipelines", Hint: p.Next, Warning: true}}
}
