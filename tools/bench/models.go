package main

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// allStreamsConfig runs all streams, with office hours, so that every model exists, as a view: the rows that the benchmark adds are in no table of a model.
const allStreamsConfig = `version: 1
models: {materialize: []}
warehouse:
  dir: data
  timezone: Europe/Dublin
  office_hours: {monday: 09:00-17:00, tuesday: 09:00-17:00, wednesday: 09:00-17:00, thursday: 09:00-17:00, friday: 09:00-17:00}
workspaces: {main: {base_url: "${WORKSPACE_URL}", token: "${WORKSPACE_TOKEN}"}}
streams: {"reporting_*": {start: 2026-10-01}}
pipelines: {all: {streams: "*"}}
`

// Limits of the session that reads a model.
const (
	modelThreads = 2
	modelMemory  = "1GB"
)

// copies is how often a small workspace is repeated. So most rows need no requests.
const copies = 200

// modelsBench measures the analysts' models over many conversations.
type modelsBench struct {
	workspaceBench
	only  string // pattern of model names
	kept  string // file that is kept; empty: none
	sizes string // numbers of rows, as a line of text
	costs []modelCost
}

// modelCost is the cost of reading every column of every row of one model.
type modelCost struct {
	name    string
	rows    int64
	cost    processCost
	problem error // it exceeded the limits; the reason has been printed
}

func (b *modelsBench) measureModels(ctx context.Context) (err error) {
	only, err := regexp.Compile(b.only)
	if err != nil {
		return fmt.Errorf("-only: %w", err)
	}
	if b.dir, err = os.MkdirTemp("", "bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	file := cmp.Or(b.kept, filepath.Join(b.dir, "grown.duckdb"))
	if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
		if err := b.makeWarehouse(file); err != nil {
			return err
		}
	}
	text, _, err := measureRole("sizes", file)
	if err != nil {
		return err
	}
	var names string
	b.sizes, names, _ = strings.Cut(strings.TrimSpace(text), "\n")
	for _, name := range strings.Fields(names) {
		if !only.MatchString(name) {
			continue
		}
		text, c, err := measureRole("read", file, name)
		m := modelCost{name: name, cost: c, problem: err}
		if err == nil {
			m.rows, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		}
		if err != nil && m.problem == nil {
			return err
		}
		b.costs = append(b.costs, m)
		m.printCost(os.Stderr)
	}
	return ctx.Err()
}

// makeWarehouse makes the warehouse under a temporary name first, so that an interrupted run leaves no incomplete file.
func (b *modelsBench) makeWarehouse(file string) error {
	if err := b.buildProgram(); err != nil {
		return err
	}
	small, err := b.publishSmall(filepath.Dir(file))
	if err != nil {
		return err
	}
	if _, _, err := measureRole("grow", small, strconv.Itoa(copies)); err != nil {
		return err
	}
	return os.Rename(small, file)
}

// publishSmall syncs a workspace of one copy's size, in which ten contacts have about a hundred parts of conversations. It returns a copy of
// the published file in a directory.
func (b *modelsBench) publishSmall(into string) (file string, err error) {
	if b.space, err = openSpace(b.contacts/copies, b.contacts/copies*4/5, 0); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, b.space.stopEmulator()) }()
	config := filepath.Join(b.dir, "all.yaml")
	if err := os.WriteFile(config, []byte(allStreamsConfig), 0o600); err != nil {
		return "", err
	}
	if _, err := b.measureSync(exec.Command(b.binary, "-f", config, "--dir", b.dataDir(), "--quiet", "sync", "all")); err != nil {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(b.dataDir(), "warehouse.duckdb"))
	if err != nil {
		return "", err
	}
	file = filepath.Join(into, "growing.duckdb") // not the name of the schema that is read, because DuckDB names a database after its file
	return file, errors.Join(os.WriteFile(file, text, 0o600), os.RemoveAll(b.dataDir()))
}

// grownIDs selects the ids of records that a larger workspace has more of. Teammates, tags, articles and lists stay the same.
const grownIDs = `CREATE TEMP TABLE grown AS SELECT DISTINCT id FROM (
SELECT id FROM _raw.contacts_raw UNION ALL SELECT id FROM _raw.contacts_by_id_all UNION ALL SELECT id FROM deleted_contacts_all
UNION ALL SELECT id FROM companies_all UNION ALL SELECT id FROM contact_activities UNION ALL SELECT id FROM conversations_all
UNION ALL SELECT id FROM conversation_parts UNION ALL SELECT id FROM tickets_all UNION ALL SELECT id FROM ticket_parts
UNION ALL SELECT id FROM calls_all) WHERE id IS NOT NULL`

