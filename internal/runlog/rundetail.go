package runlog

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"aqueduck/internal/config"
	"aqueduck/internal/problem"
	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
)

// RunDetail is all that is known of one ended run.
type RunDetail struct {
	PastRun
	Published bool           `json:"published"` // its records are kept; otherwise only its note is known
	Version   string         `json:"version,omitempty"`
	Streams   []RunStream    `json:"streams"`
	Findings  []RunFinding   `json:"findings"`
	Changes   []RunChange    `json:"schema_changes"`
	Rejects   []RunReject    `json:"rejects"`
	Publishes []RunPublished `json:"publishes"`
	Notes     []string       `json:"notes,omitempty"` // only of a run that has just ended

	Given problem.CLIFlags `json:"-"` // flags that commands in next steps repeat

	Configuration []config.Origin `json:"configuration,omitempty"` // where the run's settings came from; known as long as the trace is kept
}

// RunStream is what a run did for one stream.
type RunStream struct {
	Workspace   string    `json:"workspace"`
	Stream      string    `json:"stream"`
	Outcome     string    `json:"outcome"`
	Records     int64     `json:"records"`                // read
	New         int64     `json:"new"`                    // rows of the stream's own table, as are Changed
	Changed     int64     `json:"changed"`                // stored rows whose content changed
	Gone        int64     `json:"gone"`                   // records that the source no longer has
	Rejected    int64     `json:"rejected"`               // dead letters at the end of the run, each value once
	NewRejected int64     `json:"new_rejected,omitempty"` // of them: first met by this run; only of a run that has just ended
	Requests    int64     `json:"requests"`               // requests sent, retries included
	Retries     int64     `json:"retries"`                // of them: retries
	Seconds     float64   `json:"seconds,omitempty"`      // only of a run that has just ended
	Backfill    float64   `json:"backfill,omitempty"`     // share of the history that is read, 0 to 1; only of a run that has just ended
	SyncedTo    time.Time `json:"synced_to,omitzero"`     // the watermark
	Class       string    `json:"class,omitempty"`        // class of the error; only of a run that has just ended
	Error       string    `json:"error,omitempty"`
	Next        string    `json:"next,omitempty"`
}

// RunFinding is a finding of the audit of a run.
type RunFinding struct {
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Table    string `json:"table"`
	Found    string `json:"found,omitempty"`
	Expected string `json:"expected,omitempty"`
	Message  string `json:"message"`
}

// RunReject counts the dead letters of one reason.
type RunReject struct {
	Stream string `json:"stream"`
	Column string `json:"column,omitempty"`
	Reason string `json:"reason"`
	Count  int64  `json:"count"`
	Key    string `json:"sample_key,omitempty"`
}

// RunPublished is a file that a run published.
type RunPublished struct {
	At      time.Time `json:"at"`
	File    string    `json:"file"`
	Changed int64     `json:"tables_changed"` // tables whose rows changed
	Rebuilt bool      `json:"rebuilt"`        // the file was written from scratch, table by table
}

// FindRun returns a run, or a change of checkpoints, by the beginning of its id or of its short id, or by the name of a file that it published.
// An empty id means the last run.
func FindRun(ctx context.Context, dir layout.Dir, id string) (*RunDetail, error) {
	id, _, _ = strings.Cut(id, "-")
	runs, err := History(ctx, dir, "", keptEnds)
	if err != nil {
		return nil, err
	}
	var found []PastRun
	for _, r := range runs {
		if r.Run == "" || !MatchesRun(r.Run, id) || id == "" && r.Moved != nil {
			continue
		}
		found = append(found, r)
		if id == "" || r.Run == id {
			found = []PastRun{r}
			break
		}
	}
	const next = "list the runs: aqueduck runs"
	switch {
	case len(found) == 0 && (id == "" || len(runs) == 0):
		return nil, cmp.Or[error](ExplainWrong(dir), &problem.Problem{Class: "data", What: "there is no run yet", Next: "aqueduck sync"})
	case len(found) == 0:
		at, err := erasedAt(ctx, dir, id)
		if err != nil {
			return nil, err
		}
		if !at.IsZero() {
			return nil, &problem.Problem{Class: "usage", What: id + " is no run, but the file of an erasure at " + term.OrDash(at),
				Next: "see its certificate: aqueduck query \"FROM _sync.erasures\"; " + next}
		}
		if at, err = publishedAt(ctx, dir, id); err != nil {
			return nil, err
		}
		if !at.IsZero() {
			return nil, &problem.Problem{Class: "usage", What: id + " is no run, but the file of a command such as erase, at " + term.OrDash(at), Next: "list the files: aqueduck rollback --list; " + next}
		}
		return nil, &problem.Problem{Class: "usage", What: "no run " + id, Next: next}
	case len(found) > 1:
		var ids []string
		for _, r := range found {
			ids = append(ids, r.Run)
		}
		return nil, SeveralRuns("runs", id, ids, next)
	}
	detail := newRunDetail(found[0])
	detail.Published = found[0].Moved != nil
	if err := WithPublished(ctx, dir, func(f PublishedDB) error { return detail.readPublishedRun(ctx, f) }); err != nil && !errors.Is(err, failure.ErrNothingPublished) {
		return nil, err
	}
	return detail, nil
}

