package load

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aqueduck/internal/crash"
	"aqueduck/load/facts"
	"aqueduck/load/failure"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/transform"
)

// Change is one thing that Ensure did to the tables.
type Change struct {
	Schema, Table, Column string // Column is "" where the table was created
	What                  string // for people: "added as BIGINT"
}

// Tables creates the tables of streams and adds and widens their columns.
type Tables struct{ db *workdb.Database }

// RegisterUnmanaged names tables that may be stored although Ensure does not prepare them: those of streams that the configuration
// no longer reads, and of histories that it no longer keeps. Erasure and masking apply to them too. derived are the tables that
// each publish makes again.
func (w *Tables) RegisterUnmanaged(ctx context.Context, schema string, tables []transform.Table, derived []string) error {
	return w.db.RegisterUnmanaged(ctx, schema, tables, derived)
}

// UnmanagedTables gives the stored tables of a schema that its configuration no longer reads or keeps, where a stream
// file describes them.
func (w *Tables) UnmanagedTables(schema string) []transform.Table {
	return w.db.UnmanagedTables(schema)
}

// Ensure creates missing tables, adds missing columns, and fills new columns from _extra. A caller runs it for all its
// tables before the first row. A column that no stream file has any more stays, empty in new rows. A change of type that
// could lose values is failure.ErrNarrower; one of the key, or of absent, is failure.ErrReshaped.
func (w *Tables) Ensure(ctx context.Context, schema string, tables []transform.Table) (changes []Change, err error) {
	err = w.db.Do("", func(*duck.DB) error {
		if err := requireSchemaName(schema); err != nil {
			return err
		}
		changes, err = w.ensureTables(ctx, schema, tables)
		if err != nil {
			return fmt.Errorf("prepare the tables of %s: %w", schema, err)
		}
		w.db.RegisterPrepared(schema, tables)
		return nil
	})
	return changes, err
}

func (w *Tables) ensureTables(ctx context.Context, schema string, tables []transform.Table) ([]Change, error) {
	stored, err := w.db.StoredColumns(ctx, schema)
	if err != nil {
		return nil, err
	}
	raw, err := w.db.DB.RawTables(ctx, schema)
	if err != nil {
		return nil, err
	}
	// An earlier program stored all tables in the workspace's own schema.
	isMoved := func(t transform.Table) bool { return t.Raw && stored[t.Name] != nil && !slices.Contains(raw, t.Name) }
	altered := slices.ContainsFunc(tables, func(t transform.Table) bool {
		return stored[t.Name] != nil && (isMoved(t) || len(changedColumns(t, stored[t.Name])) > 0)
	})
	// DuckDB's replay has had bugs with logs that change columns and rows (T144). The log is merged into the file before and after, so
	// that it holds the changed columns alone.
	if altered {
		if err := w.db.FoldLocked(ctx); err != nil {
			return nil, err
		}
	}
	var changes []Change
	err = w.db.DB.Transaction(ctx, func() error {
		for _, t := range tables {
			done, err := w.prepareTable(ctx, schema, t, stored, isMoved(t))
			if err != nil {
				return facts.NameTable(t, err)
			}
			changes = append(changes, done...)
		}
		return w.recordChanges(ctx, changes)
	})
	if len(changes) > 0 {
		crash.At(crash.TablesMade)
	}
	if err == nil && altered {
		err = w.db.FoldLocked(ctx)
	}
	if err != nil {
		return nil, err
	}
	filled, err := w.fillNew(ctx, schema, tables)
	return append(changes, filled...), err
}

// changedColumns gives the columns that a stored table lacks or has with another type.
func changedColumns(t transform.Table, stored map[string]string) []transform.Column {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(c transform.Column) bool {
		return stored[c.Name] == transform.ReportedType(c.SQL)
	})
}

// prepareTable makes or changes one table. stored are the columns of all stored tables; moved says that it is in the workspace's own schema still.
func (w *Tables) prepareTable(ctx context.Context, schema string, t transform.Table, stored map[string]map[string]string, moved bool) ([]Change, error) {
	if moved {
		if err := w.moveTable(ctx, schema, t); err != nil {
			return nil, err
		}
	}
	if err := facts.RequireFit(ctx, w.db.DB, schema, t, stored); err != nil {
		return nil, err
	}
	changes, err := w.ensureTable(ctx, schema, t, stored[t.Name])
	if err != nil {
		return nil, err
	}
	return changes, w.noteTable(ctx, schema, t, stored[t.Name])
}

func (w *Tables) ensureTable(ctx context.Context, schema string, t transform.Table, stored map[string]string) ([]Change, error) {
	name := clause.Stored(schema, t)
	if stored == nil {
		return w.createTable(ctx, schema, t)
	}
	var changes []Change
	for _, c := range changedColumns(t, stored) {
		kind, there := stored[c.Name]
		change := Change{schema, t.Name, c.Name, "added as " + c.SQL}
		statement := "ADD COLUMN " + duck.Name(c.Name) + " " + c.SQL
		if there {
			if err := w.requireExact(ctx, name, kind, c); err != nil {
				return nil, err
			}
			if err := w.noteType(ctx, schema, t.Name, c.Name, kind); err != nil {
				return nil, err
			}
			change.What = "type changed from " + kind + " to " + c.SQL
			statement = "ALTER COLUMN " + duck.Name(c.Name) + " TYPE " + c.SQL
			if kind == "DOUBLE" { // stored and new numbers get the same spelling
				statement += " USING " + transform.SpellDouble(duck.Name(c.Name))
			}
		}
		if _, err := w.db.DB.Exec(ctx, "ALTER TABLE "+name+" "+statement); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if len(c.Path) > 0 {
			if _, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, '')", fillKey(schema, t, c)); err != nil {
				return nil, err
			}
		}
		changes = append(changes, change)
	}
	if len(changes) == 0 {
		return changes, nil
	}
	// DuckDB fixes the columns of a view when it creates the view.
	return changes, w.makeViews(ctx, schema, t)
}

