package admin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"aqueduck/extract"
	"aqueduck/internal/grammar"
	"aqueduck/internal/problem"
	"aqueduck/internal/runner"
	"aqueduck/internal/sync"
	"aqueduck/internal/sync/stream"
	"aqueduck/internal/sync/warehouse"
	"aqueduck/internal/term"
	"aqueduck/schemas"
)

// Move is a checkpoint before and after a change, in words.
type Move struct{ Workspace, Stream, Before, After string }

// String says in dates what the move changes, and what the next run reads again.
func (m Move) String() string {
	before, err := extract.ParseState(m.Before)
	after, afterErr := extract.ParseState(m.After)
	if errors.Join(err, afterErr) != nil {
		return m.Before + " becomes " + m.After
	}
	at := func(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }
	switch {
	case after.SyncedTo == 0 && before.SyncedTo == 0:
		return "the next run reads everything"
	case after.SyncedTo == 0:
		return fmt.Sprintf("synced to %s; after the reset the next run reads everything", at(before.SyncedTo))
	}
	span := time.Duration(before.SyncedTo-after.SyncedTo) * time.Second
	return fmt.Sprintf("synced to %s; the next run reads again from %s on, %.1f days", at(before.SyncedTo), at(after.SyncedTo), span.Hours()/24)
}

// Confirm shows all changes to the operator, and returns whether to make them.
type Confirm func(moves []Move) (bool, error)

// Rewind moves the watermark of a stream that is read by windows back to a time, so that the next run reads from there again. An empty workspace
// means every workspace that has read the stream.
func Rewind(ctx context.Context, r *runner.Runner, workspace, stream string, to time.Time, confirm Confirm) error {
	s, err := findStream(ctx, r, stream)
	if err != nil {
		return err
	}
	if !s.Read.Since.HasWindows() && s.Dataset == "" {
		return &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: "stream " + stream + " has no watermark: it is not read by time, but with since.by " + s.Read.Since.By,
			Next: "aqueduck state reset " + stream + term.WithNote(" --workspace ", workspace)}
	}
	return moveCheckpoints(ctx, r, "rewind", workspace, stream, confirm, func(state extract.State) (extract.State, error) {
		if state.SyncedTo == 0 {
			return state, &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: "stream " + stream + " has no watermark yet", Next: "aqueduck sync"}
		}
		if to.Unix() > state.SyncedTo {
			return state, &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: fmt.Sprintf("stream %s is synced to %s: a watermark can only be moved back", stream, term.OrDash(warehouse.UnixTime(state.SyncedTo))),
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
// compares.
func Reset(ctx context.Context, r *runner.Runner, workspace, stream string, confirm Confirm) error {
	s, err := findStream(ctx, r, stream)
	if err != nil {
		return err
	}
	return moveCheckpoints(ctx, r, "reset", workspace, stream, confirm, func(state extract.State) (extract.State, error) {
		return extract.State{Export: sync.TableOf(state.Export), RereadAll: s.Read.Detail != nil}, nil
	})
}

func findStream(ctx context.Context, r *runner.Runner, stream string) (*schemas.Stream, error) {
	s, ok := r.Catalogue.Stream(stream)
	if !ok {
		var err error
		if s, ok, err = sync.StoredDataset(ctx, r, stream); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, &problem.Problem{Class: "usage", Exit: problem.ExitUsage, What: fmt.Sprintf("no stream %q", stream), Next: grammar.DidYouMean(stream, r.Catalogue.Names())}
	}
	return s, nil
}

// moveCheckpoints changes the checkpoint of a stream in one workspace or in every one that has one: in all of them, or after an error in none.
// Then it publishes, so that readers see the checkpoints that the next run uses.
func moveCheckpoints(ctx context.Context, r *runner.Runner, what, only, streamName string, confirm Confirm, change func(extract.State) (extract.State, error)) error {
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
			s, err := w.PlanMove(ctx, name, streamName, change)
			if err != nil && len(r.Config.Workspaces) > 1 {
				err = fmt.Errorf("workspace %s: %w", name, err)
			}
			if err != nil {
				return err
			}
			if s.Base.Seq > 0 {
				steps, moves = append(steps, s), append(moves, Move{name, streamName, s.Base.State, s.Next.State})
			}
		}
		if len(moves) == 0 {
			return nil
		}
		if yes, err := confirm(moves); err != nil || !yes {
			return err
		}
		for _, s := range steps {
			if err := w.Work.Checkpoints.MoveManually(ctx, s.Base, s.Next, what, r.By); err != nil {
				return err
			}
		}
		_, err := w.Publish(ctx, false)
		return err
	})
}
