package plan

import (
	"context"
	"errors"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/load/layout"
	"aqueduck/schemas"
)

// FindDoubts returns warnings about values that hash and drop leave readable, and about deleted records that no stream reports. With r, they include what
// the next run on this machine would refuse, rows that are still masked after `hash` or `drop` was removed, and a missing or damaged hash.key. An unreadable published
// file gives no warning: it is no mistake of the configuration.
func FindDoubts(ctx context.Context, c *config.Config, catalogue *schemas.Catalogue, r *runner.Runner) (warnings []string) {
	for _, gap := range dictionary.FindMaskGaps(c, catalogue) {
		warnings = append(warnings, gap.String())
	}
	warnings = append(warnings, c.DeletionDoubts()...)
	if r == nil {
		return warnings
	}
	warnings = append(warnings, c.ConnectionDoubts()...)
	if err := layout.Trusted(r.Dir); err != nil {
		found := runner.NotUsable(err)
		warnings = append(warnings, found.Error()+"; next: "+found.Next)
	}
	notes, err := sync.MaskingNotes(ctx, r)
	var refused *problem.Problem
	if errors.As(err, &refused) && refused.Class == "config" {
		return append(warnings, refused.Error()+"; next: "+refused.Next)
	}
	if err != nil {
		r.Log.Debug("the published file was not checked", "error", err)
	}
	return append(warnings, notes...)
}
