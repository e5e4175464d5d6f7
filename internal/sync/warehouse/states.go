package warehouse

import (
	"context"

	"aqueduck/extract"
	"aqueduck/load"
)

// PlanMove returns the step that a change would make to a checkpoint; the zero Step when there is no checkpoint. A state that cannot be read is
// passed to change as an empty one, so that it can still be reset.
func (w *Writer) PlanMove(ctx context.Context, schema, stream string, change func(extract.State) (extract.State, error)) (Step, error) {
	base, err := w.Work.Checkpoints.Checkpoint(ctx, schema, stream)
	if err != nil || base.Seq == 0 {
		return Step{}, err
	}
	state, err := extract.ParseState(base.State)
	if err != nil {
		state = extract.State{} // a state that cannot be read can still be reset
	}
	if state, err = change(state); err != nil {
		return Step{}, err
	}
	return Step{base, load.Checkpoint{Workspace: schema, Stream: stream, Seq: base.Seq + 1, State: state.String(),
		SyncedTo: UnixTime(state.SyncedTo), HistoryTo: UnixTime(state.HistoryTo)}}, nil
}
