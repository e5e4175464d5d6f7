package runlog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"aqueduck/internal/term"
	"aqueduck/load/failure"
	"aqueduck/load/layout"
	"aqueduck/schemas"
	"aqueduck/transform"
)

// DriftDays is the number of days before the start of the last run whose changes ReadDrift returns, with those of the run itself.
const DriftDays = 7

// Drift is a change that readers of a stored table may notice: a field, word or custom attribute that is new at the source, a value that does not
// fit its column, an added or widened column. What a run found in a table that it had just created, or before an earlier run had read the whole stream, is none.
type Drift struct {
	At        time.Time `json:"recorded_at"`
	Run       string    `json:"run"`
	Workspace string    `json:"workspace"`
	Stream    string    `json:"stream,omitempty"` // absent: no stream file has the table
	RunChange
	sent bool // it came from the source; a changed column comes from stream files and the configuration
}

// RunChange is a change of a table, or something new at the source.
type RunChange struct {
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
	Change string `json:"change"`
	Path   string `json:"path,omitempty"`
}

// String says in one line what changed.
func (c RunChange) String() string {
	return c.Table + term.WithNote(".", c.Column) + ": " + c.Change + term.WithNote(", at ", c.Path)
}

// RunDrift returns the drift that a run recorded. Before the first publish there is none.
func RunDrift(ctx context.Context, dir layout.Dir, catalogue *schemas.Catalogue, run string) ([]Drift, error) {
	return readDrift(ctx, dir, catalogue, "c.run_id = '"+run+"'")
}

// SentDrift returns the drift that came from the source, without changed columns.
func SentDrift(drift []Drift) []Drift {
	return slices.DeleteFunc(slices.Clone(drift), func(d Drift) bool { return !d.sent })
}

// ReadDrift returns the drift of the last run and of the DriftDays days before it, the newest first. A changed column has the stream whose tables in
// the catalogue it is of. Before the first publish there is none.
func ReadDrift(ctx context.Context, dir layout.Dir, catalogue *schemas.Catalogue) ([]Drift, error) {
	drift, err := readDrift(ctx, dir, catalogue, fmt.Sprintf("c.recorded_at >= (SELECT max(started_at) FROM _sync.runs) - INTERVAL %d DAY", DriftDays))
	if err != nil {
		return nil, err
	}
	streams := map[string]string{}
	for _, s := range catalogue.Streams() {
		for _, t := range transform.Tables(s) {
			streams[t.Name] = s.Owner()
		}
	}
	for i, d := range drift {
		drift[i].Stream = cmp.Or(d.Stream, streams[d.Table[len(d.Workspace)+1:]])
	}
	return drift, nil
}

// isDrift is a condition of SQL on a row c of _sync.schema_changes: it is Drift. A stream that reads single records of another stream by id is as
// old as that stream, however few records it has read; without a catalogue no such stream is known.
func isDrift(catalogue *schemas.Catalogue) string {
	listedBy := "CASE c.stream WHEN '' THEN ''"
	if catalogue != nil {
		for _, s := range catalogue.Streams() {
			if s.Read.ByIDs() {
				listedBy += " WHEN '" + s.Name + "' THEN '" + cmp.Or(s.With, s.Owner()) + "'"
			}
		}
	}
	return `c.change NOT LIKE 'filled%'
		AND NOT EXISTS (FROM _sync.schema_changes m WHERE m.run_id = c.run_id AND m.schema = c.schema AND m.table_name = c.table_name AND m.change LIKE 'made%')
		AND (c.stream IS NULL OR EXISTS (FROM _sync.stream_runs e WHERE e.schema = c.schema AND e.stream IN (c.stream, ` + listedBy + ` END) AND e.run_id < c.run_id AND e.records > 0 AND e.outcome = 'ok' AND e.backfill >= 1))`
}

// readDrift returns the drift for which a condition of SQL holds, the newest first; never nil without an error.
func readDrift(ctx context.Context, dir layout.Dir, catalogue *schemas.Catalogue, condition string) ([]Drift, error) {
	drift := []Drift{}
	err := QueryPublished(ctx, dir, `SELECT recorded_at, run_id, schema, stream, table_name, column_name, change, path FROM _sync.schema_changes c WHERE `+condition+" AND "+isDrift(catalogue)+`
		ORDER BY recorded_at DESC, schema, table_name, column_name, path, change`, func(v []any) error {
		d := Drift{At: AsTime(v[0]), Run: AsText(v[1]), Workspace: AsText(v[2]), Stream: AsText(v[3]), sent: AsText(v[3]) != ""}
		d.RunChange = RunChange{Table: d.Workspace + "." + AsText(v[4]), Column: AsText(v[5]), Change: AsText(v[6]), Path: AsText(v[7])}
		drift = append(drift, d)
		return nil
	})
	if errors.Is(err, failure.ErrNothingPublished) {
		err = nil
	}
	return drift, err
}
