package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/internal/workdb"
)

// Run is the record of one run in _sync.runs.
type Run struct {
	RunID, Pipeline   string
	Started, Finished time.Time // by the run's clock
	Outcome           string    // OK, FAILED, INTERRUPTED
	ExitCode          int       // exit code of the process
	Rows              int64     // written over all tables
	Rejected          int64     // values that do not fit, and records kept out whole
	NewRejected       int64     // of them: those that this run met first
	Requests, Retries int64     // requests sent, and those of them that were retries
	Backfill          float64   // share of the history that is read, 0 to 1
	Version           string
	Emulated          bool // read from the emulator
	Error             string
}

// StreamRun is the record of one stream of a run in _sync.stream_runs.
type StreamRun struct {
	Schema, Stream      string
	Outcome             string    // ok, unavailable, FAILED, interrupted, cut
	Started, Finished   time.Time // by the run's clock
	Pages, Records      int64     // read
	Rows, New, Changed  int64     // over all its tables; New and Changed of its own table
	Gone                int64     // records found soft-deleted
	Rejected            int64     // as in Run
	NewRejected         int64     // as in Run
	Requests, Retries   int64     // as in Run
	SyncedTo, HistoryTo time.Time // the watermark; how far back the backfill has read
	Backfill            float64   // share of the history that is read, 0 to 1
	Error, Hint         string
}

// RejectRow is a count of values that did not fit, in _sync.rejects.
type RejectRow struct {
	Schema, Stream, Table, Column string
	Reason                        string
	Count                         int64
	Key                           string // of one such record
}

// Finding is one finding of a run's audit, in _sync.audit.
type Finding struct {
	Schema, Stream, Table string
	Kind                  string // exact, soft, known
	Name                  string
	Expected, Found       string
	Message               string
	Next                  string // next step; "": the record of the run says more
	Once                  bool   // not recorded again while _sync.audit has it
}

// How long the records of runs are kept.
const (
	keepRuns    = 400 * 24 * time.Hour
	keepDetails = 90 * 24 * time.Hour
)

// Records are the records of runs, and the workspace of each schema.
type Records struct{ db *workdb.Database }

