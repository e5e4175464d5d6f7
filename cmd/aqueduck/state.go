package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"aqueduck/internal/pipeline"
)

func (a *app) state() *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Show or move the checkpoints of streams",
		Long: `Checkpoints live with the data, in the same transactions. Moving one back, or forgetting it, makes the next run read more;
it never removes a row.`,
		Args: usage(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(a.stateShow(), a.stateRewind(), a.stateReset())
	return c
}

func (a *app) stateShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show [stream…]",
		Short:   "Show how far each stream is read and where it goes on",
		Example: "  aqueduck state show contacts",
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			states, err := pipeline.ReadStates(c.Context(), dir, args)
			if err != nil {
				return err
			}
			if a.output == "json" {
				out := json.NewEncoder(a.stdout)
				out.SetIndent("", "  ")
				return out.Encode(states)
			}
			out := newRows(a.output, a.stdout)
			if err := out.columns([]string{"workspace", "stream", "seq", "synced_to", "history_to", "state"}); err != nil {
				return err
			}
			for _, s := range states {
				if err := out.row([]any{s.Workspace, s.Stream, s.Seq, s.SyncedTo, s.HistoryTo, s.State}); err != nil {
					return err
				}
			}
			return out.end()
		},
	}
}

func (a *app) stateRewind() *cobra.Command {
	var to string
	var yes bool
	c := &cobra.Command{
		Use:     "rewind STREAM --to TIME",
		Short:   "Read a searched stream again from a time on",
		Example: "  aqueduck state rewind contacts --to 2026-11-01",
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			mark, err := instant(to)
			if err != nil || mark.IsZero() {
				return &usageError{command: c.CommandPath(), err: errors.Join(errors.New("--to needs a date or a time"), err)}
			}
			return a.move(c.Context(), args[0], yes, func(ctx context.Context, r *pipeline.Runner, confirm pipeline.Confirm) error {
				return r.Rewind(ctx, args[0], mark, confirm)
			})
		},
	}
	c.Flags().StringVar(&to, "to", "", "the date or time to read again from")
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

func (a *app) stateReset() *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use:     "reset STREAM",
		Short:   "Forget how far a stream is read: the next run reads all of it and compares",
		Example: "  aqueduck state reset contacts --yes",
		Args:    usage(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			return a.move(c.Context(), args[0], yes, func(ctx context.Context, r *pipeline.Runner, confirm pipeline.Confirm) error {
				return r.Reset(ctx, args[0], confirm)
			})
		},
	}
	c.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return c
}

// move shows the difference, asks, and lets do change the checkpoint.
func (a *app) move(ctx context.Context, stream string, yes bool, do func(context.Context, *pipeline.Runner, pipeline.Confirm) error) error {
	runner, err := a.runner()
	if err != nil {
		return err
	}
	confirm := func(before, after string) (bool, error) {
		fmt.Fprintf(a.stderr, "%s\n- %s\n+ %s\n", stream, before, after)
		if yes {
			return true, nil
		}
		fmt.Fprint(a.stderr, "change it? [y/N] ")
		answer, err := bufio.NewReader(a.stdin).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return false, fmt.Errorf("read the answer: %w", err)
		}
		return strings.EqualFold(strings.TrimSpace(answer), "y"), nil
	}
	return do(ctx, runner, confirm)
}
