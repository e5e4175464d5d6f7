package facts

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// nearlyAlwaysSet is the share of rows with a value from which a column counts as always set: the audit then reports when
// new rows lack it.
const nearlyAlwaysSet = 0.95

// Facts answer questions about the content of the work database.
type Facts struct{ db *workdb.Database }

// New answers questions about a work database.
func New(db *workdb.Database) *Facts { return &Facts{db} }

// StoredSchema is the schema of a workspace that has a table: the workspace's own, or its raw schema.
func StoredSchema(workspace string, t transform.Table) string {
	return clause.StoredSchema(workspace, t)
}

// Meta gives a fact about the file by its key; "" where there is none.
func (w *Facts) Meta(ctx context.Context, key string) (string, error) {
	var value string
	err := w.db.Do("read the facts about the file", func(db *duck.DB) (err error) {
		value, err = workdb.ReadFact(ctx, db, key)
		return err
	})
	return value, err
}

// EngineVersion is the version of DuckDB.
func (w *Facts) EngineVersion(ctx context.Context) (version string, err error) {
	err = w.db.Do("read DuckDB's version", func(db *duck.DB) error {
		return db.Scan(ctx, "SELECT version()", nil, &version)
	})
	return version, err
}

// NonNullColumns reports which of some columns nearly every row of a table has a value in, among the rows read with one API
// version. An empty table has none.
func (w *Facts) NonNullColumns(ctx context.Context, schema, table, version string, columns []string) (filled map[string]bool, err error) {
	err = w.db.Do(fmt.Sprintf("count the values of %s", table), func(db *duck.DB) error {
		stored, err := w.db.StoredRows(ctx, schema, table)
		if err != nil {
			return err
		}
		filled, err = nonNullColumns(ctx, db, db.StoredName(ctx, schema, table), version, columns, stored)
		return err
	})
	return filled, err
}

// nonNullColumns is NonNullColumns of a table with at most so many rows.
func nonNullColumns(ctx context.Context, db *duck.DB, table, version string, columns []string, most int64) (map[string]bool, error) {
	filled := map[string]bool{}
	isFew := func(n, of int64) bool { return float64(n) <= (1-nearlyAlwaysSet)*float64(of) }
	// Most columns lack so many values in a part of the table that the rest cannot matter.
	for _, part := range []int64{most / 16, most} {
		if len(columns) == 0 {
			break
		}
		rows, lacking, err := countLacking(ctx, db, table, version, columns, part)
		if err != nil {
			return nil, err
		}
		var open []string
		for i, name := range columns {
			if filled[name] = rows > 0 && isFew(lacking[i], rows); isFew(lacking[i], most) {
				open = append(open, name)
			}
		}
		columns = open
	}
	return filled, nil
}

// countLacking counts the first rows of a table that were read with one API version, at most so many, and those of them without a value in each column.
func countLacking(ctx context.Context, db *duck.DB, table, version string, columns []string, most int64) (rows int64, lacking []int64, err error) {
	counts, found := make([]string, len(columns)), make([]any, len(columns)+1)
	lacking, found[0] = make([]int64, len(columns)), &rows
	for i, name := range columns {
		counts[i], found[i+1] = ", count(*) - count("+duck.Name(name)+")", &lacking[i]
	}
	err = db.Scan(ctx, fmt.Sprintf("SELECT count(*)%s FROM (FROM %s WHERE %s = $1 LIMIT %d)", strings.Join(counts, ""), table, transform.VersionColumn, most), []any{version}, found...)
	return rows, lacking, err
}

// Newest gives the largest time of a column, up to until, of the rows that are not soft-deleted; the zero time where no
// row has one.
func (w *Facts) Newest(ctx context.Context, schema string, t transform.Table, column string, until time.Time) (newest time.Time, err error) {
	err = w.db.Do(fmt.Sprintf("find the newest row of %s", t.Name), func(db *duck.DB) error {
		var found sql.NullTime
		query := fmt.Sprintf("SELECT max(%[1]s) FROM %[2]s WHERE %[1]s BETWEEN $1 AND $2", duck.Name(column), db.StoredName(ctx, schema, t.Name))
		if t.Gone {
			query += " AND " + transform.GoneColumn + " IS NULL"
		}
		// Rows are stored mostly in order of time: of the last month DuckDB reads little more than the end of the table.
		for _, from := range []time.Time{until.AddDate(0, -1, 0), {}} {
			if err := db.Scan(ctx, query, []any{from, until}, &found); err != nil || found.Valid {
				newest = found.Time.UTC()
				return err
			}
		}
		return nil
	})
	return newest, err
}

// CountRows counts the stored rows of a table.
func (w *Facts) CountRows(ctx context.Context, schema, table string) (n int64, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		n, err = w.db.StoredRows(ctx, schema, table)
		return err
	})
	return n, err
}

// LastOutcomes gives, by stream, how each stream of a schema ended in the last run of a pipeline that read it. A stream
// that was never read is not in the map. A run of a later time does not count: a wrong clock has set that. Nor does a run
// that is named to be left out.
func (w *Facts) LastOutcomes(ctx context.Context, schema, pipeline string, without []string) (map[string]string, error) {
	return w.queryOutcomes(ctx, `SELECT stream, arg_max(outcome, started_at) FROM _sync.stream_runs WHERE schema = $1
		AND started_at <= $3 AND run_id IN (SELECT run_id FROM _sync.runs WHERE pipeline = $2)
		AND NOT list_contains(string_split($4, ' '), run_id) GROUP BY stream`, schema, pipeline, w.db.Now().UTC(), strings.Join(without, " "))
}

