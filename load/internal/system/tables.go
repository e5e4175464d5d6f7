package system

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
)

// Table is one table of schema _sync.
type Table struct {
	Name, doc string
	columns   []systemColumn
}

type systemColumn struct{ name, sql, doc string }

// systemStatements create and comment schema _sync.
func systemStatements() []string {
	statements := []string{
		"CREATE SCHEMA _sync",
	}
	for _, t := range Tables() {
		statements = append(append(statements, t.createStatement()), t.commentStatements()...)
	}
	return statements
}

func (t Table) createStatement() string {
	columns := make([]string, len(t.columns))
	for i, c := range t.columns {
		columns[i] = duck.Name(c.name) + " " + c.sql
	}
	return "CREATE TABLE " + duck.Table("_sync", t.Name) + " (" + strings.Join(columns, ", ") + ")"
}

func (t Table) commentStatements() []string {
	name := duck.Table("_sync", t.Name)
	statements := []string{"COMMENT ON TABLE " + name + " IS " + duck.Text(t.doc)}
	for _, c := range t.columns {
		statements = append(statements, "COMMENT ON COLUMN "+name+"."+duck.Name(c.name)+" IS "+duck.Text(c.doc))
	}
	return statements
}

// Comment comments the tables of schema _sync again: a copy made table by table has lost its comments.
func Comment(ctx context.Context, db *duck.DB) error {
	var statements []string
	for _, t := range Tables() {
		statements = append(statements, t.commentStatements()...)
	}
	err := db.Transaction(ctx, func() error { // in one transaction: each alone would wait for the disk
		_, err := db.Exec(ctx, strings.Join(statements, ";\n"))
		return err
	})
	if err != nil {
		return fmt.Errorf("comment schema _sync: %w", err)
	}
	return nil
}

// Create makes schema _sync in a new database.
func Create(ctx context.Context, db *duck.DB) error {
	err := db.Transaction(ctx, func() error {
		if _, err := db.Exec(ctx, strings.Join(systemStatements(), ";\n")); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ('format', $1)", strconv.Itoa(Format)); err != nil {
			return err
		}
		return NoteStorage(ctx, db)
	})
	if err != nil {
		return fmt.Errorf("make schema _sync: %w", err)
	}
	return nil
}

// CopyTables replaces the tables of schema _sync in one attached file by those of another, in one transaction. A table
// that is missing is made, without comments. A table that has the same rows already stays: writing it again would take a
// block of the file. same are the tables that are known to have them; the others are compared.
func CopyTables(ctx context.Context, db *duck.DB, from, to string, same map[string]bool) error {
	different, missing, err := differentTables(ctx, db, from, to, same)
	if err != nil {
		return fmt.Errorf("compare schema _sync of %s with %s: %w", from, to, err)
	}
	var statements []string
	for _, t := range Tables() {
		source, target := from+"._sync."+duck.Name(t.Name), to+"._sync."+duck.Name(t.Name)
		switch {
		case missing[t.Name]:
			statements = append(statements, "CREATE TABLE "+target+" AS FROM "+source)
		case different[t.Name]:
			statements = append(statements, "DELETE FROM "+target, "INSERT INTO "+target+" BY NAME FROM "+source)
		}
	}
	if len(statements) == 0 {
		return nil
	}
	err = db.Transaction(ctx, func() error {
		_, err := db.Exec(ctx, strings.Join(statements, ";\n"))
		return err
	})
	if err != nil {
		return fmt.Errorf("copy schema _sync from %s to %s: %w", from, to, err)
	}
	return nil
}

