package runlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// StreamRun is what a run did for one stream, and when.
type StreamRun struct {
	RunStream
	Run       string    `json:"run"`
	Started   time.Time `json:"started_at"`          // of the stream, not of the run
	Finished  time.Time `json:"finished_at"`         // likewise
	HistoryTo time.Time `json:"history_to,omitzero"` // the oldest time that the backfill had reached then
}

// StreamRuns returns the runs that read a stream of a workspace, newest first, at most so many. Without a published file there are none.
func StreamRuns(ctx context.Context, dir layout.Dir, workspace, stream string, most int) ([]StreamRun, error) {
	runs := []StreamRun{}
	statement := fmt.Sprintf(`SELECT run_id, started_at, finished_at, outcome, records, added, changed, gone, rejected, requests, retries, backfill, synced_to, history_to, error, hint
		FROM _sync.stream_runs WHERE schema = %s AND stream = %s ORDER BY started_at DESC, run_id DESC LIMIT %d`, quoteText(workspace), quoteText(stream), most)
	err := QueryPublished(ctx, dir, statement, func(v []any) error {
		runs = append(runs, StreamRun{Run: AsText(v[0]), Started: AsTime(v[1]), Finished: AsTime(v[2]), HistoryTo: AsTime(v[13]), RunStream: RunStream{Workspace: workspace, Stream: stream,
			Outcome: AsText(v[3]), Records: AsWhole(v[4]), New: AsWhole(v[5]), Changed: AsWhole(v[6]), Gone: AsWhole(v[7]), Rejected: AsWhole(v[8]), Requests: AsWhole(v[9]), Retries: AsWhole(v[10]),
			Backfill: asShare(v[11]), SyncedTo: AsTime(v[12]), Error: AsText(v[14]), Next: AsText(v[15])}})
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		err = nil
	}
	return runs, err
}

// quoteText returns a text as a literal of SQL.
func quoteText(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
