package pipeline

import (
	"context"
	"fmt"

	"aqueduck/extract"
	"aqueduck/load"
	"aqueduck/transform"
)

// maxSweeps bounds how often a list is walked to learn what has left it, and what it has where one walk gives less than it states.
const maxSweeps = 4

// A sweep that finds this much of a table gone is believed only when the operator says so: a source that answers with
// empty lists looks exactly like one whose records were all deleted (T152).
const (
	guardRows  = 10
	guardShare = 0.30
	guardAll   = 3 // more than so many are not believed to leave a list that is empty then
)

// sweep walks the whole list. Where absence has a meaning the walk is repeated until two agree about which stored rows
// it no longer has: pages shift while they are read, so one walk alone may miss a record that is there (T28).
func (t *task) sweep(ctx context.Context) error {
	first, resumed, err := t.firstSweep(ctx)
	if err != nil {
		return err
	}
	var before int64 // records that the walks before the last have brought, together
	for n := first; ; n++ {
		if t.state.Sweep == nil || t.state.Sweep.Number != n {
			t.state.Sweep, t.state.Position = &extract.Sweep{Number: n}, nil
		}
		if t.walked, err = t.run.writer.clock(); err != nil {
			return err
		}
		if err := t.read(ctx, t.request(extract.Forward)); err != nil || t.result.Cut {
			return err
		}
		if resumed && t.stream.Absent == "gone" {
			// It has seen records that may have left since: what it read counts, and nothing that it saw.
			first, resumed = n+1, false
			if err := t.forgetSweeps(ctx); err != nil {
				return err
			}
			continue
		}
		if t.state.Sweep.Lacks > 0 {
			all, err := t.sweptSoFar(ctx)
			if err != nil {
				return err
			}
			if stated := t.state.Sweep.Rows + t.state.Sweep.Lacks; all < stated {
				if n-first+1 < maxSweeps && (n == first || all > before) {
					before = all
					continue // the list may shift while it is read, and another walk bring what this one missed
				}
				return t.endShort(ctx, stated, all)
			}
		}
		t.auditSweep(t.state.Sweep)
		if t.state.Sweep.Capped {
			t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "known", Name: "list_capped", Once: true,
				Message: fmt.Sprintf("the list stops after %d records: what it has not may still be there, and stays", t.state.Sweep.Rows)})
		}
		for _, value := range t.state.Sweep.RefusedValues() {
			t.run.find(load.Finding{Schema: t.workspace.name, Stream: t.stream.Name, Table: t.tables[0].Name, Kind: "known", Name: "value_refused", Once: true, Expected: value,
				Message: fmt.Sprintf("the source has no list of %s=%s: the others were read, and what is stored of it stays", t.stream.Read.Over.As, value)})
		}
		if t.stream.Absent != "gone" || t.state.Sweep.Capped {
			t.state.Sweep, t.state.Position = nil, nil
			return t.commit(ctx)
		}
		if t.state.Sweep.Lacks > 0 {
			// Two such walks may miss the same record. All of them together have brought as many as the list states: only the rest is gone.
			return t.retire(ctx, first, n, false)
		}
		agreed, err := t.agreed(ctx, first, n)
		if err != nil {
			return err
		}
		if agreed || n-first+1 >= maxSweeps {
			return t.retire(ctx, first, n, agreed)
		}
	}
}

// endShort ends a sweep whose list gives less than it states, each time that it is walked: of what did not come nothing is known, and
// nothing is concluded to be gone.
func (t *task) endShort(ctx context.Context, stated, all int64) error {
	t.state.Sweep, t.state.Position = nil, nil
	if err := t.commit(ctx); err != nil {
		return err
	}
	return &Problem{Class: "source", Next: sourceNext,
		What: fmt.Sprintf("stream %s: its list states %d records, and gave %d however often it was walked", t.stream.Name, stated, all)}
}