// moveTable moves a table into the raw schema, with all its rows.
func (w *Tables) moveTable(ctx context.Context, schema string, t transform.Table) error {
	old := duck.Table(schema, t.Name)
	for _, statement := range []string{
		"CREATE SCHEMA IF NOT EXISTS " + duck.Name(duck.RawSchema(schema)),
		"CREATE TABLE " + clause.Stored(schema, t) + " AS FROM " + old,
		"DROP TABLE " + old,
	} {
		if _, err := w.db.DB.Exec(ctx, statement); err != nil {
			return fmt.Errorf("move it to %s: %w", duck.RawSchema(schema), err)
		}
	}
	return w.makeViews(ctx, schema, t)
}

func (w *Tables) makeViews(ctx context.Context, schema string, t transform.Table) error {
	for _, statement := range append(ViewsOf(schema, t), DeprecatedViewsOf(schema, t)...) {
		if _, err := w.db.DB.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (w *Tables) createTable(ctx context.Context, schema string, t transform.Table) ([]Change, error) {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = duck.Name(c.Name) + " " + c.SQL
	}
	statements := []string{
		"CREATE SCHEMA IF NOT EXISTS " + duck.Name(schema),
		"CREATE TABLE " + clause.Stored(schema, t) + " (" + strings.Join(columns, ", ") + ")",
	}
	if t.Raw {
		statements = append(statements, "CREATE SCHEMA IF NOT EXISTS "+duck.Name(duck.RawSchema(schema)))
		slices.Reverse(statements)
	}
	statements = append(statements, append(ViewsOf(schema, t), DeprecatedViewsOf(schema, t)...)...)
	for _, statement := range statements {
		if _, err := w.db.DB.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	_, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.tables (schema, table_name, rows) VALUES ($1, $2, 0)", schema, t.Name)
	return []Change{{schema, t.Name, "", fmt.Sprintf("made, with %d columns", len(t.Columns))}}, err
}

// ViewsOf are the statements that create the view of a table without its soft-deleted rows.
func ViewsOf(schema string, t transform.Table) []string {
	if t.Raw {
		return nil
	}
	return currentViewsOf(schema, t)
}

// DeprecatedViewsOf are the statements that create the views with the names that a table of the raw schema had before. Users may read them for one more
// version. Nothing of the program does: a publish makes them after its relations.
func DeprecatedViewsOf(schema string, t transform.Table) []string {
	if !t.Raw {
		return nil
	}
	return append(currentViewsOf(schema, t), "CREATE OR REPLACE VIEW "+duck.Table(schema, t.Name)+" AS FROM "+clause.Stored(schema, t))
}

func currentViewsOf(schema string, t transform.Table) []string {
	if t.View == "" {
		return nil
	}
	return []string{fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT * EXCLUDE (%s) FROM %s WHERE %s IS NULL",
		duck.Table(schema, t.View), transform.GoneColumn, clause.Stored(schema, t), transform.GoneColumn)}
}

// requireExact returns failure.ErrNarrower where a column of whole numbers has one that a double would round.
func (w *Tables) requireExact(ctx context.Context, table, stored string, c transform.Column) error {
	if stored != "BIGINT" || c.SQL != "DOUBLE" {
		return nil
	}
	var rounded int64
	err := w.db.DB.Scan(ctx, "SELECT count(*) FROM "+table+" WHERE NOT "+duck.Name(c.Name)+clause.ExactInDouble, nil, &rounded)
	if err == nil && rounded > 0 {
		err = fmt.Errorf("%w: %d values of column %s are numbers that a double would round; type text keeps them", failure.ErrNarrower, rounded, c.Name)
	}
	return err
}

// recordChanges records changed tables in _sync.schema_changes, all in one statement: a first run makes dozens.
func (w *Tables) recordChanges(ctx context.Context, changes []Change) error {
	if len(changes) == 0 {
		return nil
	}
	rows := make([]string, len(changes))
	for i, c := range changes {
		rows[i] = fmt.Sprintf("($1, $2, %s, %s, %s, %s)", duck.Text(c.Schema), duck.Text(c.Table), duck.Text(c.Column), duck.Text(c.What))
	}
	_, err := w.db.DB.Exec(ctx, "INSERT INTO _sync.schema_changes (run_id, recorded_at, schema, table_name, column_name, change) VALUES\n"+strings.Join(rows, ",\n"),
		w.db.RunID(), w.db.Now().UTC())
	return err
}

// noteType records in _sync.meta a type that a column had before it widened. facts.Shapes gives these types.
func (w *Tables) noteType(ctx context.Context, schema, table, column, stored string) error {
	key := workdb.WasKey(schema, table, column)
	var was string
	err := w.db.DB.Scan(ctx, "SELECT value FROM _sync.meta WHERE key = $1", []any{key}, &was)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return w.db.SaveNames(ctx, key, []string{strings.TrimSpace(was + " " + transform.FileType(stored))})
}

// requireSchemaName refuses a schema name that DuckDB or this program uses itself.
func requireSchemaName(schema string) error {
	taken := []string{"_sync", duck.Catalog, "temp", "system", "memory", "information_schema", "pg_catalog"}
	if schema == "" || slices.Contains(taken, strings.ToLower(schema)) || strings.HasPrefix(schema, duck.RawSchema("main")) {
		return fmt.Errorf("a workspace cannot be named %q: the name is already used", schema)
	}
	return nil
}
