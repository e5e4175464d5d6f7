// Package duck opens DuckDB files with this program's settings, and checks statements of users.
package duck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"
)

// Catalog is the name that every file is attached under. It is the name that a reader's DuckDB gives warehouse.duckdb.
const Catalog = "warehouse"

// Bookkeeping is the name that the file with a newer schema _sync is attached under.
const Bookkeeping = "bookkeeping"

// Later is the name that a later published file is attached under, while an older one is rewritten.
const Later = "later"

// rowGroup is how many rows DuckDB packs into one group. A transaction that adds at least one group's worth to a table writes
// its rows straight into the file, compressed once; a smaller one goes through the log and is compressed by the
// next checkpoint. With more rows, the child tables of a batch go through the log (decision 0046).
const rowGroup = 16_384

// Storage is the version of DuckDB's file format that files are written in: the oldest that compresses texts with zstd. Every DuckDB
// from 1.2 on reads it.
const Storage = "v1.2.0"

// blockSize is the size in bytes of a new file's blocks. A transaction that adds rows to a table fills whole blocks with zeros, two for each
// column, however few the rows are; the replay of its log does so again. Measured against DuckDB's 256 KiB: tests with small
// warehouses cost 14 % less CPU time, 10,000 contacts take 7.7 MB instead of 16.0, 100,000 take 47 instead of 53, at the same CPU time. With 16
// KiB, a first run of 100,000 contacts costs 5 % more. DuckDB spills a buffer of another size than 256 KiB into a file of its own, so to
// lack memory costs more (decisions 0037 and 0051).
const blockSize = 64 << 10

// longText is the mean length, in bytes, from which the texts of a column are compressed with zstd. Measured on 60,000 texts of 500 bytes: 14
// instead of 33 MB, for 0.16 CPU-seconds more. Ids and names stay as they are: they are read often, and shrink little.
const longText = 200

// memoryLimit is the memory in bytes that DuckDB may use by default. Measured while a million contacts of 60 columns are committed
// and published: 160 MB spills in the middle of every Parquet file and costs four times the CPU; 256 MB costs what
// 200 MB costs, and 80 MiB more at the peak.
const memoryLimit = 200_000_000

// Options say how a file is opened.
type Options struct {
	Path     string
	ReadOnly bool     // nothing can be written
	Newer    string   // path of another file: its schema _sync is read and written in place of this file's; "": none
	Fixed    bool     // nothing can be written to that other file either
	Later    string   // path of a later published file, attached read-only under the name Later; "": none
	Reach    []string // directories with files that statements may read and write; nothing else can be reached, and no network
	Threads  int      // 0: 1
	Memory   int64    // bytes that DuckDB may use; 0: 200 MB
	TempDir  string   // directory for what does not fit into memory; "": none
	RowGroup int      // rows in a group; 0: 16384
	Timezone string   // "": UTC
	Pool     *Pool    `json:"-"` // gives and keeps the engine that opens the file; nil: this file gets one of its own

	Now time.Time `json:",omitzero"` // what now(), current_date and the like return; zero: they follow this machine's clock
}

// DB is one open file with its only connection. It may be used by one goroutine at a time.
type DB struct {
	engine *engine
	home   *Pool // where the engine goes after Close; nil: it ends
	conn   *sql.Conn
	use    string // the statement that makes the file's names the default

	known memory // what Remember has read, by key
}

