package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"aqueduck/extract"
	"aqueduck/internal/grammar"
	"aqueduck/load"
	"aqueduck/load/layout"
	"aqueduck/load/read"
	"aqueduck/schemas"
)

// StreamState is one stored checkpoint.
type StreamState struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	Seq       int64     `json:"seq"`
	SyncedTo  time.Time `json:"synced_to"`
	HistoryTo time.Time `json:"history_to"`
	State     string    `json:"state"`
	Moved     *Moved    `json:"moved"` // when it was last moved by hand; nil: it was not
}

// ReadStates reads checkpoints from the published file: those of the named streams, or all.
func ReadStates(ctx context.Context, dir layout.Dir, streams []string) ([]StreamState, error) {
	var states []StreamState
	const all = "SELECT schema, stream, seq, synced_to, history_to, state FROM _sync.checkpoints ORDER BY ALL"
	err := look(ctx, dir, func(f file) error {
		moves, err := f.moves(ctx)
		if err != nil {
			return err
		}
		return f.ask(ctx, all, func(v []any) error {
			s := StreamState{Workspace: str(v[0]), Stream: str(v[1]), Seq: whole(v[2]), SyncedTo: when(v[3]), HistoryTo: when(v[4]), State: str(v[5])}
			if i := slices.IndexFunc(moves, func(m Moved) bool { return m.Workspace == s.Workspace && m.Stream == s.Stream }); i >= 0 {
				s.Moved = &moves[i]
			}
			if len(streams) == 0 || slices.Contains(streams, s.Stream) {
				states = append(states, s)
			}
			return nil
		})
	})
	return states, err
}

// Move is a checkpoint as it is and as it would be.
type Move struct{ Workspace, Stream, Before, After string }

// Confirm shows all that would move, and says whether to move it.
type Confirm func(moves []Move) (bool, error)

// Rewind moves the mark of a stream that is read in windows of time back, so that the next run reads what changed from there on again:
// in one workspace, or, where none is named, in every one that has read the stream.
func Rewind(ctx context.Context, r *Runner, workspace, stream string, to time.Time, confirm Confirm) error {
	s, err := findStream(ctx, r, stream)
	if err != nil {
		return err
	}
	if !s.Read.Since.Windowed() && s.Dataset == "" {
		return &Problem{Class: "usage", Exit: ExitUsage, What: "stream " + stream + " has no mark in time: it is read by " + s.Read.Since.By,
			Next: "aqueduck state reset " + stream + with(" --workspace ", workspace)}
	}
	return moveCheckpoints(ctx, r, "rewind", workspace, stream, confirm, func(state extract.State) (extract.State, error) {
		if state.SyncedTo == 0 {
			return state, &Problem{Class: "usage", Exit: ExitUsage, What: "stream " + stream + " is not read to any time yet", Next: "aqueduck sync"}
		}
		if to.Unix() > state.SyncedTo {
			return state, &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("stream %s is synced to %s: a mark only moves back", stream, orDash(unix(state.SyncedTo))),
				Next: "give an earlier time"}
		}
		state.SyncedTo = to.Unix()
		if state.Export != nil {
			state.Export.Job, state.HistoryTo = nil, min(state.HistoryTo, state.SyncedTo)
		}
		state.Window, state.Position = nil, nil
		state.Refreshed = 0 // records that are read by themselves are, also where they are as stored
		return state, nil
	})
}

// Reset forgets how far a stream is read, in one workspace or, where none is named, in all. Its rows stay; the next run reads everything
// and compares.
func Reset(ctx context.Context, r *Runner, workspace, stream string, confirm Confirm) error {
	s, err := findStream(ctx, r, stream)
	if err != nil {
		return err
	}
	return moveCheckpoints(ctx, r, "reset", workspace, stream, confirm, func(state extract.State) (extract.State, error) {
		return extract.State{Export: tableOf(state.Export), Again: s.Read.Detail != nil}, nil
	})
}

func findStream(ctx context.Context, r *Runner, stream string) (*schemas.Stream, error) {
	s, ok := r.Catalogue.Stream(stream)
	if !ok {
		var err error
		if s, ok, err = storedDataset(ctx, r, stream); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("no stream %q", stream), Next: grammar.DidYouMean(stream, r.Catalogue.Names())}
	}
	return s, nil
}

