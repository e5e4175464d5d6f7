package admin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runlog"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/schemas"
)

// Move is a change of a checkpoint.
type Move struct {
	Workspace, Stream string
	Before, After     string // the checkpoint, in words
	Requests          int64  // about how many the next run needs for it; 0: not known

	lookback time.Duration
}

// String says in dates what the move changes, and what the next run reads again.
func (m Move) String() string {
	before, err := extract.ParseState(m.Before)
	after, afterErr := extract.ParseState(m.After)
	if errors.Join(err, afterErr) != nil {
		return m.Before + " becomes " + m.After
	}
	switch {
	case after.SyncedTo == 0 && before.SyncedTo == 0:
		return "the next run reads everything" + m.about()
	case after.SyncedTo == 0:
		return fmt.Sprintf("synced to %s; after the reset the next run reads everything%s", term.OrDash(warehouse.UnixTime(before.SyncedTo)), m.about())
	}
	from := m.readFrom(after)
	return fmt.Sprintf("synced to %s; %sthe next run reads again from %s on, %.1f days%s", term.OrDash(warehouse.UnixTime(before.SyncedTo)), m.withLookback(), term.OrDash(from),
		warehouse.UnixTime(before.SyncedTo).Sub(from).Hours()/24, m.about())
}

// Done says in dates what was changed, and what the next run reads again.
func (m Move) Done() string {
	after, err := extract.ParseState(m.After)
	if err != nil {
		return "changed to " + m.After
	}
	if after.SyncedTo == 0 {
		return "reset; the next run reads everything" + m.about()
	}
	return fmt.Sprintf("synced to %s now; %sthe next run reads again what changed since %s%s", term.OrDash(warehouse.UnixTime(after.SyncedTo)), m.withLookback(), term.OrDash(m.readFrom(after)), m.about())
}

// readFrom is the time from which the next run reads: the watermark less the lookback window.
func (m Move) readFrom(state extract.State) time.Time {
	return warehouse.UnixTime(state.SyncedTo).Add(-m.lookback)
}

// withLookback says why the next run reads from an earlier time than the watermark; "" where it does not.
func (m Move) withLookback() string {
	if m.lookback == 0 {
		return ""
	}
	return "with the lookback window of " + term.Span(m.lookback) + " "
}

func (m Move) about() string {
	if m.Requests == 0 {
		return ""
	}
	return ", in about " + term.Count(int(m.Requests), "request")
}

// estimateRequests returns about how many requests read the stored rows from a time on, beside those of the last run; 0: not known.
func estimateRequests(ctx context.Context, r *runner.Runner, workspace string, s *schemas.Stream, from time.Time) int64 {
	if s.Table == "" || s.TimeColumn() == "" || s.Read.Page.Size == 0 {
		return 0
	}
	var records, last int64
	count := fmt.Sprintf(`SELECT count(*), (SELECT coalesce(arg_max(requests, started_at), 1) FROM _sync.stream_runs WHERE schema = '%s' AND stream = '%s')
		FROM %q.%q WHERE %q >= TIMESTAMPTZ '%s'`, workspace, s.Name, workspace, s.Table, s.TimeColumn(), from.UTC().Format(time.RFC3339))
	err := runlog.QueryPublished(ctx, r.Dir, count, func(v []any) error {
		records, last = runlog.AsWhole(v[0]), runlog.AsWhole(v[1])
		return nil
	})
	if err != nil {
		return 0
	}
	return max(last, 1) + int64(float64(records)*s.RequestsPerChange())
}

// Confirm shows all changes to the operator, and returns whether to make them.
type Confirm func(moves []Move) (bool, error)

// Rewind moves the watermark of a stream that is read by windows back to a time, so that the next run reads from there again. An empty workspace
// means every workspace that has read the stream. A name or a pattern may mean several datasets.
func Rewind(ctx context.Context, r *runner.Runner, workspace, stream string, to time.Time, confirm Confirm) error {
	streams, err := findStreams(ctx, r, stream)
	if err != nil {
		return err
	}
	for _, s := range streams {
		if !s.Read.Since.HasWindows() && s.Dataset == "" {
			return &problem.Problem{Class: "usage", What: "stream " + s.Name + " cannot be rewound: it is not read by time, so it has no watermark to move",
				Next: "aqueduck state reset " + s.Name + term.WithNote(" --workspace ", workspace)}
		}
	}
	if to.Unix() <= 0 {
		return &problem.Problem{Class: "usage", What: "a watermark cannot be before 1970", Next: "to read everything again: aqueduck state reset " + stream + term.WithNote(" --workspace ", workspace)}
	}
	return moveCheckpoints(ctx, r, "rewind", workspace, streams, confirm, func(s *schemas.Stream, state extract.State) (extract.State, error) {
		if state.SyncedTo == 0 {
			return state, &problem.Problem{Class: "usage", What: "stream " + s.Name + " has no watermark yet", Next: "aqueduck sync"}
		}
		if to.Unix() > state.SyncedTo {
			return state, &problem.Problem{Class: "usage", What: fmt.Sprintf("stream %s is synced to %s: a watermark can only be moved back", s.Name, term.OrDash(warehouse.UnixTime(state.SyncedTo))),
				Next: "give an earlier time"}
		}
		state.SyncedTo = to.Unix()
		if state.Export != nil {
			state.Export.Job, state.HistoryTo = nil, min(state.HistoryTo, state.SyncedTo)
		}
		state.Window, state.Position = nil, nil
		state.Refreshed = 0 // so that records are read by id again even where their list fingerprint is unchanged
		return state, nil
	})
}