// Open opens a file, or creates it. Only Checkpoint ever checkpoints the file: a kill inside a checkpoint may destroy it
// (T140). The caller closes it.
func Open(ctx context.Context, o Options) (*DB, error) {
	e, err := o.Pool.take(o)
	if err != nil {
		return nil, err
	}
	d := &DB{engine: e, home: o.Pool, known: memory{}}
	if d.conn, err = e.instance.Conn(ctx); err != nil {
		return nil, errors.Join(err, e.instance.Close())
	}
	if err := d.attachFile(ctx, o); err != nil {
		e.damaged = true
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// attachFile attaches the file instead of opening it directly: only ATTACH takes a row group size and any path.
func (d *DB) attachFile(ctx context.Context, o Options) error {
	size := o.RowGroup
	if size == 0 {
		size = rowGroup
	}
	mode := fmt.Sprintf("ROW_GROUP_SIZE %d, STORAGE_VERSION %s", size, Text(Storage))
	if o.ReadOnly {
		mode = "READ_ONLY"
	}
	d.use = "USE " + Catalog
	attach := []string{"ATTACH " + Text(o.Path) + " AS " + Catalog + " (" + mode + ")"}
	if o.Newer != "" {
		// DuckDB looks for a schema along this path first, and then in its first file.
		d.use = "SET search_path = '" + Catalog + ".main," + Bookkeeping + "._sync'"
		attach = append(attach, newerStatements(o)...)
	}
	if o.Later != "" {
		attach = append(attach, "ATTACH "+Text(o.Later)+" AS "+Later+" (READ_ONLY)")
	}
	statements := append(append(attach, d.use), clockStatements(o.Now)...)
	if !d.engine.locked {
		statements = append(statements, d.engine.lockStatements(o)...)
	}
	for _, statement := range statements {
		if _, err := d.conn.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	d.engine.locked = true
	return nil
}

func newerStatements(o Options) []string {
	attach := "ATTACH " + Text(o.Newer) + " AS " + Bookkeeping
	if o.Fixed {
		return []string{attach + " (READ_ONLY)"}
	}
	return []string{attach, "CREATE SCHEMA IF NOT EXISTS " + Bookkeeping + "._sync"}
}

// UseCatalog makes the file's names the default again, after a statement that made others the default.
func (d *DB) UseCatalog(ctx context.Context) error {
	_, err := d.Exec(ctx, d.use)
	return err
}

// Conn gives the connection, for what Exec and Each do not cover.
func (d *DB) Conn() *sql.Conn { return d.conn }

// Close closes the file. Committed rows are durable without it.
func (d *DB) Close() error {
	return errors.Join(d.conn.Close(), d.home.giveBack(d.engine))
}

// Exec runs one statement and returns the number of rows it wrote.
func (d *DB) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	d.known.forgetChanged(statement)
	result, err := d.conn.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, explainError(ctx, err)
	}
	return result.RowsAffected()
}

// Scan reads the first row of a query; sql.ErrNoRows where there is none.
func (d *DB) Scan(ctx context.Context, query string, args []any, into ...any) error {
	return explainError(ctx, d.conn.QueryRowContext(ctx, query, args...).Scan(into...))
}

// Each calls visit for every row of a query, and stops at its first error.
func (d *DB) Each(ctx context.Context, query string, args []any, visit func(rows *sql.Rows) error) error {
	rows, err := d.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return explainError(ctx, err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := visit(rows); err != nil {
			return err
		}
	}
	return explainError(ctx, errors.Join(rows.Err(), rows.Close()))
}

// ScanTexts gives the first column of every row of a query.
func (d *DB) ScanTexts(ctx context.Context, query string, args ...any) (texts []string, err error) {
	err = d.Each(ctx, query, args, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		texts = append(texts, text)
		return err
	})
	return texts, err
}

// Transaction runs steps in one transaction: all of them are durable, or none happened.
func (d *DB) Transaction(ctx context.Context, steps func() error) error {
	before := maps.Clone(d.known)
	if _, err := d.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	err := steps()
	if err == nil {
		_, err = d.Exec(ctx, "COMMIT")
	}
	if err == nil {
		return nil
	}
	d.rollback(ctx, before)
	return err
}

// Undone runs steps in a transaction and rolls it back.
func (d *DB) Undone(ctx context.Context, steps func() error) error {
	if _, err := d.Exec(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	defer d.rollback(ctx, maps.Clone(d.known))
	return steps()
}

// rollback ends a transaction, after which only what was known before it is known. It ignores the error: a transaction that failed inside DuckDB may already be
// rolled back.
func (d *DB) rollback(ctx context.Context, before memory) {
	_, _ = d.Exec(context.WithoutCancel(ctx), "ROLLBACK")
	d.known.forgetRead()
	d.known.restoreRead(before)
}

// Checkpoint merges the log into the file. Use it for private copies only: a kill in the middle may destroy the file (T140).
func (d *DB) Checkpoint(ctx context.Context) error {
	_, err := d.Exec(ctx, "CHECKPOINT "+Catalog)
	return err
}

// Name quotes an identifier.
func Name(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// Names quotes identifiers and puts commas between them, each behind the prefix.
func Names(prefix string, list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = prefix + Name(s)
	}
	return strings.Join(quoted, ", ")
}

// Text quotes a literal, for the statements that take no parameters.
func Text(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// quoteList quotes literals as a list.
func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = Text(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// RawSchema is the schema with the tables of a workspace that only published relations read.
func RawSchema(schema string) string {
	if schema == "main" {
		return "_raw"
	}
	return "_raw_" + schema
}

// StoredTables are the tables that _sync.tables counts, as t, each with its entry in DuckDB's list, as d.
const StoredTables = `duckdb_tables() d JOIN _sync.tables t
	ON d.table_name = t.table_name AND d.schema_name IN (t.schema, CASE t.schema WHEN 'main' THEN '_raw' ELSE '_raw_' || t.schema END)`

// Table quotes the name of a table with its schema.
func Table(schema, table string) string { return Name(schema) + "." + Name(table) }
