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
}

// ReadStates reads checkpoints from the published file: those of the named streams, or all.
func ReadStates(ctx context.Context, dir load.Dir, streams []string) ([]StreamState, error) {
	var states []StreamState
	const all = "SELECT schema, stream, seq, synced_to, history_to, state FROM _sync.checkpoints ORDER BY ALL"
	err := ask(ctx, dir, all, func(v []any) error {
		if len(streams) == 0 || slices.Contains(streams, str(v[1])) {
			states = append(states, StreamState{Workspace: str(v[0]), Stream: str(v[1]), Seq: whole(v[2]),
				SyncedTo: when(v[3]), HistoryTo: when(v[4]), State: str(v[5])})
		}
		return nil
	})
	return states, err
}

// Confirm shows a checkpoint as it is and as it would be, and says whether to change it.
type Confirm func(before, after string) (bool, error)

// Rewind moves the mark of a stream that is read in windows of time back, so that the next run reads what changed from there on again.
func (r *Runner) Rewind(ctx context.Context, stream string, to time.Time, confirm Confirm) error {
	s, err := r.known(ctx, stream)
	if err != nil {
		return err
	}
	if !s.Read.Since.Windowed() && s.Dataset == "" {
		return &Problem{Class: "usage", Exit: ExitUsage, What: "stream " + stream + " has no mark in time: it is read by " + s.Read.Since.By,
			Next: "aqueduck state reset " + stream}
	}
	return r.move(ctx, stream, confirm, func(state extract.State) (extract.State, error) {
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

// Reset forgets how far a stream is read. Its rows stay; the next run reads everything and compares.
func (r *Runner) Reset(ctx context.Context, stream string, confirm Confirm) error {
	s, err := r.known(ctx, stream)
	if err != nil {
		return err
	}
	return r.move(ctx, stream, confirm, func(state extract.State) (extract.State, error) {
		return extract.State{Export: tableOf(state.Export), Again: s.Read.Detail != nil}, nil
	})
}

func (r *Runner) known(ctx context.Context, stream string) (*schemas.Stream, error) {
	s, ok := r.Catalogue.Stream(stream)
	if !ok {
		var err error
		if s, ok, err = r.storedDataset(ctx, stream); err != nil {
			return nil, err
		}
	}
	if !ok {
		return nil, &Problem{Class: "usage", Exit: ExitUsage, What: fmt.Sprintf("no stream %q", stream), Next: grammar.DidYouMean(stream, r.Catalogue.Names())}
	}
	return s, nil
}

// move changes the checkpoints of a stream in every workspace that has one, and publishes, so that what people see is
// what the next run goes on from.
func (r *Runner) move(ctx context.Context, stream string, confirm Confirm, change func(extract.State) (extract.State, error)) error {
	return r.alone(ctx, func(w *writer, workspaces []*workspace) error {
		moved := false
		for _, each := range workspaces {
			did, err := w.moveOne(ctx, each.name, stream, confirm, change)
			if err != nil {
				return err
			}
			moved = moved || did
		}
		if !moved {
			return nil
		}
		_, err := w.publish(ctx, false)
		return err
	})
}

// alone has do work on the published warehouse while nobody else does, every table prepared and every erasure applied.
func (r *Runner) alone(ctx context.Context, do func(*writer, []*workspace) error) (err error) {
	if r.Dir.Current() == "" {
		return load.ErrNothingPublished
	}
	if err := r.Dir.Prepare(); err != nil {
		return notUsable(err)
	}
	held, err := load.Lock(ctx, r.Dir, 0, r.Wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if _, err := r.settle(ctx); err != nil {
		return err
	}
	w, workspaces, err := r.openAll(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if err := r.prepareAll(ctx, w, workspaces); err != nil {
		return err
	}
	return do(w, workspaces)
}

// openAll opens the work database for every workspace of the configuration. The caller holds the lock.
func (r *Runner) openAll(ctx context.Context) (*writer, []*workspace, error) {
	id := ulid.MustNew(ulid.Timestamp(r.Now()), ulid.DefaultEntropy()).String()
	var workspaces []*workspace
	for name, config := range r.Config.Workspaces {
		workspaces = append(workspaces, &workspace{name: name, config: config})
	}
	spec, err := r.spec(id, workspaces)
	if err != nil {
		return nil, nil, err
	}
	w, err := openWriter(ctx, r.Dir, r.loadOptions(r.Now, id), spec, r.Catalogue)
	return w, workspaces, err
}

func (r *Runner) prepareAll(ctx context.Context, w *writer, workspaces []*workspace) error {
	for _, each := range workspaces {
		streams := r.stored(each.name)
		_, datasets, err := w.adopt(ctx, each.name, streams)
		if err != nil {
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
	return load.Options{Now: now, RunID: run, Timezone: r.Config.Warehouse.Timezone, Keep: r.kept()}
}

func (w *writer) moveOne(ctx context.Context, schema, stream string, confirm Confirm, change func(extract.State) (extract.State, error)) (bool, error) {
	base, err := w.work.Checkpoint(ctx, schema, stream)
	if err != nil || base.Seq == 0 {
		return false, err
	}
	state, err := extract.ParseState(base.State)
	if err != nil {
		state = extract.State{} // what cannot be read can still be forgotten
	}
	if state, err = change(state); err != nil {
		return false, err
	}
	if yes, err := confirm(base.State, state.String()); err != nil || !yes {
		return false, err
	}
	next := load.Checkpoint{Workspace: schema, Stream: stream, Seq: base.Seq + 1, State: state.String(),
		SyncedTo: unix(state.SyncedTo), HistoryTo: unix(state.HistoryTo)}
	_, err = w.work.Commit(ctx, schema, stream, base, next, nil)
	return err == nil, err
}
