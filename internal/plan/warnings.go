package plan

import (
	"context"
	"errors"
	"slices"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
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
	refused := describeRefusals(r)
	warnings = append(warnings, refused...)
	notes, err := sync.MaskingNotes(ctx, r)
	var damaged *problem.Problem
	if errors.As(err, &damaged) && damaged.Class == "config" {
		text := damaged.Error() + "; next: " + damaged.Next
		if slices.Contains(refused, text) {
			return warnings
		}
		return append(warnings, text)
	}
	if err != nil {
		r.Log.Debug("the published file was not checked", "error", err)
	}
	return append(warnings, notes...)
}

// describeRefusals says why the next run would refuse the directory as it is now.
func describeRefusals(r *runner.Runner) (texts []string) {
	for _, refused := range sync.FindRefusals(r) {
		texts = append(texts, refused.Error()+"; next: "+refused.Next)
	}
	return texts
}