// Reset deletes the checkpoint of a stream, in one workspace or, without a name, in all. Its rows stay; the next run reads everything and
// compares. A name or a pattern may mean several datasets.
func Reset(ctx context.Context, r *runner.Runner, workspace, stream string, confirm Confirm) error {
	streams, err := findStreams(ctx, r, stream)
	if err != nil {
		return err
	}
	return moveCheckpoints(ctx, r, "reset", workspace, streams, confirm, func(s *schemas.Stream, state extract.State) (extract.State, error) {
		anew := state.Anew(s.Read.Detail != nil)
		anew.Export = sync.TableOf(state.Export)
		return anew, nil
	})
}

// findStreams returns the stream with a name, or the published datasets that the name of their export family, or a pattern, means: each has a
// checkpoint of its own.
func findStreams(ctx context.Context, r *runner.Runner, name string) ([]*schemas.Stream, error) {
	if s, ok := r.Catalogue.Stream(name); ok && !s.IsExportFamily() {
		return []*schemas.Stream{s}, nil
	}
	found, err := sync.StoredDatasets(ctx, r, name)
	switch {
	case err != nil || len(found) > 0:
		return found, err
	case slices.Contains(r.Catalogue.Names(), name):
		return nil, neverRead(name)
	}
	return nil, &problem.Problem{Class: "usage", What: fmt.Sprintf("no stream %q", name), Next: grammar.BeforeStep(name, r.Catalogue.Names()) + "list those that have a checkpoint: aqueduck state show"}
}

// neverRead is the error of a stream without a checkpoint.
func neverRead(name string) error {
	return &problem.Problem{Class: "usage", What: "stream " + name + " has no checkpoint: no run has read it", Next: "list the checkpoints: aqueduck state show; the next run reads the stream from its start: aqueduck sync"}
}

// moveCheckpoints changes the checkpoints of streams in one workspace or in every one that has them: in all of them, or after an error in none.
// Then it publishes, so that readers see the checkpoints that the next run uses. While the publish guard holds publishes back, they see them later.
func moveCheckpoints(ctx context.Context, r *runner.Runner, what, only string, moved []*schemas.Stream, confirm Confirm, change func(*schemas.Stream, extract.State) (extract.State, error)) error {
	names := r.Config.WorkspaceNames()
	if only != "" {
		if _, err := r.Config.ResolveWorkspace(only); err != nil {
			return err
		}
		names = []string{only}
	}
	return sync.WithWarehouse(ctx, r, func(w *warehouse.Writer, _ []*stream.Workspace) error {
		var steps []warehouse.Step
		var moves []Move
		for _, name := range names {
			for _, s := range moved {
				step, err := w.PlanMove(ctx, name, s.Name, func(state extract.State) (extract.State, error) { return change(s, state) })
				if err != nil && len(r.Config.Workspaces) > 1 {
					err = fmt.Errorf("workspace %s: %w", name, err)
				}
				if err != nil {
					return err
				}
				if step.Base.Seq > 0 {
					steps, moves = append(steps, step), append(moves, newMove(ctx, r, s, step))
				}
			}
		}
		if len(moves) == 0 {
			return neverRead(moved[0].Name)
		}
		if yes, err := confirm(moves); err != nil || !yes {
			return err
		}
		for _, s := range steps {
			if err := w.Work.Checkpoints.MoveManually(ctx, s.Base, s.Next, what, r.By); err != nil {
				return err
			}
		}
		_, err := w.PublishCommand(ctx, what, true)
		var held *failure.PublishBlocked
		if errors.As(err, &held) { // the next run uses the checkpoints all the same
			r.Log.Warn("readers do not see the changed checkpoints yet: a publish is held back", "cause", held, "next", r.Given.Append(problem.ClassifyHeldBack(held).Next))
			return nil
		}
		return err
	})
}

// newMove is what the operator sees of a change of a checkpoint.
func newMove(ctx context.Context, r *runner.Runner, s *schemas.Stream, step warehouse.Step) Move {
	m := Move{Workspace: step.Base.Workspace, Stream: s.Name, Before: step.Base.State, After: step.Next.State, lookback: s.Read.Since.Overlap}
	if after, err := extract.ParseState(m.After); err == nil {
		m.Requests = estimateRequests(ctx, r, m.Workspace, s, m.readFrom(after))
	}
	return m
}