// differentTables compares the tables of schema _sync in two attached files: those with other rows, by their hashes, and
// those that the second file lacks. same are not compared.
func differentTables(ctx context.Context, db *duck.DB, from, to string, same map[string]bool) (different, missing map[string]bool, err error) {
	there := map[string]bool{}
	err = db.Each(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = '_sync'", []any{to}, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		there[name] = true
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	different, missing = map[string]bool{}, map[string]bool{}
	var contents []string
	for _, t := range Tables() {
		if missing[t.Name] = !there[t.Name]; !there[t.Name] || same[t.Name] {
			continue
		}
		for _, file := range []string{from, to} {
			contents = append(contents, fmt.Sprintf("SELECT %s, concat_ws(' ', count(*), sum(hash(t))) FROM %s._sync.%s t", duck.Text(t.Name), file, duck.Name(t.Name)))
		}
	}
	if len(contents) == 0 {
		return different, missing, nil
	}
	first := map[string]string{}
	err = db.Each(ctx, strings.Join(contents, " UNION ALL "), nil, func(rows *sql.Rows) error {
		var name, content string
		err := rows.Scan(&name, &content)
		if other, known := first[name]; known && other != content {
			different[name] = true
		}
		first[name] = content
		return err
	})
	return different, missing, err
}

// WatchTables begins to watch for statements that name a table of schema _sync.
func WatchTables(db *duck.DB) {
	for _, t := range Tables() {
		db.Watch("watch "+t.Name, duck.SystemTable(t.Name))
	}
}

// UnnamedTables gives the tables of schema _sync that no statement has named since WatchTables: their rows are the same.
func UnnamedTables(db *duck.DB) map[string]bool {
	unnamed := map[string]bool{}
	for _, t := range Tables() {
		unnamed[t.Name] = db.Unnamed("watch " + t.Name)
	}
	return unnamed
}

// UpdateFreshness makes the freshness of each stream that of its checkpoint, in a file that is published at a time.
func UpdateFreshness(ctx context.Context, db *duck.DB, published time.Time) error {
	if _, err := db.Exec(ctx, "DELETE FROM _sync.freshness"); err != nil {
		return err
	}
	_, err := db.Exec(ctx, `INSERT INTO _sync.freshness (schema, stream, synced_to, history_to, checked_at, published_at)
		SELECT schema, stream, synced_to, history_to, committed_at, $1::TIMESTAMPTZ FROM _sync.checkpoints ORDER BY ALL`, published)
	return err
}

// Columns with one meaning in many tables.
var (
	ofRun    = systemColumn{"run_id", "VARCHAR", "Id of the run."}
	ofSchema = systemColumn{"schema", "VARCHAR", "The workspace's schema."}
	ofStream = systemColumn{"stream", "VARCHAR", "Name of the stream."}
	ofTable  = systemColumn{"table_name", "VARCHAR", "Name of the table."}
	at       = systemColumn{"recorded_at", "TIMESTAMPTZ", "Time of the entry."}
)

// Tables gives all tables of schema _sync.
func Tables() []Table {
	return slices.Concat(stateTables(), reportTables(), contentTables())
}

// stateTables are the tables that a run continues from.
func stateTables() []Table {
	return []Table{
		{"meta", "One row per fact about this file.", []systemColumn{
			{"key", "VARCHAR", "Name of the fact."}, {"value", "VARCHAR", "The fact."}}},
		{"workspaces", "One row per schema: the workspace that fills it. Another workspace is refused.", []systemColumn{
			ofSchema, {"id", "VARCHAR", "Id of the workspace."}, {"base_url", "VARCHAR", "Address of the API."},
			{"emulated", "BOOLEAN", "True if the built-in emulator filled it, not a real workspace."},
			{"api_version", "VARCHAR", "API version of the last run."},
			{"pinned_at", "TIMESTAMPTZ", "Time of its first run."}}},
		{"checkpoints", "One row per stream: its checkpoint. It is committed together with the rows.", []systemColumn{
			ofSchema, ofStream, {"seq", "BIGINT", "Number of the stream's last commit."},
			{"state", "VARCHAR", "Position where the next read continues, as JSON."},
			{"synced_to", "TIMESTAMPTZ", "Watermark: all changes before it are stored."},
			{"history_to", "TIMESTAMPTZ", "Earliest time that the backfill has reached."},
			ofRun, {"committed_at", "TIMESTAMPTZ", "Time of the last commit."}}},
		{"tables", "One row per stored table.", []systemColumn{
			ofSchema, ofTable, {"rows", "BIGINT", "Number of stored rows."},
			{"changed_at", "TIMESTAMPTZ", "Time when a row was last inserted, changed or removed."},
			{"verified_at", "TIMESTAMPTZ", "changed_at of the rows whose keys a publish has checked."}}},
		{"seen", "One row per key that a full-list sweep of a stream has seen. Emptied when the sweeps have found the missing records.", []systemColumn{
			ofSchema, ofStream, {"sweep", "INTEGER", "Number of the sweep."}, {"key", "VARCHAR", "The record's key."}}},
		{"erasures", "One row per erasure, its proof: the person or row as a salted hash. Kept for ever.", []systemColumn{
			ofSchema, {"table_name", "VARCHAR", "Table of a row that the source redacted; empty for a person."},
			{"mark", "VARCHAR", "Salted hash of the contact's id, or of the row's key, as in erasures.log."},
			at, ofRun, {"reason", "VARCHAR", "`erased`: erased by the source (`forgotten` in older rows). `asked`: by the command erase. `redacted`: by the source. `restored`: found in a file older than the erasure."},
			{"together", "BIGINT", "Number of erasures in this step. The counts are for all of them."},
			{"rows", "BIGINT", "Number of rows changed or removed."}, {"tables", "JSON", "Number of rows for each table."},
			{"files", "JSON", "Files that were rewritten or removed."},
			{"not_covered", "JSON", "Personal columns that cannot be searched for a person, or that the configuration keeps."}}},
		{"incomplete", "One row per record with an incomplete answer. Stored values stay, and each run requests the record again.", []systemColumn{
			ofSchema, ofStream, {"id", "VARCHAR", "The record's key."},
			{"reason", "VARCHAR", "`left_out`: a stored list or object is missing. `stub`: only key and time were sent. `no_items`: the list that it is read for is missing. `few_items`: that list has fewer items than counted, and than the source sends at most. `lacks`: a list or object that the source always sends is missing. `unreadable`: see error. `no_time`: the time of its last change is no time. `recheck`: it changed after its newest part, or lacks what others have; it is requested once more."},
			{"error", "VARCHAR", "Why the record is unreadable."}, {"since", "TIMESTAMPTZ", "Time of the first incomplete answer."}}},
		{"misfits", "One row per dead letter: a value that did not fit its column, or a rejected record. It stays until the record arrives without the problem. Values are not stored here.", []systemColumn{
			ofSchema, {"stream", "VARCHAR", "Stream that last read it."}, {"record_table", "VARCHAR", "Table of the record."},
			{"key", "VARCHAR", "The record's key; a hash of the content if it has none."},
			{"table_name", "VARCHAR", "Table of the value: that of the record or of one of its lists."},
			{"column_name", "VARCHAR", "Column, or path of a field without a column; empty for a rejected record."},
			{"reason", "VARCHAR", "Why it did not fit."}, {"whole", "BOOLEAN", "True if the whole record was rejected."}, {"count", "BIGINT", "Number of values."},
			{"run_id", "VARCHAR", "Run that first found it."}, {"seen_at", "TIMESTAMPTZ", "Time when it last arrived."}}},
		{"pending", "One row per id that a child stream still has to read.", []systemColumn{
			ofSchema, ofStream, {"id", "VARCHAR", "The id."}, {"since", "TIMESTAMPTZ", "Time when it was added."}}},
	}
}

// reportTables are the tables about runs and their findings that people read.
func reportTables() []Table {
	return []Table{
		{"runs", "One row per run; kept for 400 days.", []systemColumn{
			ofRun, {"pipeline", "VARCHAR", "Pipeline, or the streams that were selected."},
			{"started_at", "TIMESTAMPTZ", "Start of the run."}, {"finished_at", "TIMESTAMPTZ", "End of the run."},
			{"outcome", "VARCHAR", "OK, FAILED or INTERRUPTED."}, {"exit_code", "INTEGER", "Exit code of the process."},
			{"rows", "BIGINT", "Number of rows written."}, {"rejected", "BIGINT", "Number of dead letters at the end of the run."},
			{"new_rejected", "BIGINT", "Number of dead letters that this run found first."},
			{"requests", "BIGINT", "Number of requests."}, {"retries", "BIGINT", "Number of repeated requests."},
			{"backfill", "DOUBLE", "Share of the backfill that is done, 0 to 1."},
			{"version", "VARCHAR", "Version of the program."}, {"emulated", "BOOLEAN", "True if it read the built-in emulator."},
			{"error", "VARCHAR", "Error text; empty after success."}}},
		{"stream_runs", "One row per stream and run; kept for 90 days.", []systemColumn{
			ofRun, ofSchema, ofStream, {"outcome", "VARCHAR", "ok: read up to now. cut: ended earlier by max_time, max_requests or --limit. Otherwise unavailable, FAILED or interrupted."},
			{"started_at", "TIMESTAMPTZ", "Start of the run."}, {"finished_at", "TIMESTAMPTZ", "End of the run."},
			{"pages", "BIGINT", "Number of pages read."}, {"records", "BIGINT", "Number of records read."}, {"rows", "BIGINT", "Number of rows written."},
			{"added", "BIGINT", "Number of new records."}, {"changed", "BIGINT", "Number of changed records."},
			{"gone", "BIGINT", "Number of records that were soft-deleted."}, {"rejected", "BIGINT", "Number of dead letters at the end of the run."},
			{"new_rejected", "BIGINT", "Number of dead letters that this run found first."},
			{"requests", "BIGINT", "Number of requests."}, {"retries", "BIGINT", "Number of repeated requests."},
			{"synced_to", "TIMESTAMPTZ", "Watermark: all changes before it are stored."},
			{"history_to", "TIMESTAMPTZ", "Earliest time that the backfill has reached."},
			{"backfill", "DOUBLE", "Share of the backfill that is done, 0 to 1."},
			{"error", "VARCHAR", "Error text; empty after success."}, {"hint", "VARCHAR", "Next step."}}},
		{"schema_changes", "One row per schema change. New and changed tables, columns and custom attributes are kept for 90 days; unknown fields, types of values and words, each when first seen, for ever.", []systemColumn{
			ofRun, at, ofSchema, ofTable, {"column_name", "VARCHAR", "Name of the column; empty for a table and for a field without a column."},
			{"change", "VARCHAR", "What changed."}, ofStream,
			{"path", "VARCHAR", "For a field or a word: its path in the record or item. Values of a field are in _extra, words in their column."},
			{"example_type", "VARCHAR", "For a field: type of the first value: text, int, double, bool, object or list. For a word: word."}}},
		{"moves", "One row per checkpoint that was moved by hand; kept for 400 days.", []systemColumn{
			ofRun, at, ofSchema, ofStream, {"what", "VARCHAR", "rewind: to a time. reset: everything is re-read."},
			{"synced_from", "TIMESTAMPTZ", "Watermark before the move."},
			{"synced_to", "TIMESTAMPTZ", "Watermark after the move; null after a reset."},
			{"moved_by", "VARCHAR", "User and machine that moved it."}}},
		{"rejects", "One row per run, column and reason: number of dead letters at its end; kept for 90 days. Values are not stored here.", []systemColumn{
			ofRun, at, ofSchema, ofStream, ofTable, {"column_name", "VARCHAR", "Name of the column; empty for a rejected record."},
			{"reason", "VARCHAR", "Why it did not fit."}, {"count", "BIGINT", "Number of dead letters."}, {"sample_key", "VARCHAR", "Key of one such record."}}},
		{"audit", "One row per finding of the audit at the end of a run; kept for 90 days.", []systemColumn{
			ofRun, at, ofSchema, ofStream, ofTable, {"kind", "VARCHAR", "exact, soft or known."},
			{"name", "VARCHAR", "Name of the check."}, {"expected", "VARCHAR", "Expected value."},
			{"found", "VARCHAR", "Value that was found."}, {"message", "VARCHAR", "The finding in words."}}},
	}
}

// contentTables are the tables about published files and what they contain.
func contentTables() []Table {
	return []Table{
		{"publishes", "One row per published file; kept for 90 days.", []systemColumn{
			ofRun, at, {"file", "VARCHAR", "Name of the file."},
			{"what", "VARCHAR", "What made the file: run of a pipeline, erase, state rewind, state reset, erasures repeated."},
			{"replaces", "VARCHAR", "Name of the file that it replaces: a command made it from that one, which does not count as an older file."},
			{"tables_changed", "INTEGER", "Number of tables with changed rows."},
			{"parts_written", "INTEGER", "Number of Parquet files written."}, {"verified", "INTEGER", "Number of tables with checked keys."},
			{"rebuilt", "BOOLEAN", "True if the file was rewritten, table by table."}}},
		{"freshness", "One row per stream: its freshness in this file.", []systemColumn{
			ofSchema, ofStream, {"synced_to", "TIMESTAMPTZ", "Watermark: all changes before it are stored."},
			{"history_to", "TIMESTAMPTZ", "Earliest time that the backfill has reached."},
			{"checked_at", "TIMESTAMPTZ", "Time of the last request to the source."},
			{"published_at", "TIMESTAMPTZ", "Time of this file's publish."}}},
		{"attributes", "One row per custom attribute found in a JSON column, with its column in the view <stream>_attributes.", []systemColumn{
			ofSchema, ofStream, {"name", "VARCHAR", "Name of the attribute at the source."},
			{"column_name", "VARCHAR", "Its column in the view. Names that differ only in case or unprintable signs get numbers."},
			{"types", "VARCHAR", "Types of its values: bool, int, big (beyond 2^53), double, text, json; date while the list of attributes calls it one."},
			{"first_seen", "TIMESTAMPTZ", "Time of the first publish with it."}}},
		{"dictionary", "One row per published column, with its meaning.", []systemColumn{
			ofSchema, ofTable, {"kind", "VARCHAR", "table or view."}, {"position", "INTEGER", "Place in the table, from 1."},
			{"column_name", "VARCHAR", "Name of the column."}, {"type", "VARCHAR", "Type of the column."}, {"doc", "VARCHAR", "Meaning of the column."},
			{"pii", "BOOLEAN", "True for personal data."}, {"person", "BOOLEAN", "True if it holds a contact's id."},
			{"reference", "VARCHAR", "Column that it points to, as table.column."}}},
	}
}

// Missing gives the statements that upgrade a stored table, given its columns, to this one; nil means that it does not
// exist.
func (t Table) Missing(stored map[string]string) []string {
	if stored == nil {
		return append([]string{t.createStatement()}, t.commentStatements()...)
	}
	name := duck.Table("_sync", t.Name)
	var statements []string
	for _, c := range t.columns {
		if stored[c.name] == "" {
			statements = append(statements, "ALTER TABLE "+name+" ADD COLUMN "+duck.Name(c.name)+" "+c.sql,
				"COMMENT ON COLUMN "+name+"."+duck.Name(c.name)+" IS "+duck.Text(c.doc))
		}
	}
	return statements
}
