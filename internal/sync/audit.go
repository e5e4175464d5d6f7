package sync

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"aqueduck/extract"
	"aqueduck/internal/sync/stream"
	"aqueduck/load"
	"aqueduck/transform"
)

// auditRun completes the findings of a run. An exact finding fails the run; a soft or known one with Once set is reported only if no earlier run
// has reported it.
func auditRun(ctx context.Context, r *stream.Run) error {
	ctx = context.WithoutCancel(ctx)
	var earlier map[[3]string]bool
	err := r.Writer.Use(func(work *load.Work) (err error) {
		earlier, err = work.Facts.EarlierFindings(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the findings of earlier runs: %w", err)
	}
	for _, w := range r.Workspaces {
		if err := auditOrphans(ctx, r, w); err != nil {
			return err
		}
	}
	for _, t := range r.Tasks {
		if err := auditIncomplete(ctx, r, t); err != nil {
			return err
		}
	}
	r.FindMu.Lock()
	defer r.FindMu.Unlock()
	r.Reported.Findings = nil
	for _, f := range r.Findings {
		if !f.Once || !earlier[[3]string{f.Schema, f.Stream, f.Name}] {
			r.Reported.Findings = append(r.Reported.Findings, f)
		}
	}
	return nil
}

// auditOrphans adds a finding for rows of nested lists whose record is not stored.
func auditOrphans(ctx context.Context, r *stream.Run, w *stream.Workspace) error {
	var found map[string]int64
	err := r.Writer.Use(func(work *load.Work) (err error) {
		found, err = work.Facts.Orphans(ctx, w.Name, r.Writer.Tables[w.Name])
		return err
	})
	if err != nil {
		return err
	}
	for table, n := range found {
		f := load.Finding{Schema: w.Name, Table: table, Kind: "exact", Name: "orphans", Expected: "0", Found: fmt.Sprint(n),
			Message: "rows of a nested list whose record is not stored"}
		if !slices.Contains(r.Findings, f) {
			r.AddFinding(f)
		}
	}
	return nil
}

// auditIncomplete adds a finding for the records of a stream that are still incomplete when the run ends.
func auditIncomplete(ctx context.Context, r *stream.Run, t *stream.Task) error {
	var list []transform.Incomplete
	err := r.Writer.Use(func(work *load.Work) (err error) {
		list, err = work.DeadLetters.Incomplete(ctx, t.Workspace.Name, t.Stream.Name)
		return err
	})
	list = slices.DeleteFunc(list, func(one transform.Incomplete) bool {
		return one.Reason == transform.Recheck || one.Reason == extract.NoTime
	})
	if err != nil || len(list) == 0 {
		return err
	}
	counts := map[string]int{}
	var some []string
	for _, one := range list {
		counts[one.Reason]++
		if len(some) < 3 {
			some = append(some, one.Key+" ("+cmp.Or(one.Error, one.Reason)+")")
		}
	}
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(counts)) {
		reasons = append(reasons, fmt.Sprintf("%d %s", counts[reason], reason))
	}
	r.AddFinding(load.Finding{Schema: t.Workspace.Name, Stream: t.Stream.Name, Table: t.Tables[0].Name, Kind: "exact", Name: "incomplete", Expected: "0", Found: fmt.Sprint(len(list)),
		Message: "incomplete records were received: " + strings.Join(reasons, ", ") + "; their stored values stay, and each run requests them again: " + strings.Join(some, "; ")})
	return nil
}
