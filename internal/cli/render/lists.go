package render

import (
	"encoding/json"
	"time"

	"aqueduck/internal/admin"
	"aqueduck/internal/runlog"
)

// ListRuns returns a row for each past run.
func ListRuns(runs []runlog.PastRun) List {
	l := List{Columns: []string{"run", "pipeline", "started", "finished", "outcome", "exit", "rows", "requests", "error", "note"},
		Spare: []string{"finished", "exit", "requests"}}
	for _, r := range runs {
		text := r.Error
		if r.Class != "" {
			text = "[" + r.Class + "] " + text
		}
		l.Rows = append(l.Rows, []any{RunID(r.Run), r.Pipeline, TimeCell(r.Started.Truncate(time.Second)), TimeCell(r.Finished.Truncate(time.Second)), r.Outcome, int64(r.Exit), r.Rows, r.Requests, text, runNote{r}})
	}
	return l
}

// ListPublished returns a row for each published file.
func ListPublished(files []admin.PublishedFile) List {
	l := List{Columns: []string{"run", "published_at", "what", "bytes", "current"}}
	for _, f := range files {
		l.Rows = append(l.Rows, []any{RunID(f.Run), TimeCell(f.At), f.What, f.Bytes, f.Current})
	}
	return l
}

// ListCheckpoints returns a row for each checkpoint: all of it, or the times alone, for people.
func ListCheckpoints(states []runlog.StreamState, whole bool) List {
	if !whole {
		l := List{Columns: []string{"workspace", "stream", "synced_to", "history_to"}}
		for _, s := range states {
			l.Rows = append(l.Rows, []any{s.Workspace, s.Stream, TimeCell(s.SyncedTo), TimeCell(s.HistoryTo)})
		}
		return l
	}
	l := List{Columns: []string{"workspace", "stream", "seq", "synced_to", "history_to", "state"}}
	for _, s := range states {
		l.Rows = append(l.Rows, []any{s.Workspace, s.Stream, s.Seq, TimeCell(s.SyncedTo), TimeCell(s.HistoryTo), s.State})
	}
	return l
}

// Checkpoint is a checkpoint as JSON, with null for missing values.
type Checkpoint struct {
	Workspace string                 `json:"workspace"`
	Stream    string                 `json:"stream"`
	Seq       int64                  `json:"seq"`        // number of the commit, counted from 1
	SyncedTo  any                    `json:"synced_to"`  // the watermark
	HistoryTo any                    `json:"history_to"` // the oldest time that the backfill has reached
	State     json.RawMessage        `json:"state"`
	Moved     *runlog.CheckpointMove `json:"moved"` // the last change by a command
}

// Checkpoints returns checkpoints as JSON has them.
func Checkpoints(states []runlog.StreamState) []Checkpoint {
	all := make([]Checkpoint, len(states))
	for i, s := range states {
		all[i] = Checkpoint{s.Workspace, s.Stream, s.Seq, TimeCell(s.SyncedTo), TimeCell(s.HistoryTo), json.RawMessage(s.State), s.Moved}
	}
	return all
}