// queryOutcomes runs a query for outcomes by stream.
func (w *Facts) queryOutcomes(ctx context.Context, query string, args ...any) (outcomes map[string]string, err error) {
	err = w.db.Do("read how earlier runs ended", func(db *duck.DB) error {
		outcomes = map[string]string{}
		return db.Each(ctx, query, args, func(rows *sql.Rows) error {
			var stream, outcome string
			if err := rows.Scan(&stream, &outcome); err != nil {
				return err
			}
			outcomes[stream] = outcome
			return nil
		})
	})
	return outcomes, err
}

// LastAnswers gives, by stream of a schema, whether the source last had the stream: ok or unavailable. Only runs count
// that ended by themselves. A stream that a limit ended early counts as ok where it gave records. An interrupted run does
// not count: nobody may have seen what it reported. Nor does a run of a later time.
func (w *Facts) LastAnswers(ctx context.Context, schema string) (map[string]string, error) {
	return w.queryOutcomes(ctx, `SELECT stream, arg_max(CASE outcome WHEN 'cut' THEN 'ok' ELSE outcome END, started_at) FROM _sync.stream_runs
		WHERE schema = $1 AND (outcome IN ('ok', 'unavailable') OR outcome = 'cut' AND records > 0) AND started_at <= $2
		AND run_id IN (SELECT run_id FROM _sync.runs WHERE outcome IN ('OK', 'FAILED')) GROUP BY stream`, schema, w.db.Now().UTC())
}

// PastReads is how earlier runs read a stream.
type PastReads struct {
	Share    float64 // the last known share of its history that was read, 0 to 1
	Requests int64   // requests of a usual run that read it completely; 0: fewer than two runs did
}

// PastReads gives, by stream of a schema, how earlier runs read it.
func (w *Facts) PastReads(ctx context.Context, schema string) (past map[string]PastReads, err error) {
	err = w.db.Do("read how far earlier runs were", func(db *duck.DB) error {
		past = map[string]PastReads{}
		// Of two runs it is the one with fewer requests: the first one has read the history.
		const query = `SELECT stream, arg_max(backfill, started_at), CASE WHEN count(*) FILTER (outcome = 'ok' AND backfill >= 1) > 1
			THEN quantile_disc(requests, 0.5) FILTER (outcome = 'ok' AND backfill >= 1) ELSE 0 END
			FROM _sync.stream_runs WHERE schema = $1 AND backfill > 0 GROUP BY stream`
		return db.Each(ctx, query, []any{schema}, func(rows *sql.Rows) error {
			var stream string
			var known PastReads
			if err := rows.Scan(&stream, &known.Share, &known.Requests); err != nil {
				return err
			}
			past[stream] = known
			return nil
		})
	})
	return past, err
}

// States gives the state of every checkpoint of a schema, by stream.
func (w *Facts) States(ctx context.Context, schema string) (states map[string]string, err error) {
	err = w.db.Do(fmt.Sprintf("read the checkpoints of %s", schema), func(db *duck.DB) error {
		states = map[string]string{}
		return db.Each(ctx, "SELECT stream, state FROM _sync.checkpoints WHERE schema = $1", []any{schema}, func(rows *sql.Rows) error {
			var stream, state string
			if err := rows.Scan(&stream, &state); err != nil {
				return err
			}
			states[stream] = state
			return nil
		})
	})
	return states, err
}

// Commits is a text that is another one after any commit of a stream.
func (w *Facts) Commits(ctx context.Context) (commits string, err error) {
	err = w.db.Do("read the numbers of the commits", func(db *duck.DB) error {
		commits, err = ReadCommits(ctx, db)
		return err
	})
	return commits, err
}

// ReadCommits is Facts.Commits of a published file.
func ReadCommits(ctx context.Context, db *duck.DB) (string, error) {
	var commits sql.NullString
	err := db.Scan(ctx, "SELECT string_agg(concat_ws(' ', schema, stream, seq), ', ' ORDER BY schema, stream) FROM _sync.checkpoints", nil, &commits)
	return commits.String, err
}

// TablesState is a text that is another one after any change of the rows of some tables: it has their row counts, and the time of
// the last change of a row, as the commits have counted them.
func (w *Facts) TablesState(ctx context.Context, schema string, tables []transform.Table) (state string, err error) {
	all, err := w.tableStates(ctx, schema)
	parts := make([]string, len(tables))
	for i, t := range tables {
		parts[i] = all[t.Name]
	}
	return strings.Join(parts, " "), err
}

// SchemaState is TablesState of all tables of a schema.
func (w *Facts) SchemaState(ctx context.Context, schema string) (state string, err error) {
	all, err := w.tableStates(ctx, schema)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		state += name + " " + all[name] + "\n"
	}
	return state, err
}

func (w *Facts) tableStates(ctx context.Context, schema string) (states map[string]string, err error) {
	err = w.db.Do("see whether tables have changed", func(db *duck.DB) error {
		all, err := duck.Remember(db, "states of tables", duck.SystemTable("tables"), func() (map[string]map[string]string, error) {
			all := map[string]map[string]string{}
			return all, db.Each(ctx, "SELECT schema, table_name, concat_ws(':', rows, coalesce(epoch_us(changed_at), 0)) FROM _sync.tables", nil, func(rows *sql.Rows) error {
				var of, name, text string
				err := rows.Scan(&of, &name, &text)
				if all[of] == nil {
					all[of] = map[string]string{}
				}
				all[of][name] = text
				return err
			})
		})
		states = all[schema]
		return err
	})
	return states, err
}
