package stream

import (
	"context"
	"fmt"

	"aqueduck/extract"
	"aqueduck/internal/problem"
	"aqueduck/load"
	"aqueduck/transform"
)

// Read reads the whole list, and then the records that arrived incomplete.
func (t *sweepReader) Read(ctx context.Context, _ extract.Phase) error {
	if err := t.sweepList(ctx); err != nil || t.Result.Cut {
		return err
	}
	return rereadIncomplete(ctx, t.Task)
}

// maxSweeps limits how often one run reads a list to confirm deletions, or to find the records that a shifting list hid.
const maxSweeps = 4

// A sweep that misses more of a table than this marks rows as gone only with the operator's consent: a source that answers with empty lists
// looks exactly like one that deleted all its records (T152).
const (
	GuardRows  = 10
	GuardShare = 0.30
	guardAll   = 3 // also when the list is empty: more rows than this need consent
)

// sweepList reads the whole list. Where a missing record means a deletion, it repeats the sweep until two sweeps miss the same stored rows: pages
// shift while a list is read, so one sweep may miss a record that is there (T28).
func (t *sweepReader) sweepList(ctx context.Context) error {
	first, resumed, err := t.firstSweep(ctx)
	if err != nil {
		return err
	}
	if t.swept = (sweptList{}); resumed {
		t.swept.commits++
	}
	var before int64 // different records that the sweeps before the last one brought
	for n := first; ; n++ {
		if t.State.Sweep == nil || t.State.Sweep.Number != n {
			t.State.Sweep, t.State.Position = &extract.Sweep{Number: n}, nil
		}
		if t.walkBegan, err = t.Run.Writer.Clock(); err != nil {
			return err
		}
		if err := t.readPages(ctx, t.phaseRequest(extract.Forward)); err != nil || t.Result.Cut {
			return err
		}
		if resumed && t.Stream.Absent == "gone" {
			// The first half of this sweep is from an earlier run, and its records may have been deleted since. The rows count; the
			// keys that it saw do not.
			first, resumed = n+1, false
			if err := t.clearSweeps(ctx); err != nil {
				return err
			}
			continue
		}
		if t.State.Sweep.MissingRows > 0 {
			all, last, err := t.countSwept(ctx, n)
			if err != nil {
				return err
			}
			// Of several lists the keys of all count, not the rows of the one that was read last.
			if stated := last + t.State.Sweep.MissingRows; all < stated {
				if n-first+1 < maxSweeps && (n == first || all > before) {
					before = all
					continue // pages shift while a list is read: another sweep may bring what this one missed
				}
				return t.failShortList(ctx, stated, all)
			}
		}
		auditSweep(t.Task, t.State.Sweep)
		if t.swept.unchanged || t.Stream.Absent != "gone" || t.State.Sweep.Capped {
			return t.endSweep(ctx)
		}
		if t.State.Sweep.MissingRows > 0 {
			// Here two sweeps may agree by chance on a record that both missed. All sweeps together brought as many records as the
			// list states, so only rows that none of them saw are gone.
			return t.softDelete(ctx, first, n, false)
		}
		agreed, err := t.deletionsConfirmed(ctx, first, n)
		if err != nil {
			return err
		}
		if agreed || n-first+1 >= maxSweeps {
			return t.softDelete(ctx, first, n, agreed)
		}
	}
}

// endSweep ends a sweep from whose missing rows nothing follows, or that has changed nothing.
func (t *sweepReader) endSweep(ctx context.Context) error {
	var err error
	if t.State.Unchanged, err = t.noteUnchanged(ctx); err != nil {
		return fmt.Errorf("stream %s: at the end of its list: %w", t.Stream.Name, err)
	}
	t.State.SyncedTo = max(t.State.SyncedTo, t.swept.reached)
	t.State.Sweep, t.State.Position, t.swept = nil, nil, sweptList{}
	return t.Commit(ctx)
}

// failShortList ends a sweep whose list keeps bringing fewer records than it states. The rows are kept, nothing is marked as gone, and the stream
// fails.
func (t *sweepReader) failShortList(ctx context.Context, stated, all int64) error {
	t.State.Sweep, t.State.Position = nil, nil
	if err := t.Commit(ctx); err != nil {
		return err
	}
	return &problem.Problem{Class: "source", Next: problem.SourceNext,
		What: fmt.Sprintf("stream %s: its list states %d records, but every sweep returned %d", t.Stream.Name, stated, all)}
}

// countSwept is the number of different records that the sweeps of this run have brought together, and that sweep n has brought.
func (t *sweepReader) countSwept(ctx context.Context, n int) (all, last int64, err error) {
	err = t.Run.Writer.Use(func(work *load.Work) (err error) {
		all, last, err = work.Sweeps.SeenKeys(ctx, t.Workspace.Name, t.Stream.Name, n)
		return err
	})
	if err != nil {
		return 0, 0, fmt.Errorf("stream %s: count the records of its sweeps: %w", t.Stream.Name, err)
	}
	return all, last, nil
}

