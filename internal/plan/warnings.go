package plan

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"aqueduck/internal/config"
	"aqueduck/internal/dictionary"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/schemas"
)

// FindDoubts returns warnings about values that hash and drop leave readable, about deleted records that no stream reports, and about missing office
// hours. With r, they include rows that are still masked after `hash` or `drop` was removed, and refused has what the next run on this machine would
// refuse, such as a missing or damaged hash.key. An unreadable published file gives no warning: it is no mistake of the configuration.
func FindDoubts(ctx context.Context, c *config.Config, catalogue *schemas.Catalogue, r *runner.Runner) (refused, warnings []string) {
	for _, gap := range dictionary.FindMaskGaps(c, catalogue) {
		warnings = append(warnings, gap.String())
	}
	warnings = append(append(warnings, c.DeletionDoubts()...), c.OfficeDoubts()...)
	if r == nil {
		return nil, warnings
	}
	warnings = append(warnings, c.AlertDoubts()...)
	refused = append(c.ConnectionDoubts(), describeRefusals(ctx, r)...)
	missing, err := sync.CheckHashKey(ctx, r)
	var damaged *problem.Problem
	if errors.As(err, &damaged) && damaged.Class == "config" {
		missing = damaged
	}
	if missing != nil {
		if text := missing.Line(r.Given); !slices.Contains(refused, text) {
			refused = append(refused, text)
		}
	}
	notes, err := sync.MaskingNotes(ctx, r)
	if err != nil {
		r.Log.Debug("the published file was not checked", "error", err)
	}
	notes = slices.DeleteFunc(notes, func(note string) bool { return slices.Contains(refused, note) })
	return refused, repeatFlags(r.Given, append(warnings, notes...))
}

// repeatFlags adds the flags of the command line to the commands of next steps.
func repeatFlags(given problem.CLIFlags, texts []string) []string {
	for i := range texts {
		texts[i] = given.Append(texts[i])
	}
	return texts
}

// describeRefusals says why the next run would refuse the directory as it is now.
func describeRefusals(ctx context.Context, r *runner.Runner) (texts []string) {
	for _, refused := range append(sync.FindRefusals(ctx, r), findUnfit(ctx, r)...) {
		texts = append(texts, refused.Line(r.Given))
	}
	return texts
}

// findUnfit returns why a run would not store rows in the tables that are published, as the stream files are now.
func findUnfit(ctx context.Context, r *runner.Runner) (found []*problem.Problem) {
	for _, workspace := range r.Config.WorkspaceNames() {
		streams, err := widenStreams(ctx, r, workspace)
		if err == nil {
			err = runlog.WithPublished(ctx, r.Dir, func(f runlog.PublishedDB) error {
				return facts.Unfit(ctx, f.Reader, workspace, dictionary.Tables(streams))
			})
		}
		switch {
		case errors.Is(err, failure.ErrReshaped), errors.Is(err, failure.ErrNarrower):
			found = append(found, problem.Classify(fmt.Errorf("the tables of %s: %w", workspace, err)))
		case err != nil && !errors.Is(err, failure.ErrNothingPublished):
			r.Log.Debug("the tables of the published file were not compared", "error", err)
		}
	}
	return found
}
