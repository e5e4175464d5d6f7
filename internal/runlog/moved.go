package runlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// CheckpointMove is a change of a checkpoint by a command.
type CheckpointMove struct {
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream"`
	What      string    `json:"what"`                 // rewind, reset
	At        time.Time `json:"at"`                   // when the command ran
	From      time.Time `json:"synced_from,omitzero"` // the watermark before
	To        time.Time `json:"synced_to,omitzero"`   // the watermark after; absent: everything is read again
	By        string    `json:"moved_by"`

	run string
}

// handMoved is the outcome, in a list of runs, of a command that changed checkpoints.
const handMoved = "MOVED"

// String says who changed the checkpoint, from where, to where and when.
func (m CheckpointMove) String() string {
	return fmt.Sprintf("%s by %s at %s, from %s", m.describeMove(), m.By, term.OrDash(m.At), term.OrDash(m.From))
}

// describeMove says what was changed, and to which time.
func (m CheckpointMove) describeMove() string {
	name := m.Workspace + "." + m.Stream
	if m.What == "reset" {
		return name + " reset"
	}
	return name + " rewound to " + term.OrDash(m.To)
}

// Note is the remark about a run in a list of runs, beside its outcome, with short ids; "" when there is none.
func (e PastRun) Note() string { return e.describeNote(ShortRun) }

// WholeNote is Note with whole ids, for programs.
func (e PastRun) WholeNote() string {
	return e.describeNote(func(run string) string { return run })
}

// describeNote returns the remark, in which id writes the ids of runs.
func (e PastRun) describeNote(id func(run string) string) string {
	var words []string
	if e.Outcome == Skipped {
		words = append(words, WhySkipped)
	}
	if e.CaughtUp {
		words = append(words, "caught up")
	}
	for _, m := range e.Moved {
		words = append(words, m.describeMove()+" by "+m.By)
	}
	if e.Rollback != nil {
		words = append(words, fmt.Sprintf("from %s to %s by %s", id(e.Rollback.FromRun), id(e.Rollback.ToRun), e.Rollback.By))
	}
	return strings.Join(words, "; ")
}

// readMoves returns the changes of checkpoints by command, newest first. A file that an older version of the program published has none.
func (f PublishedDB) readMoves(ctx context.Context) (moves []CheckpointMove, err error) {
	var there bool
	err = f.queryStatement(ctx, "SELECT 1 FROM duckdb_tables() WHERE schema_name = '_sync' AND table_name = 'moves'", func([]any) error { there = true; return nil })
	if err != nil || !there {
		return nil, err
	}
	const all = "SELECT schema, stream, what, recorded_at, synced_from, synced_to, moved_by, run_id FROM _sync.moves ORDER BY recorded_at DESC, schema"
	err = f.queryStatement(ctx, all, func(v []any) error {
		moves = append(moves, CheckpointMove{AsText(v[0]), AsText(v[1]), AsText(v[2]), AsTime(v[3]), AsTime(v[4]), AsTime(v[5]), AsText(v[6]), AsText(v[7])})
		return nil
	})
	return moves, err
}

// History returns the runs that PastRuns returns, the skipped runs, and for all pipelines also rollbacks and the commands that changed
// checkpoints.
func History(ctx context.Context, dir layout.Dir, pipeline string, most int) ([]PastRun, error) {
	runs, err := PastRuns(ctx, dir, pipeline, most)
	if err != nil {
		return nil, err
	}
	notes, err := readNotes(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range slices.Backward(notes) { // of those with the same time, the last is the newest
		if e.Run == "" && (pipeline == "" || e.Pipeline == pipeline) {
			runs = append(runs, e)
		}
	}
	var moves []CheckpointMove
	if pipeline == "" {
		err = WithPublished(ctx, dir, func(f PublishedDB) (err error) { moves, err = f.readMoves(ctx); return err })
		if err != nil && !errors.Is(err, failure.ErrNothingPublished) {
			return nil, err
		}
	}
	for _, m := range moves {
		if i := slices.IndexFunc(runs, func(r PastRun) bool { return r.Run == m.run }); i >= 0 {
			runs[i].Moved = append(runs[i].Moved, m)
			continue
		}
		runs = append(runs, PastRun{Run: m.run, Started: m.At, Finished: m.At, Outcome: handMoved, Moved: []CheckpointMove{m}, Emulated: layout.IsEmulated(dir)})
	}
	newestFirst(runs)
	return runs[:min(len(runs), most)], nil
}