// firstSweep returns the number of this run's first sweep. A sweep that the previous run left in its middle is continued. Other keys of earlier
// sweeps are deleted: they belong to a run that was killed or to a checkpoint that was reset, and say nothing about today.
func (t *sweepReader) firstSweep(ctx context.Context) (n int, resumed bool, err error) {
	if t.State.Sweep != nil && t.State.Window != nil {
		return t.State.Sweep.Number, true, nil
	}
	t.State.Sweep, t.State.Position = nil, nil
	return 1, false, t.clearSweeps(ctx)
}

func (t *sweepReader) clearSweeps(ctx context.Context) error {
	err := t.Run.Writer.Use(func(work *load.Work) error { return work.Sweeps.ClearSeenKeys(ctx, t.Workspace.Name, t.Stream.Name) })
	if err != nil {
		return fmt.Errorf("stream %s: clear the keys of earlier sweeps: %w", t.Stream.Name, err)
	}
	return nil
}

// deletionsConfirmed reports whether the missing rows of the last sweep are certain: none is missing and the list did not change during the sweep,
// or the last two sweeps miss the same rows.
func (t *sweepReader) deletionsConfirmed(ctx context.Context, first, n int) (agreed bool, err error) {
	err = t.Run.Writer.Use(func(work *load.Work) error {
		last, _, err := work.Sweeps.Absent(ctx, t.Workspace.Name, t.Stream.Name, t.sweepOf(n))
		if err != nil {
			return err
		}
		if last == 0 && t.State.Sweep.Steady {
			agreed = true
			return nil
		}
		if n == first {
			return nil
		}
		before, _, err := work.Sweeps.Absent(ctx, t.Workspace.Name, t.Stream.Name, t.sweepOf(n-1))
		if err != nil {
			return err
		}
		both, _, err := work.Sweeps.Absent(ctx, t.Workspace.Name, t.Stream.Name, t.sweepOf(n), n-1)
		agreed = both == last && both == before
		return err
	})
	if err != nil {
		return false, fmt.Errorf("stream %s: compare the sweeps: %w", t.Stream.Name, err)
	}
	return agreed, nil
}

// softDelete marks rows as gone and ends the sweep. When the last two sweeps agree, those are the rows that both missed; otherwise the rows that
// no sweep of the run has seen. More than a guard's share of the table needs --accept-drop.
func (t *sweepReader) softDelete(ctx context.Context, first, n int, agreed bool) error {
	if agreed {
		first = max(first, n-1)
	}
	var numbers []int
	for i := first; i < n; i++ {
		numbers = append(numbers, i)
	}
	unchanged, err := t.noteUnchanged(ctx)
	if err != nil {
		return fmt.Errorf("stream %s: at the end of its list: %w", t.Stream.Name, err)
	}
	state := t.State
	state.Sweep, state.Position, state.SyncedTo = nil, nil, max(state.SyncedTo, t.swept.reached)
	err = t.Run.Writer.Use(func(work *load.Work) error {
		absent, present, err := work.Sweeps.Absent(ctx, t.Workspace.Name, t.Stream.Name, t.sweepOf(n), numbers...)
		if err != nil {
			return err
		}
		stored := absent + present
		many := absent > GuardRows && float64(absent) > GuardShare*float64(stored) || absent > guardAll && present == 0
		if many && !t.Run.Options.AcceptsDrop(t.Tables[0].Name, t.Stream.Name) {
			return &problem.Problem{Class: "data",
				What: fmt.Sprintf("%d of %d rows are missing from the source list; no row was marked deleted", absent, stored),
				Next: "check the source; if the rows are really gone: aqueduck sync --accept-drop " + t.Stream.Name}
		}
		state.Unchanged = unchanged
		if absent > 0 {
			state.Unchanged = nil
		}
		next := t.NextCheckpoint(state)
		written, err := work.Sweeps.SoftDeleteAbsent(ctx, t.Workspace.Name, t.Stream.Name, t.Base, next, t.sweepOf(n), numbers...)
		if err != nil {
			return err
		}
		t.Base, t.State = next, state
		t.Result.Add(written)
		t.Result.Gone += absent
		return nil
	})
	if err != nil {
		return fmt.Errorf("stream %s: at the end of its list: %w", t.Stream.Name, err)
	}
	return nil
}

func (t *sweepReader) sweepOf(n int) load.Sweep {
	sweep := load.Sweep{Table: t.Tables[0].Name, Number: n, Opened: t.walkBegan}
	sweep.Copies, _ = transform.SnapshotTable(t.Stream)
	if t.State.Sweep != nil && t.State.Sweep.Refused != "" {
		sweep.Column, sweep.Refused = t.Stream.Read.Over.As, t.State.Sweep.RefusedValues()
	}
	sweep.Day = t.Run.warehouseDate(t.Workspace.Client.Now())
	return sweep
}