// repeatStatements selects the statements that repeat each row with such an id under new ids, in the tables that models read. Long columns
// that no model reads stay empty.
const repeatStatements = `SELECT format('INSERT INTO {} SELECT one.* REPLACE ({}) FROM {} one, range(1, $1) copies(k) WHERE {}', schema_name || '.' || table_name,
    string_agg(format(CASE WHEN column_name IN ('text', 'body', 'source_body', 'source_text', 'custom_attributes', 'avatar') THEN 'NULL AS {0}'
        ELSE 'CASE WHEN {0} IN (SELECT id FROM grown) THEN {0} || lpad(k::VARCHAR, 3, ''0'') ELSE {0} END AS {0}' END, column_name), ', '),
    schema_name || '.' || table_name, string_agg(column_name || ' IN (SELECT id FROM grown)', ' OR ') FILTER (column_name = 'id' OR column_name LIKE '%\_id' ESCAPE '\'))
FROM duckdb_columns() JOIN duckdb_tables() USING (schema_name, table_name)
WHERE schema_name IN ('main', '_raw') AND column_name <> '_run_id'
    AND (column_name IN ('text', 'body', 'source_body', 'source_text', 'custom_attributes', 'avatar')
        OR data_type = 'VARCHAR' AND (column_name = 'id' OR column_name LIKE '%\_id' ESCAPE '\'))
    AND table_name IN ('contacts_raw', 'contacts_by_id_all', 'deleted_contacts_all', 'contact_activities', 'contact_lifecycle', 'contact_companies_raw',
        'contact_companies_by_id', 'companies_all', 'conversations_all', 'conversation_parts', 'conversation_contacts',
        'conversation_content_sources', 'conversation_scorecards', 'hitl_events', 'reporting_conversation', 'tickets_all', 'ticket_parts',
        'calls_all', 'call_transcripts_all', 'call_transcript_lines')
GROUP BY schema_name, table_name ORDER BY table_name`

// countStatements selects the statements that record the numbers of rows: a publish refuses tables that have others.
const countStatements = `SELECT format('UPDATE _sync.tables SET rows = (SELECT count(*) FROM {0}.{1}) WHERE schema = ''{0}'' AND table_name = ''{1}''', schema, table_name) FROM _sync.tables`

// openWritable opens a published file to change it. Row groups keep the size that the program gives them: DuckDB merges smaller ones, and so
// writes each table again. The caller closes it.
func openWritable(file string) (*sql.DB, error) {
	db, err := sql.Open("duckdb", "?threads=2&memory_limit=2GB&preserve_insertion_order=false")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // temporary tables, and the default database, belong to one connection
	if _, err := db.Exec(fmt.Sprintf("ATTACH '%s' AS warehouse (ROW_GROUP_SIZE 16384, STORAGE_VERSION 'v1.2.0'); USE warehouse", file)); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// growWorkspace repeats the workspace of a published file, in place.
func growWorkspace(args []string) (err error) {
	db, err := openWritable(args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.Exec(grownIDs); err != nil {
		return fmt.Errorf("tell whose rows are repeated: %w", err)
	}
	statements, err := queryTexts(db, repeatStatements)
	if err != nil {
		return err
	}
	counted, err := queryTexts(db, countStatements)
	if err != nil {
		return err
	}
	for _, statement := range append(append(statements, counted...), "CHECKPOINT") {
		if _, err := db.Exec(strings.ReplaceAll(statement, "$1", args[1])); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// printSizes prints the numbers of rows in a warehouse, and its models.
func printSizes(args []string) (err error) {
	db, err := sql.Open("duckdb", args[0]+"?access_mode=read_only")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	sizes, err := queryTexts(db, `SELECT format('{:,} contacts, {:,} conversations with {:,} parts, {:,} tickets with {:,} parts, {:,} calls',
    (SELECT count(*) FROM contacts), (SELECT count(*) FROM conversations), (SELECT count(*) FROM conversation_parts),
    (SELECT count(*) FROM tickets), (SELECT count(*) FROM ticket_parts), (SELECT count(*) FROM calls))`)
	if err != nil {
		return err
	}
	names, err := queryTexts(db, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'models' ORDER BY table_name")
	fmt.Println(strings.Join(append(sizes, names...), "\n"))
	return err
}

// queryTexts returns the values of a query's first column.
func queryTexts(db *sql.DB, query string) (all []string, err error) {
	rows, err := db.Query(query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		all = append(all, text)
	}
	return all, rows.Err()
}

// readModel reads every column of a model and prints its number of rows.
func readModel(args []string) (err error) {
	db, err := sql.Open("duckdb", fmt.Sprintf("%s?access_mode=read_only&threads=%d&memory_limit=%s", args[0], modelThreads, modelMemory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var rows int64
	var content sql.NullString
	if err := db.QueryRow("SELECT count(*), sum(hash(m)::HUGEINT)::VARCHAR FROM models."+args[1]+" m").Scan(&rows, &content); err != nil {
		return err
	}
	fmt.Println(rows)
	return nil
}

// printModels writes the table for docs/internals/performance.md.
func (b *modelsBench) printModels(w io.Writer) {
	fmt.Fprintf(w, "\n%s; %d threads, %s for DuckDB\n\n", b.sizes, modelThreads, modelMemory)
	fmt.Fprintln(w, "| model | rows | CPU s | peak MiB |")
	fmt.Fprintln(w, "|---|---:|---:|---:|")
	for _, m := range b.costs {
		m.printCost(w)
	}
}

func (m modelCost) printCost(w io.Writer) {
	rows := strconv.FormatInt(m.rows, 10)
	if m.problem != nil {
		rows = "does not fit"
	}
	fmt.Fprintf(w, "| `%s` | %s | %.1f | %d |\n", m.name, rows, m.cost.cpu, m.cost.peak>>20)
}