// sweptSoFar is how many different records the walks of this run have brought, together.
func (t *task) sweptSoFar(ctx context.Context) (n int64, err error) {
	err = t.run.writer.use(func(work *load.Work) (err error) {
		n, err = work.SeenKeys(ctx, t.workspace.name, t.stream.Name)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("stream %s: count what its walks have brought: %w", t.stream.Name, err)
	}
	return n, nil
}

// firstSweep is the number of this run's first walk. One that was left in its middle is walked on; what others saw that
// were never concluded from is forgotten, for it is not of today: their run was killed, or its marks were taken back.
func (t *task) firstSweep(ctx context.Context) (n int, resumed bool, err error) {
	if t.state.Sweep != nil && t.state.Window != nil {
		return t.state.Sweep.Number, true, nil
	}
	t.state.Sweep, t.state.Position = nil, nil
	return 1, false, t.forgetSweeps(ctx)
}

func (t *task) forgetSweeps(ctx context.Context) error {
	err := t.run.writer.use(func(work *load.Work) error { return work.ClearSeenKeys(ctx, t.workspace.name, t.stream.Name) })
	if err != nil {
		return fmt.Errorf("stream %s: forget what walks have seen: %w", t.stream.Name, err)
	}
	return nil
}

// agreed says whether what the last walk did not find is settled: nothing is missing from a walk during which the list
// stood still, or the two last walks miss the same rows.
func (t *task) agreed(ctx context.Context, first, n int) (agreed bool, err error) {
	err = t.run.writer.use(func(work *load.Work) error {
		last, _, err := work.Absent(ctx, t.workspace.name, t.stream.Name, t.swept(n))
		if err != nil {
			return err
		}
		if last == 0 && t.state.Sweep.Steady {
			agreed = true
			return nil
		}
		if n == first {
			return nil
		}
		before, _, err := work.Absent(ctx, t.workspace.name, t.stream.Name, t.swept(n-1))
		if err != nil {
			return err
		}
		both, _, err := work.Absent(ctx, t.workspace.name, t.stream.Name, t.swept(n), n-1)
		agreed = both == last && both == before
		return err
	})
	if err != nil {
		return false, fmt.Errorf("stream %s: compare the walks: %w", t.stream.Name, err)
	}
	return agreed, nil
}

// retire marks gone what the two walks that agree did not find, or, when none agree, what no walk found, and ends the
// sweep.
func (t *task) retire(ctx context.Context, first, n int, agreed bool) error {
	if agreed {
		first = max(first, n-1)
	}
	var numbers []int
	for i := first; i < n; i++ {
		numbers = append(numbers, i)
	}
	state := t.state
	state.Sweep, state.Position = nil, nil
	err := t.run.writer.use(func(work *load.Work) error {
		absent, present, err := work.Absent(ctx, t.workspace.name, t.stream.Name, t.swept(n), numbers...)
		if err != nil {
			return err
		}
		stored := absent + present
		many := absent > guardRows && float64(absent) > guardShare*float64(stored) || absent > guardAll && present == 0
		if many && !t.run.options.acceptsDrop(t.tables[0].Name, t.stream.Name) {
			return &Problem{Class: "data",
				What: fmt.Sprintf("%d of %d rows have left the list at once; none was marked gone", absent, stored),
				Next: "look at the source; if it is right: aqueduck sync --accept-drop " + t.stream.Name}
		}
		next := t.next(state)
		written, err := work.MarkGone(ctx, t.workspace.name, t.stream.Name, t.base, next, t.swept(n), numbers...)
		if err != nil {
			return err
		}
		t.base, t.state = next, state
		t.result.add(written)
		t.result.Gone += absent
		return nil
	})
	if err != nil {
		return fmt.Errorf("stream %s: end the sweep: %w", t.stream.Name, err)
	}
	return nil
}

func (t *task) swept(n int) load.Sweep {
	sweep := load.Sweep{Table: t.tables[0].Name, Number: n, Opened: t.walked}
	sweep.Copies, _ = transform.Copies(t.stream)
	if t.state.Sweep != nil && t.state.Sweep.Refused != "" {
		sweep.Column, sweep.Refused = t.stream.Read.Over.As, t.state.Sweep.RefusedValues()
	}
	sweep.Day = t.run.today()
	return sweep
}
