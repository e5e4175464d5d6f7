package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/admin"
	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

func newRollback(env *Env) *cobra.Command {
	list, yes := false, false
	c := &cobra.Command{
		Use:   "rollback [RUN]",
		Short: "Restore an older published file for readers",
		Long: `Restore the newest published file that is older than the file of readers: each rollback goes one file further back. RUN, the
beginning of a run's id or short id, names another file, also a newer one. Shows both files and asks for confirmation. --list shows
what made each file. A file from which a rollback took readers away is "left by a rollback": a later rollback may lead to it, and
the question says so.

Later commits are dropped, watermarks included: the next run reads the later changes again. Stop the schedule first if readers
should keep the file. Parquet files change with the next publish. Tables of warehouse.mirror change at once; with --dir,
only when aqueduck mirror or the next run writes them. runs and status show the rollback.`,
		Annotations:       map[string]string{forms: "json csv"},
		Example:           "  aqueduck rollback --list\n  aqueduck rollback\n  aqueduck rollback 7QRSTVWX --yes",
		Args:              usage.AtMostOne("a run"),
		ValidArgsFunction: shellCompletion{env}.completePublishedFiles,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := env.warehouseDir()
			if err != nil {
				return err
			}
			if list {
				return printFiles(c, env, dir, args)
			}
			run := strings.Join(args, "") // at most one
			runner := &runner.Runner{Dir: dir, Now: env.shownTime, Machine: env.Now, Wait: env.Wait, Log: env.newLogger()}
			if env.dir == "" { // another directory may have another store and another mirror than the configuration
				if runner, err = newReadOnlyRunner(env); err == nil {
					err = runner.CheckMirror()
				}
				if err != nil {
					return err
				}
			}
			runner.By = operatorName()
			var restored string
			done, err := admin.Rollback(c.Context(), runner, run, func(from, to admin.PublishedFile) (bool, error) {
				restored = runlog.ShortRun(to.Run)
				env.explainClockOf(env.Stderr)
				fmt.Fprintf(env.Stderr, "readers have %s, published at %s\nthey will get %s, published at %s%s\n", runlog.ShortRun(from.Run), from.Time(), restored, to.Time(), noteLeft(env, to))
				if yes {
					return true, nil
				}
				return askConfirmation(env, "give readers the "+to.Age()+" file? [y/N] ")
			})
			switch {
			case done:
				fmt.Fprintf(env.Stderr, "readers have %s now; the next run continues from it and reads later changes again\n", restored)
			case err == nil:
				fmt.Fprintln(env.Stderr, "nothing was changed")
			}
			return err
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the published files, newest first")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// noteLeft says that a rollback took readers away from a file: it may have what they were to be spared of.
func noteLeft(env *Env, f admin.PublishedFile) string {
	if !f.IsLeft() {
		return ""
	}
	return "; a rollback took readers away from this file before: for another one, see " + env.given.Append("aqueduck rollback --list")
}

func printFiles(c *cobra.Command, env *Env, dir layout.Dir, args []string) error {
	if len(args) > 0 {
		return usage.Errorf(c, "--list lists all published files: omit %s", args[0])
	}
	files, err := admin.PublishedFiles(c.Context(), dir)
	if err != nil {
		return err
	}
	if lost, err := runlog.LostPublished(dir); err != nil || lost {
		return cmp.Or(err, runlog.ExplainUnreadable(dir, failure.ErrNothingPublished))
	}
	if wrong := runlog.ExplainWrong(dir); wrong != nil {
		return wrong
	}
	switch {
	case env.output == "json":
		return env.printJSON(append([]admin.PublishedFile{}, files...))
	case env.output == "table" && len(files) == 0:
		env.printNotice("no file is published yet; next: " + env.given.Append("aqueduck sync"))
		return nil
	}
	return env.printTimes(render.ListPublished(files))
}
