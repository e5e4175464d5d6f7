package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/grammar"
	"aqueduck/internal/pipeline"
)

func (a *app) state() *cobra.Command {
	c := &cobra.Command{
		Use:   "state",
		Short: "Show or move the checkpoints of streams",
		Long: `Checkpoints live with the data, in the same transactions. Moving one back, or forgetting it, makes the next run read more;
it never removes a row.`,
		Example: "  aqueduck state show\n  aqueduck state rewind contacts --to 2026-11-01\n  aqueduck state reset contacts",
		Args:    subcommand,
		RunE:    showHelp,
	}
	c.AddCommand(a.stateShow(), a.stateRewind(), a.stateReset())
	return c
}

func (a *app) stateShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show [stream…]",
		Short: "Show how far each stream is read and where it goes on",
		Long: `Show the checkpoints of the published file: how far each stream is read, how far back its history, and where it goes on
(cut in the table, whole in JSON and CSV). Needs neither token nor network.`,
		Example:           "  aqueduck state show\n  aqueduck state show contacts -o json",
		Annotations:       map[string]string{forms: "json csv"},
		ValidArgsFunction: a.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := a.warehouse()
			if err != nil {
				return err
			}
			states, err := pipeline.ReadStates(c.Context(), dir, nil)
			if err != nil {
				return err
			}
			if states, err = a.named(c, states, args); err != nil {
				return err
			}
			return a.showStates(states)
		},
	}
}

// named are the checkpoints of these streams, of all when none is named.
func (a *app) named(c *cobra.Command, states []pipeline.StreamState, names []string) ([]pipeline.StreamState, error) {
	if len(names) == 0 {
		return states, nil
	}
	var known []string
	for _, s := range states {
		known = append(known, s.Stream)
	}
	for _, name := range names {
		if slices.Contains(known, name) {
			continue
		}
		if hint := grammar.DidYouMean(name, known); hint != "" {
			return nil, misused(c, "no checkpoint of a stream %q; %s", name, hint)
		}
		return nil, misused(c, "no checkpoint of a stream %q", name)
	}
	return slices.DeleteFunc(states, func(s pipeline.StreamState) bool { return !slices.Contains(names, s.Stream) }), nil
}

// shownState is a checkpoint as JSON has it: null for what is not there.
type shownState struct {
	Workspace string          `json:"workspace"`
	Stream    string          `json:"stream"`
	Seq       int64           `json:"seq"`
	SyncedTo  *time.Time      `json:"synced_to"`
	HistoryTo *time.Time      `json:"history_to"`
	State     json.RawMessage `json:"state"`
}

func (a *app) showStates(states []pipeline.StreamState) error {
	if a.output == "json" {
		shown := make([]shownState, len(states))
		for i, s := range states {
			shown[i] = shownState{s.Workspace, s.Stream, s.Seq, known(s.SyncedTo), known(s.HistoryTo), json.RawMessage(s.State)}
		}
		return a.encode(shown)
	}
	out := newRows(a.output, a.stdout)
	if err := out.columns([]string{"workspace", "stream", "seq", "synced_to", "history_to", "state"}); err != nil {
		return err
	}
	for _, s := range states {
		state := s.State
		if a.output == "table" {
			state = shortened(state)
		}
		if err := out.row([]any{s.Workspace, s.Stream, s.Seq, moment(s.SyncedTo), moment(s.HistoryTo), state}); err != nil {
			return err
		}
	}
	return out.end()
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// moment is a time in a row; nothing for one that is not known.
func moment(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// shortened keeps a table on the screen.
func shortened(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

func (a *app) stateRewind() *cobra.Command {
	var to string
	var yes bool
	c := &cobra.Command{
		Use:   "rewind STREAM --to TIME",
		Short: "Read a stream again from a time on",
		Long: `Move the mark of a stream that is read by time back, so that the next run reads what changed from there on again and compares.
Shows the checkpoint as it is and as it would be, and asks first.`,
		Example:           "  aqueduck state rewind contacts --to 2026-11-01\n  aqueduck state rewind contacts --to 2026-11-01T12:00:00Z --yes",
		Args:              oneArgument("a stream"),
		ValidArgsFunction: a.completeStreams,
		RunE: func(c *cobra.Command, args []string) error {
			mark, err := instant(to)
			if err != nil {
				return misused(c, "--to: %w", err)
			}
			if mark.IsZero() {
				return misused(c, "--to is missing: the date or time to read again from, e.g. --to 2026-11-01")
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
		Use:   "reset STREAM",
		Short: "Forget how far a stream is read: the next run reads all of it and compares",
		Long: `Forget the checkpoint of a stream. Its rows stay; the next run reads everything and compares. Shows the checkpoint as it
is and as it would be, and asks first.`,
		Example:           "  aqueduck state reset contacts\n  aqueduck state reset contacts --yes",
		Args:              oneArgument("a stream"),
		ValidArgsFunction: a.completeStreams,
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
	runner, err := a.looker()
	if err != nil {
		return err
	}
	changed := false
	err = do(ctx, runner, func(before, after string) (bool, error) {
		fmt.Fprintf(a.stderr, "%s\n- %s\n+ %s\n", stream, before, after)
		agreed := yes
		if !yes {
			var err error
			if agreed, err = a.agrees("change it? [y/N] "); err != nil {
				return false, err
			}
		}
		changed = changed || agreed
		return agreed, nil
	})
	if err == nil && !changed {
		fmt.Fprintln(a.stderr, "nothing was changed")
	}
	return err
}

func (a *app) agrees(question string) (bool, error) {
	fmt.Fprint(a.stderr, question)
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}
