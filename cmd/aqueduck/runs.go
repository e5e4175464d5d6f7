package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
	"aqueduck/load/layout"
)

func (a *app) runs() *cobra.Command {
	most, name := 20, ""
	c := &cobra.Command{
		Use:   "runs",
		Short: "How past runs ended, or all about one",
		Long: `List past runs, the newest first, those too that could publish nothing, as MOVED, the commands that moved checkpoints by hand
(aqueduck state) and, as LEFT OUT, the times of schedules that had no run. Needs neither token nor network; the published file and what is noted beside it are read.`,
		Example:     "  aqueduck runs\n  aqueduck runs -n 5 --pipeline nightly -o json\n  aqueduck runs show",
		Args:        subcommand,
		Annotations: map[string]string{forms: "json csv"},
		RunE: func(c *cobra.Command, _ []string) error {
			if most < 1 {
				return misused(c, "-n: at least one run")
			}
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			runs, err := pipeline.History(c.Context(), dir, name, most)
			if err != nil {
				return err
			}
			if len(runs) == 0 && name != "" {
				if err := a.known(name); err != nil {
					return err
				}
			}
			return a.listRuns(runs)
		},
	}
	c.Flags().IntVarP(&most, "number", "n", most, "how many")
	c.Flags().StringVar(&name, "pipeline", "", "only those of this pipeline")
	c.AddCommand(a.runsShow())
	return c
}

// known refuses a name that no pipeline has, when there is a configuration to look it up in. One that pipelines.yaml had once is
// no mistake: its runs are listed.
func (a *app) known(name string) error {
	if config, _, err := a.load(); err == nil {
		_, unknown := config.Select([]string{name})
		return unknown
	}
	return nil
}

func (a *app) listRuns(runs []pipeline.PastRun) error {
	if a.output == "json" {
		return a.encode(runs)
	}
	out := newRows(a.output, a.stdout)
	if err := out.columns([]string{"run", "pipeline", "started", "finished", "outcome", "exit", "rows", "requests", "error", "note"}); err != nil {
		return err
	}
	for _, r := range runs {
		text := r.Error
		if r.Class != "" {
			text = "[" + r.Class + "] " + text
		}
		note := r.Note()
		if a.output == "table" {
			text, note = shortened(text), shortened(note)
		}
		err := out.row([]any{r.Run, r.Pipeline, moment(r.Started.Truncate(time.Second)), moment(r.Finished.Truncate(time.Second)), r.Outcome, int64(r.Exit), r.Rows, r.Requests, text, note})
		if err != nil {
			return err
		}
	}
	return out.end()
}

func (a *app) runsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [RUN]",
		Short: "All about one run: its streams, errors with their next steps, findings, changes of the source",
		Long: `Show the last run, or the one, or the move by hand, whose id begins with RUN: how it ended and what to do next, what it did for each stream, what the
audit found, which fields of the source were new, what did not fit, and what was published. With -v, and in JSON, also where each value of
the configuration came from that it went by: line of the file, variable, flag or default; never what it was.`,
		Example:           "  aqueduck runs show\n  aqueduck runs show 01K9 -o json\n  aqueduck runs show -v",
		Args:              atMostOne("a run"),
		Annotations:       map[string]string{forms: "json"},
		ValidArgsFunction: a.completeRuns,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				id = args[0]
			}
			run, err := pipeline.FindRun(c.Context(), dir, id)
			if err != nil {
				return err
			}
			if a.verbose > 0 || a.output == "json" {
				trace, err := pipeline.ReadTrace(dir, run.Run)
				if err != nil {
					return err
				}
				if trace != nil {
					run.Configuration = trace.Configuration
				}
			}
			if a.output == "json" {
				return a.encode(run)
			}
			run.Print(a.stdout)
			return nil
		},
	}
}

func (a *app) rollback() *cobra.Command {
	list, yes := false, false
	c := &cobra.Command{
		Use:   "rollback [RUN]",
		Short: "Give readers an older published file again",
		Long: `Make the file that an older run published the one that readers have: the one before, or that of the run whose id begins with
RUN. What was committed since goes, with the marks: the next run goes on from that file and reads again what came since, so stop the
schedule first if readers are to keep it. The Parquet files stay as they are until the next publish. Shows both files, and asks first.`,
		Annotations:       map[string]string{forms: "json csv"},
		Example:           "  aqueduck rollback --list\n  aqueduck rollback\n  aqueduck rollback 01K9 --yes",
		Args:              atMostOne("a run"),
		ValidArgsFunction: a.completeFiles,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			if list {
				return a.listFiles(dir)
			}
			run := ""
			if len(args) > 0 {
				run = args[0]
			}
			runner := &pipeline.Runner{Dir: dir, Now: a.now, Wait: a.wait, Log: a.log()}
			done, err := runner.Rollback(c.Context(), run, func(from, to pipeline.PublishedFile) (bool, error) {
				fmt.Fprintf(a.stderr, "- %s of %s\n+ %s of %s\n", from.Run, from.At.Format(time.RFC3339), to.Run, to.At.Format(time.RFC3339))
				if yes {
					return true, nil
				}
				return a.agrees("give readers the older one? [y/N] ")
			})
			if err == nil && !done {
				fmt.Fprintln(a.stderr, "nothing was changed")
			}
			return err
		},
	}
	c.Flags().BoolVar(&list, "list", false, "list the published files that are kept")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

func (a *app) listFiles(dir layout.Dir) error {
	files, err := pipeline.PublishedFiles(dir)
	if err != nil {
		return err
	}
	if a.output == "json" {
		return a.encode(append([]pipeline.PublishedFile{}, files...))
	}
	out := newRows(a.output, a.stdout)
	if err := out.columns([]string{"run", "published_at", "bytes", "current"}); err != nil {
		return err
	}
	for _, f := range files {
		if err := out.row([]any{f.Run, f.At, f.Bytes, f.Current}); err != nil {
			return err
		}
	}
	return out.end()
}
