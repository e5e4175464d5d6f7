package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"aqueduck/internal/cli/render"
	"aqueduck/internal/cli/usage"
	"aqueduck/load/layout"
)

func newTop(env *Env) *cobra.Command {
	every := 2 * time.Second
	c := &cobra.Command{
		Use:   "top",
		Short: "Show the current run and the status, refreshed until Ctrl-C",
		Long: `Show what status shows, with the table of the current run, the size of the file and the free disk space. A terminal is redrawn until
Ctrl-C; without a terminal it is written once. It reads what status reads, and needs neither token nor network.`,
		Example: "  aqueduck top\n  aqueduck top --every 10s",
		Args:    usage.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			if every < 100*time.Millisecond {
				return usage.Errorf(c, "%s: expected 100ms or more", usage.WrittenFlag(c, "every", every.String()))
			}
			draw := func() (string, error) { return drawTop(c.Context(), env) }
			if env.written.Columns() > 0 {
				return render.WatchTop(c.Context(), env.Stdout, draw, func() error { return env.Wait(c.Context(), every) })
			}
			view, err := draw()
			if err == nil {
				_, err = fmt.Fprintln(env.Stdout, view)
			}
			return err
		},
	}
	usage.DurationVar(c.Flags(), &every, "every", "time between two redraws, at least 100ms (default 2s)")
	return c
}

// drawTop reads the status and draws it, for a terminal of the present size.
func drawTop(ctx context.Context, env *Env) (string, error) {
	s, _, err := readStatus(ctx, env, false)
	if err != nil {
		return "", err
	}
	dir := layout.Dir(s.Dir)
	room, err := dir.Room()
	if err != nil {
		return "", err
	}
	var bytes int64
	if info, err := os.Stat(dir.Link()); err == nil { // before the first publish there is none
		bytes = info.Size()
	}
	columns, lines := env.terminalSize(env.written.to)
	return render.TopView(s, bytes, room.String(), cmp.Or(columns, 1000), cmp.Or(lines, 1000)), nil // a pipe gets everything
}