// SaveRun writes the records of a run in one transaction. It replaces what the same run wrote before, and deletes records
// past their retention.
func (w *Records) SaveRun(ctx context.Context, run Run, streams []StreamRun, rejects []RejectRow, findings []Finding) error {
	return w.db.Do(fmt.Sprintf("save the records of run %s", run.RunID), func(db *duck.DB) error {
		return db.Transaction(ctx, func() error {
			steps := []func() error{
				func() error { return w.clearRun(ctx, run.RunID) },
				func() error { return w.saveRun(ctx, run) },
				func() error { return w.saveStreams(ctx, run.RunID, streams) },
				func() error { return w.saveRejects(ctx, run, rejects) },
				func() error { return w.saveFindings(ctx, run, findings) },
			}
			for _, step := range steps {
				if err := step(); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// clearRun deletes the records of a run, and the old records of all runs.
func (w *Records) clearRun(ctx context.Context, id string) error {
	now := w.db.Now().UTC()
	old := map[string]struct {
		column string
		keep   time.Duration
	}{
		"runs": {"started_at", keepRuns}, "moves": {"recorded_at", keepRuns}, "stream_runs": {"started_at", keepDetails},
		"rejects": {"recorded_at", keepDetails}, "audit": {"recorded_at", keepDetails},
	}
	for table, o := range old {
		_, err := w.db.DB.Exec(ctx, "DELETE FROM _sync."+table+" WHERE run_id = $1 OR "+o.column+" < $2", id, now.Add(-o.keep))
		if err != nil {
			return err
		}
	}
	for _, old := range []string{"schema_changes WHERE path IS NULL AND", "publishes WHERE"} {
		if _, err := w.db.DB.Exec(ctx, "DELETE FROM _sync."+old+" recorded_at < $1", now.Add(-keepDetails)); err != nil {
			return err
		}
	}
	return nil
}

func (w *Records) saveRun(ctx context.Context, r Run) error {
	_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.runs (run_id, pipeline, started_at, finished_at, outcome, exit_code, rows,
		rejected, new_rejected, requests, retries, backfill, version, emulated, error)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
		r.RunID, r.Pipeline, nullTime(r.Started), nullTime(r.Finished), r.Outcome, r.ExitCode, r.Rows,
		r.Rejected, r.NewRejected, r.Requests, r.Retries, r.Backfill, r.Version, r.Emulated, nullText(r.Error))
	return err
}

func (w *Records) saveStreams(ctx context.Context, run string, streams []StreamRun) error {
	const columns = 21
	var rows []string
	var values []any
	for i, s := range streams {
		marks := make([]string, columns)
		for j := range marks {
			marks[j] = "$" + strconv.Itoa(i*columns+j+1)
		}
		rows = append(rows, "("+strings.Join(marks, ", ")+")")
		values = append(values, run, s.Schema, s.Stream, s.Outcome, nullTime(s.Started), nullTime(s.Finished), s.Pages,
			s.Records, s.Rows, s.New, s.Changed, s.Gone, s.Rejected, s.NewRejected, s.Requests, s.Retries,
			nullTime(s.SyncedTo), nullTime(s.HistoryTo), s.Backfill, nullText(s.Error), nullText(s.Hint))
	}
	if len(rows) == 0 {
		return nil
	}
	_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.stream_runs (run_id, schema, stream, outcome, started_at, finished_at, pages,
		records, rows, added, changed, gone, rejected, new_rejected, requests, retries, synced_to, history_to, backfill, error, hint)
		VALUES `+strings.Join(rows, ", "), values...)
	return err
}

func (w *Records) saveRejects(ctx context.Context, run Run, rejects []RejectRow) error {
	for _, r := range rejects {
		_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.rejects (run_id, recorded_at, schema, stream, table_name, column_name, reason, count, sample_key)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			run.RunID, w.recordedAt(run), r.Schema, r.Stream, r.Table, r.Column, r.Reason, r.Count, nullText(r.Key))
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Records) saveFindings(ctx context.Context, run Run, findings []Finding) error {
	for _, f := range findings {
		_, err := w.db.DB.Exec(ctx, `INSERT INTO _sync.audit (run_id, recorded_at, schema, stream, table_name, kind, name, expected, found, message)
			SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
			WHERE NOT $11::BOOLEAN OR NOT EXISTS (SELECT 1 FROM _sync.audit WHERE schema = $3 AND stream = $4 AND name = $7)`,
			run.RunID, w.recordedAt(run), f.Schema, f.Stream, f.Table, f.Kind, f.Name, f.Expected, f.Found, f.Message, f.Once)
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *Records) recordedAt(run Run) time.Time {
	if run.Finished.IsZero() {
		return w.db.Now().UTC()
	}
	return run.Finished
}

func nullText(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// Workspace is the workspace that a schema is filled from.
type Workspace struct {
	Schema, ID, BaseURL string
	Emulated            bool // the emulator, no real workspace
	APIVersion          string
}

// ErrOtherWorkspace is the error of filling a schema from another workspace than before.
var ErrOtherWorkspace = errors.New("the schema belongs to another workspace")

// FindWorkspace gives the workspace that a schema is filled from; false where none is pinned yet.
func (w *Records) FindWorkspace(ctx context.Context, schema string) (found Workspace, there bool, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		found, there, err = w.readWorkspace(ctx, schema)
		return err
	})
	return found, there, err
}

func (w *Records) readWorkspace(ctx context.Context, schema string) (Workspace, bool, error) {
	found := Workspace{Schema: schema}
	err := w.db.DB.Scan(ctx, "SELECT id, base_url, emulated, api_version FROM _sync.workspaces WHERE schema = $1", []any{schema},
		&found.ID, &found.BaseURL, &found.Emulated, &found.APIVersion)
	if errors.Is(err, sql.ErrNoRows) {
		return Workspace{}, false, nil
	}
	if err != nil {
		return Workspace{}, false, fmt.Errorf("read the workspace of %s: %w", schema, err)
	}
	return found, true, nil
}

// HasWorkspaces reports whether rows of any workspace may be stored.
func (w *Records) HasWorkspaces(ctx context.Context) (has bool, err error) {
	err = w.db.Do("", func(db *duck.DB) error { return db.Scan(ctx, "SELECT count(*) > 0 FROM _sync.workspaces", nil, &has) })
	return has, err
}

// PinWorkspace records the workspace of a schema, or its new address and version. Another workspace than the recorded one
// is ErrOtherWorkspace. A workspace that had no id yet may get one.
func (w *Records) PinWorkspace(ctx context.Context, n Workspace) error {
	return w.db.Do("", func(db *duck.DB) error {
		old, there, err := w.readWorkspace(ctx, n.Schema)
		if err != nil {
			return err
		}
		if there && (old.ID != "" && old.ID != n.ID || old.Emulated != n.Emulated) {
			return fmt.Errorf("%w: %s holds %s (emulated %t), this is %s (emulated %t)", ErrOtherWorkspace, n.Schema, old.ID, old.Emulated, n.ID, n.Emulated)
		}
		if there && old == n {
			return nil
		}
		statement := `INSERT INTO _sync.workspaces (id, base_url, emulated, api_version, schema, pinned_at) VALUES ($1, $2, $3, $4, $5, $6)`
		if there {
			statement = "UPDATE _sync.workspaces SET id = $1, base_url = $2, emulated = $3, api_version = $4, pinned_at = coalesce(pinned_at, $6) WHERE schema = $5"
		}
		_, err = db.Exec(ctx, statement, n.ID, n.BaseURL, n.Emulated, n.APIVersion, n.Schema, w.db.Now().UTC())
		return err
	})
}

// NoteFact notes a fact about the file by its key, in place of an earlier one. Facts.Meta gives it.
func (w *Records) NoteFact(ctx context.Context, key, value string) error {
	return w.db.Do("note a fact about the file", func(db *duck.DB) error {
		return db.Transaction(ctx, func() error { return workdb.NoteFact(ctx, db, key, value) })
	})
}

// UpdateFreshness makes the freshness of each stream that of its checkpoint, while readers keep the published file.
func (w *Records) UpdateFreshness(ctx context.Context) error {
	return w.db.Do("update the freshness", func(db *duck.DB) error {
		return db.Transaction(ctx, func() error {
			var published sql.NullTime
			err := db.Scan(ctx, "SELECT max(published_at) FROM _sync.freshness", nil, &published)
			if err != nil || !published.Valid {
				return err
			}
			return system.UpdateFreshness(ctx, db, published.Time)
		})
	})
}