// moveCheckpoints changes the checkpoint of a stream in one workspace, or in every one that has one: all of them or, where one cannot be, none.
// Then it publishes, so that what people see is what the next run goes on from.
func moveCheckpoints(ctx context.Context, r *Runner, what, only, stream string, confirm Confirm, change func(extract.State) (extract.State, error)) error {
	names := r.Config.Names()
	if only != "" {
		if _, err := r.Config.Workspace(only); err != nil {
			return err
		}
		names = []string{only}
	}
	return withWarehouse(ctx, r, func(w *writer, _ []*workspace) error {
		var steps []step
		var moves []Move
		for _, name := range names {
			s, err := w.plan(ctx, name, stream, change)
			if err != nil && len(r.Config.Workspaces) > 1 {
				err = fmt.Errorf("workspace %s: %w", name, err)
			}
			if err != nil {
				return err
			}
			if s.base.Seq > 0 {
				steps, moves = append(steps, s), append(moves, Move{name, stream, s.base.State, s.next.State})
			}
		}
		if len(moves) == 0 {
			return nil
		}
		if yes, err := confirm(moves); err != nil || !yes {
			return err
		}
		for _, s := range steps {
			if err := w.work.MoveByHand(ctx, s.base, s.next, what, r.By); err != nil {
				return err
			}
		}
		_, err := w.publish(ctx, false)
		return err
	})
}

// withWarehouse has do work on the published warehouse while nobody else does, every table prepared and every erasure applied.
func withWarehouse(ctx context.Context, r *Runner, do func(*writer, []*workspace) error) (err error) {
	if r.Dir.Current() == "" {
		return read.ErrNothingPublished
	}
	if err := load.Prepare(r.Dir); err != nil {
		return notUsable(err)
	}
	held, err := layout.Lock(ctx, r.Dir, 0, r.Wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	unchanged, _, err := resumeErasures(ctx, r)
	if unchanged != nil {
		err = unchanged.close()
	}
	if err != nil {
		return err
	}
	w, workspaces, err := openAll(ctx, r)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := prepareAll(ctx, r, w, workspaces); err != nil {
		return err
	}
	return do(w, workspaces)
}

// openAll opens the work database for every workspace of the configuration. The caller holds the lock.
func openAll(ctx context.Context, r *Runner) (*writer, []*workspace, error) {
	id := ulid.MustNew(ulid.Timestamp(r.Now()), ulid.DefaultEntropy()).String()
	var workspaces []*workspace
	for _, name := range r.Config.Names() {
		workspaces = append(workspaces, &workspace{name: name, config: r.Config.Workspaces[name]})
	}
	spec, err := publishSpec(r, id, workspaces)
	if err != nil {
		return nil, nil, err
	}
	w, err := openWriter(ctx, r.Dir, r.loadOptions(r.Now, id), spec, r.Catalogue)
	return w, workspaces, err
}

func prepareAll(ctx context.Context, r *Runner, w *writer, workspaces []*workspace) error {
	for _, each := range workspaces {
		streams := r.stored(each.name)
		_, datasets, err := w.adopt(ctx, each.name, streams)
		if err != nil {
			return err
		}
		if streams, err = w.evolved(ctx, each.name, streams, func(string) bool { return false }); err != nil {
			return err
		}
		if _, err := w.prepare(ctx, each.name, tables(slices.Concat(streams, datasets))); err != nil {
			return err
		}
	}
	return nil
}

// loadOptions say how the work database is opened.
func (r *Runner) loadOptions(now func() time.Time, run string) load.Options {
	return load.Options{Now: now, RunID: run, Memory: r.Config.Warehouse.Memory, Timezone: r.Config.Warehouse.Timezone, Keep: keptColumns(r)}
}

// step is one move of a checkpoint.
type step struct{ base, next load.Checkpoint }

// plan gives what would become of a checkpoint; of one that is not there nothing.
func (w *writer) plan(ctx context.Context, schema, stream string, change func(extract.State) (extract.State, error)) (step, error) {
	base, err := w.work.Checkpoint(ctx, schema, stream)
	if err != nil || base.Seq == 0 {
		return step{}, err
	}
	state, err := extract.ParseState(base.State)
	if err != nil {
		state = extract.State{} // what cannot be read can still be forgotten
	}
	if state, err = change(state); err != nil {
		return step{}, err
	}
	return step{base, load.Checkpoint{Workspace: schema, Stream: stream, Seq: base.Seq + 1, State: state.String(),
		SyncedTo: unix(state.SyncedTo), HistoryTo: unix(state.HistoryTo)}}, nil
}
