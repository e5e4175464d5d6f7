package system

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"aqueduck/load/internal/duck"
)

// Table is one of schema _sync.
type Table struct {
	Name, doc string
	columns   []systemColumn
}

type systemColumn struct{ name, sql, doc string }

// systemStatements make and comment schema _sync.
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

// Comment comments the tables of schema _sync, in a database that has all of them: a copy made table by table has lost
// its comments.
func Comment(ctx context.Context, db *duck.DB) error {
	var statements []string
	for _, t := range Tables() {
		statements = append(statements, t.commentStatements()...)
	}
	err := db.Transaction(ctx, func() error { // one by one each would be written, and waited for
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
		_, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ('format', $1)", strconv.Itoa(Format))
		return err
	})
	if err != nil {
		return fmt.Errorf("make schema _sync: %w", err)
	}
	return nil
}

// Columns that many tables have, each with one meaning.
var (
	ofRun    = systemColumn{"run_id", "VARCHAR", "The run."}
	ofSchema = systemColumn{"schema", "VARCHAR", "The workspace's schema."}
	ofStream = systemColumn{"stream", "VARCHAR", "The stream."}
	ofTable  = systemColumn{"table_name", "VARCHAR", "The table."}
	at       = systemColumn{"recorded_at", "TIMESTAMPTZ", "When."}
)

// Tables are all tables of schema _sync.
func Tables() []Table {
	return append(stateTables(), reportTables()...)
}

// stateTables are what a run goes on from.
func stateTables() []Table {
	return []Table{
		{"meta", "Facts about this file.", []systemColumn{
			{"key", "VARCHAR", "Name of the fact."}, {"value", "VARCHAR", "The fact."}}},
		{"workspaces", "The workspace that a schema is filled from; another one is refused.", []systemColumn{
			ofSchema, {"id", "VARCHAR", "Id of the workspace."}, {"base_url", "VARCHAR", "Address of the API."},
			{"emulated", "BOOLEAN", "The built-in emulator filled it, not a real workspace."},
			{"api_version", "VARCHAR", "API version last read under."},
			{"pinned_at", "TIMESTAMPTZ", "When it was first read."}}},
		{"checkpoints", "How far each stream is read. Moved in the transaction that writes the rows.", []systemColumn{
			ofSchema, ofStream, {"seq", "BIGINT", "Number of the stream's last commit."},
			{"state", "VARCHAR", "Where reading goes on, as JSON."},
			{"synced_to", "TIMESTAMPTZ", "All changes before it are here."},
			{"history_to", "TIMESTAMPTZ", "How far back history is read."},
			ofRun, {"committed_at", "TIMESTAMPTZ", "When the last commit was."}}},
		{"tables", "Every stored table.", []systemColumn{
			ofSchema, ofTable, {"rows", "BIGINT", "Rows stored."},
			{"changed_at", "TIMESTAMPTZ", "When a row last came, changed or went."},
			{"verified_at", "TIMESTAMPTZ", "The changed_at up to which a publish has checked the keys."}}},
		{"seen", "Keys that the sweeps of a stream have seen; emptied when absence was decided.", []systemColumn{
			ofSchema, ofStream, {"sweep", "INTEGER", "Number of the sweep."}, {"key", "VARCHAR", "The record's key."}}},
		{"erasures", "Who was erased, as salted hashes: the certificate of each erasure. Kept for good.", []systemColumn{
			ofSchema, {"table_name", "VARCHAR", "Empty for a person; the table of a row that the source redacted."},
			{"mark", "VARCHAR", "Salted hash of the contact's id, or of the row's key, as in erasures.log."},
			at, ofRun, {"reason", "VARCHAR", "forgotten (by the source), asked (by the command erase), redacted (by the source), restored (from a file older than the erasure)."},
			{"together", "BIGINT", "How many were erased in this step: the counts are of all of them."},
			{"rows", "BIGINT", "Rows changed or removed."}, {"tables", "JSON", "Rows by table."},
			{"files", "JSON", "Files written anew or removed."},
			{"not_covered", "JSON", "Personal columns that cannot be searched for a person, or are kept by the configuration."}}},
		{"incomplete", "Records that an answer did not bring whole: what is stored of them stays, and each run asks for them again.", []systemColumn{
			ofSchema, ofStream, {"id", "VARCHAR", "The record's key."},
			{"reason", "VARCHAR", "left_out (a list or an object that is stored), stub (nothing but its key and its time came), no_items (without the list that it is read for), lacks (without a list or an object that the source always sends), unreadable, no_time (what it has for the time of its last change is no time), recheck (it has changed after its newest part, or lacks what others have; it is asked for once more)."},
			{"error", "VARCHAR", "Why it is unreadable."}, {"since", "TIMESTAMPTZ", "When that was noted."}}},
		{"misfits", "Values that do not fit, and records that were kept out whole: each once, by the record that has it, until it comes otherwise. Never holds the values.", []systemColumn{
			ofSchema, {"stream", "VARCHAR", "Stream that read it last."}, {"record_table", "VARCHAR", "Table of the record."},
			{"key", "VARCHAR", "The record's key; of rows without one, and of records kept out whole that have none, a name made of the content."},
			{"table_name", "VARCHAR", "Table of the value: that of the record, or of one of its lists."},
			{"column_name", "VARCHAR", "Column, or path of a field that is none; empty for a record as a whole."},
			{"reason", "VARCHAR", "Why."}, {"whole", "BOOLEAN", "The record was kept out whole."}, {"count", "BIGINT", "How many values."},
			{"run_id", "VARCHAR", "Run that met it first."}, {"seen_at", "TIMESTAMPTZ", "When it came last."}}},
		{"pending", "Ids that a stream still has to read one by one.", []systemColumn{
			ofSchema, ofStream, {"id", "VARCHAR", "The id."}, {"since", "TIMESTAMPTZ", "When it was put here."}}},
	}
}

