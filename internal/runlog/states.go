package runlog

import (
	"context"
	"slices"
	"time"

	"aqueduck/load/layout"
)

// StreamState is one stored checkpoint.
type StreamState struct {
	Workspace string          `json:"workspace"`
	Stream    string          `json:"stream"`
	Seq       int64           `json:"seq"`        // number of the commit, counted from 1
	SyncedTo  time.Time       `json:"synced_to"`  // the watermark
	HistoryTo time.Time       `json:"history_to"` // the oldest time that the backfill has reached
	State     string          `json:"state"`
	Moved     *CheckpointMove `json:"moved"` // the last change by a command; nil: none
}

// ReadStates reads checkpoints from the published file, of the named streams or of all.
func ReadStates(ctx context.Context, dir layout.Dir, streams []string) ([]StreamState, error) {
	var states []StreamState
	const all = "SELECT schema, stream, seq, synced_to, history_to, state FROM _sync.checkpoints ORDER BY ALL"
	err := WithPublished(ctx, dir, func(f PublishedDB) error {
		moves, err := f.readMoves(ctx)
		if err != nil {
			return err
		}
		return f.queryStatement(ctx, all, func(v []any) error {
			s := StreamState{Workspace: AsText(v[0]), Stream: AsText(v[1]), Seq: AsWhole(v[2]), SyncedTo: AsTime(v[3]), HistoryTo: AsTime(v[4]), State: AsText(v[5])}
			if i := slices.IndexFunc(moves, func(m CheckpointMove) bool { return m.Workspace == s.Workspace && m.Stream == s.Stream }); i >= 0 {
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