// publishedAt is when anything published a file under an id, given as in FindRun, as the kept files say: after a rollback, the current one may not know it.
// The zero time if nothing did.
func publishedAt(ctx context.Context, dir layout.Dir, id string) (at time.Time, err error) {
	files, err := dir.PublishedFiles()
	if errors.Is(err, fs.ErrNotExist) {
		return at, nil
	}
	for name, record := range PublishRecords(ctx, files) {
		if MatchesRun(name, id) && record.At.After(at) {
			at = record.At
		}
	}
	return at, err
}

// erasedAt is when the command erase published a file under an id, given as in FindRun; the zero time if it did not.
func erasedAt(ctx context.Context, dir layout.Dir, id string) (at time.Time, err error) {
	err = WithPublished(ctx, dir, func(f PublishedDB) error {
		return f.queryStatement(ctx, "SELECT run_id, max(recorded_at) FROM _sync.erasures GROUP BY ALL", func(v []any) error {
			if MatchesRun(AsText(v[0]), id) {
				at = AsTime(v[1])
			}
			return nil
		})
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		return at, nil
	}
	return at, err
}

// RepeatFlags adds the flags of the command line to all next steps.
func (d *RunDetail) RepeatFlags(given problem.CLIFlags) {
	d.Given, d.Next = given, given.Append(d.Next)
	for i := range d.Streams {
		d.Streams[i].Next = given.Append(d.Streams[i].Next)
	}
}

// readPublishedRun adds what the published file has about the run.
func (d *RunDetail) readPublishedRun(ctx context.Context, f PublishedDB) error {
	of := " WHERE run_id = '" + d.Run + "'" // the id comes from the file, not from the command line
	for _, q := range []struct {
		sql string
		row func(v []any)
	}{
		{"SELECT version FROM _sync.runs" + of, func(v []any) { d.Published, d.Version = true, AsText(v[0]) }},
		{`SELECT schema, stream, outcome, records, added, changed, gone, rejected, requests, retries, synced_to, error, hint FROM _sync.stream_runs` + of, func(v []any) {
			d.Streams = append(d.Streams, RunStream{Workspace: AsText(v[0]), Stream: AsText(v[1]), Outcome: AsText(v[2]), Records: AsWhole(v[3]), New: AsWhole(v[4]), Changed: AsWhole(v[5]),
				Gone: AsWhole(v[6]), Rejected: AsWhole(v[7]), Requests: AsWhole(v[8]), Retries: AsWhole(v[9]), SyncedTo: AsTime(v[10]), Error: AsText(v[11]), Next: AsText(v[12])})
		}},
		{"SELECT kind, name, concat_ws('.', schema, nullif(table_name, '')), found, expected, message FROM _sync.audit" + of, func(v []any) {
			d.Findings = append(d.Findings, RunFinding{AsText(v[0]), AsText(v[1]), AsText(v[2]), AsText(v[3]), AsText(v[4]), AsText(v[5])})
		}},
		{"SELECT concat_ws('.', schema, table_name), column_name, change, path FROM _sync.schema_changes c" + of + " AND " + isDrift(nil) + " ORDER BY ALL", func(v []any) {
			d.Changes = append(d.Changes, RunChange{AsText(v[0]), AsText(v[1]), AsText(v[2]), AsText(v[3])})
		}},
		{"SELECT stream, column_name, reason, count, sample_key FROM _sync.rejects" + of + " ORDER BY ALL", func(v []any) {
			d.Rejects = append(d.Rejects, RunReject{AsText(v[0]), AsText(v[1]), AsText(v[2]), AsWhole(v[3]), AsText(v[4])})
		}},
		{"SELECT recorded_at, file, tables_changed::BIGINT, rebuilt FROM _sync.publishes WHERE starts_with(run_id, '" + d.Run + "') ORDER BY ALL", func(v []any) {
			rebuilt, _ := v[3].(bool)
			d.Publishes = append(d.Publishes, RunPublished{AsTime(v[0]), AsText(v[1]), AsWhole(v[2]), rebuilt})
		}},
	} {
		if err := f.queryStatement(ctx, q.sql, func(v []any) error { q.row(v); return nil }); err != nil {
			return err
		}
	}
	return nil
}