// reportTables are what people read about the runs.
func reportTables() []Table {
	return []Table{
		{"runs", "One row a run; kept for 400 days.", []systemColumn{
			ofRun, {"pipeline", "VARCHAR", "Pipeline, or the streams that were selected."},
			{"started_at", "TIMESTAMPTZ", "Start."}, {"finished_at", "TIMESTAMPTZ", "End."},
			{"outcome", "VARCHAR", "OK, FAILED or INTERRUPTED."}, {"exit_code", "INTEGER", "Exit code of the process."},
			{"rows", "BIGINT", "Rows written."}, {"rejected", "BIGINT", "Values that do not fit, and records kept out whole, as of its end: each once."},
			{"new_rejected", "BIGINT", "Of them: those that it met first."},
			{"requests", "BIGINT", "Requests sent."}, {"retries", "BIGINT", "Requests sent again."},
			{"backfill", "DOUBLE", "Share of the history that is read, 0 to 1."},
			{"version", "VARCHAR", "Version of the program."}, {"emulated", "BOOLEAN", "Read from the built-in emulator."},
			{"error", "VARCHAR", "What went wrong."}}},
		{"stream_runs", "One row a stream and run; kept for 90 days.", []systemColumn{
			ofRun, ofSchema, ofStream, {"outcome", "VARCHAR", "ok: read up to now; unavailable, FAILED, interrupted; cut: max_time, max_requests or --limit ended it before."},
			{"started_at", "TIMESTAMPTZ", "Start."}, {"finished_at", "TIMESTAMPTZ", "End."},
			{"pages", "BIGINT", "Pages read."}, {"records", "BIGINT", "Records read."}, {"rows", "BIGINT", "Rows written."},
			{"added", "BIGINT", "Records new here."}, {"changed", "BIGINT", "Records changed."},
			{"gone", "BIGINT", "Records found gone."}, {"rejected", "BIGINT", "Values that do not fit, and records kept out whole, as of its end: each once."},
			{"new_rejected", "BIGINT", "Of them: those that it met first."},
			{"requests", "BIGINT", "Requests sent."}, {"retries", "BIGINT", "Requests sent again."},
			{"synced_to", "TIMESTAMPTZ", "All changes before it are here."},
			{"history_to", "TIMESTAMPTZ", "How far back history is read."},
			{"backfill", "DOUBLE", "Share of the history that is read, 0 to 1."},
			{"error", "VARCHAR", "What went wrong."}, {"hint", "VARCHAR", "What to do about it."}}},
		{"schema_changes", "Tables and columns that came or changed, kept for 90 days; fields and kinds of values that the stream file does not know, by their first sight, kept for ever.", []systemColumn{
			ofRun, at, ofSchema, ofTable, {"column_name", "VARCHAR", "The column; empty for a table and for a field that no column takes."},
			{"change", "VARCHAR", "What happened."}, ofStream,
			{"path", "VARCHAR", "Of a field: where it is in the record, or in the item; its values are in _extra."},
			{"example_type", "VARCHAR", "Of a field: what the first value seen was: text, int, double, bool, object or list."}}},
		{"moves", "Checkpoints that somebody moved by hand; kept for 400 days.", []systemColumn{
			ofRun, at, ofSchema, ofStream, {"what", "VARCHAR", "rewind (to a time) or reset (everything is read again)."},
			{"synced_from", "TIMESTAMPTZ", "All changes before it had been read."},
			{"synced_to", "TIMESTAMPTZ", "All changes before it count as read since; empty: none does."},
			{"moved_by", "VARCHAR", "The user of the machine, and its name."}}},
		{"rejects", "What did not fit as of the end of each run, counted; kept for 90 days. Never holds the values.", []systemColumn{
			ofRun, at, ofSchema, ofStream, ofTable, {"column_name", "VARCHAR", "The column; empty for a whole record."},
			{"reason", "VARCHAR", "Why."}, {"count", "BIGINT", "How many."}, {"sample_key", "VARCHAR", "Key of one such record."}}},
		{"audit", "Findings of the audit that ends a run; kept for 90 days.", []systemColumn{
			ofRun, at, ofSchema, ofStream, ofTable, {"kind", "VARCHAR", "exact, soft or known."},
			{"name", "VARCHAR", "What was checked."}, {"expected", "VARCHAR", "What should be."},
			{"found", "VARCHAR", "What is."}, {"message", "VARCHAR", "In words."}}},
		{"publishes", "One row a published file; kept for 90 days.", []systemColumn{
			ofRun, at, {"file", "VARCHAR", "Name of the file."}, {"tables_changed", "INTEGER", "Tables with other rows than before."},
			{"parts_written", "INTEGER", "Parquet files written."}, {"verified", "INTEGER", "Tables whose keys were checked."},
			{"rebuilt", "BOOLEAN", "The file was written anew, table by table."}}},
		{"freshness", "How far each stream is, as of this file.", []systemColumn{
			ofSchema, ofStream, {"synced_to", "TIMESTAMPTZ", "All changes before it are here."},
			{"history_to", "TIMESTAMPTZ", "How far back history is read."},
			{"checked_at", "TIMESTAMPTZ", "When the source was last asked."},
			{"published_at", "TIMESTAMPTZ", "When this file was made."}}},
		{"attributes", "Every attribute that a column of JSON was seen to have, with its column in the view <stream>_attributes.", []systemColumn{
			ofSchema, ofStream, {"name", "VARCHAR", "The attribute, as the source calls it."},
			{"column_name", "VARCHAR", "Its column in the view; numbered where names differ in nothing that a column's name can."},
			{"types", "VARCHAR", "What its values were: bool, int, big (beyond 2^53), double, text, json; date where data_attributes says so."},
			{"first_seen", "TIMESTAMPTZ", "When a publish first saw it."}}},
		{"dictionary", "Every column that analysts can read, with its meaning.", []systemColumn{
			ofSchema, ofTable, {"kind", "VARCHAR", "table or view."}, {"position", "INTEGER", "Place in the table, from 1."},
			{"column_name", "VARCHAR", "The column."}, {"type", "VARCHAR", "Type."}, {"doc", "VARCHAR", "Meaning."},
			{"pii", "BOOLEAN", "Personal data."}, {"person", "BOOLEAN", "Holds a contact's id."},
			{"reference", "VARCHAR", "table.column that it points to."}}},
	}
}

// Missing are the statements that make of the stored table, by its columns, this one.
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
