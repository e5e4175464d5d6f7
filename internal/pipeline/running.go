package pipeline

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table shows a run under way to a person who watches it: what it does, how far it is, when it may end, and each stream. It
// has no line break at its end.
func (r *Running) Table() string {
	t := table.NewWriter()
	t.SetStyle(plainStyle())
	t.AppendHeader(table.Row{"STREAM", "DOING", "READ", "ROWS", "HISTORY"})
	t.SetColumnConfigs(right(3, 4, 5))
	for _, s := range r.Streams {
		t.AppendRow(table.Row{s.Stream, s.Phase, thousands(s.Extracted), thousands(s.Rows), fmt.Sprintf("%.0f %%", 100*s.Backfill)})
	}
	return r.Line() + "\n" + draw(t)
}

// Line says in a line what it does, how far it is, and when it may end.
func (r *Running) Line() string {
	return fmt.Sprintf("%s %s for %s: %s%s, %s", r.Pipeline, r.Doing, brief(r.At.Sub(r.Started)), r.share(), many(int(r.Rows), "row"), many(int(r.Requests), "request"))
}
