package workdb

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// UnmanagedHistories gives the stored histories that the configuration no longer keeps, of tables that it still reads.
func (w *Database) UnmanagedHistories(schema string) (left []transform.Table) {
	for key, t := range w.unmanaged {
		_, kept := w.tables[key]
		_, read := w.tables[[2]string{schema, t.HistoryOf}]
		if key[0] == schema && t.HistoryOf != "" && read && !kept {
			left = append(left, t)
		}
	}
	return left
}

// UnmanagedTables gives the stored tables of a schema that its configuration no longer reads or keeps, where a stream
// file describes them.
func (w *Database) UnmanagedTables(schema string) (left []transform.Table) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, t := range w.unmanaged {
		if _, kept := w.tables[key]; key[0] == schema && !kept {
			left = append(left, t)
		}
	}
	slices.SortFunc(left, func(a, b transform.Table) int { return strings.Compare(a.Name, b.Name) })
	return left
}

// CountRows adds to the number of rows of a table and sets when it last changed.
func (w *Database) CountRows(ctx context.Context, schema, table string, more int64, stamp time.Time) error {
	w.Counted = true
	_, err := w.DB.Exec(ctx, "UPDATE _sync.tables SET rows = rows + $3, changed_at = $4 WHERE schema = $1 AND table_name = $2",
		schema, table, more, stamp)
	return err
}

// StoredRows is the number of rows of a table, as its commits counted them.
func (w *Database) StoredRows(ctx context.Context, schema, table string) (int64, error) {
	counts, err := duck.Remember(w.DB, "rows", duck.SystemTable("tables"), func() (map[[2]string]int64, error) {
		counts := map[[2]string]int64{}
		err := w.DB.Each(ctx, "SELECT schema, table_name, rows FROM _sync.tables", nil, func(rows *sql.Rows) error {
			var key [2]string
			var n int64
			err := rows.Scan(&key[0], &key[1], &n)
			counts[key] = n
			return err
		})
		return counts, err
	})
	n, prepared := counts[[2]string{schema, table}]
	if err == nil && !prepared {
		err = fmt.Errorf("table %s was not prepared before its first use", duck.Table(schema, table))
	}
	return n, err
}

// StoredColumns gives the type of every column of every table of a schema, by table and column.
func (w *Database) StoredColumns(ctx context.Context, schema string) (map[string]map[string]string, error) {
	return w.DB.TableTypes(ctx, schema)
}

// EachValue calls visit with the different values of some columns, as texts.
func (w *Database) EachValue(ctx context.Context, relation string, columns []string, visit func([]string)) error {
	query := "SELECT DISTINCT " + strings.ReplaceAll(duck.Names("", columns), ",", "::VARCHAR,") + "::VARCHAR FROM " + relation
	return w.DB.Each(ctx, query, nil, func(rows *sql.Rows) error {
		values, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		texts := make([]string, len(columns))
		for i, v := range values {
			texts[i] = v.String
		}
		visit(texts)
		return nil
	})
}

// RegisterUnmanaged names tables that may be stored although Ensure does not prepare them. It keeps those with a complete key, with
// the columns that are stored. Erasure and masking apply to them too. derived are the tables that each publish makes again.
func (w *Database) RegisterUnmanaged(ctx context.Context, schema string, tables []transform.Table, derived []string) error {
	return w.Do(fmt.Sprintf("list the stored tables of %s", schema), func(*duck.DB) error {
		stored, err := w.StoredColumns(ctx, schema)
		if err != nil {
			return err
		}
		raw, err := w.DB.RawTables(ctx, schema)
		if err != nil {
			return err
		}
		for _, t := range tables {
			columns := stored[t.Name]
			t.Left = leftColumns(t, columns)
			t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c transform.Column) bool { _, there := columns[c.Name]; return !there })
			whole := !slices.ContainsFunc(t.Key, func(key string) bool { _, there := columns[key]; return !there })
			t.Raw = slices.Contains(raw, t.Name)
			if len(t.Columns) > 0 && whole {
				w.unmanaged[[2]string{schema, t.Name}] = t
			}
		}
		w.derived[schema] = derived
		return nil
	})
}

// ownColumns are the columns that tables have besides those of their stream file.
var ownColumns = []string{"_extra", "_api_version", "_hash", "_gone_at", "_synced_at", "_run_id"}

// leftColumns are the stored columns of a table with personal data that its stream file no longer declares. Nothing says whether they are personal, so an
// erasure treats them so.
func leftColumns(t transform.Table, stored map[string]string) (left []transform.Column) {
	if t.Erase == "" && t.Parent == "" && !slices.ContainsFunc(t.Columns, func(c transform.Column) bool { return c.PII || c.Person }) {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(stored)) {
		if !slices.Contains(ownColumns, name) && !t.HasColumn(name) {
			left = append(left, transform.Column{Name: name, SQL: stored[name], PII: true, Person: stored[name] == "VARCHAR"})
		}
	}
	return left
}

// DescribedTables gives, by name, all stored tables of a schema that a stream file describes.
func (w *Database) DescribedTables(schema string) map[string]transform.Table {
	all := map[string]transform.Table{}
	for _, tables := range []map[[2]string]transform.Table{w.unmanaged, w.tables} {
		for key, t := range tables {
			if key[0] == schema {
				t.Left = w.unmanaged[key].Left
				all[t.Name] = t
			}
		}
	}
	for _, t := range all {
		if own, ok := all[t.HistoryOf]; ok {
			own.History = t.Name
			all[own.Name] = own
		}
	}
	return all
}

// UndescribedTables gives the stored tables of a schema that no stream file of the configuration describes.
func (w *Database) UndescribedTables(ctx context.Context, schema string) (names []string, err error) {
	known := w.DescribedTables(schema)
	const query = "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name IN ($2, $3) AND estimated_size > 0 ORDER BY 1"
	err = w.DB.Each(ctx, query, []any{duck.Catalog, schema, duck.RawSchema(schema)}, func(rows *sql.Rows) error {
		var name string
		if err := rows.Scan(&name); err != nil {
			return err
		}
		if _, ok := known[name]; !ok && !slices.Contains(w.derived[schema], name) {
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// RegisterPrepared registers the tables that commits may write.
func (w *Database) RegisterPrepared(schema string, tables []transform.Table) {
	for _, t := range tables {
		w.tables[[2]string{schema, t.Name}] = t
	}
}

// Table gives a table that Ensure has prepared.
func (w *Database) Table(schema, name string) (transform.Table, error) {
	t, ok := w.tables[[2]string{schema, name}]
	if !ok {
		return t, fmt.Errorf("table %s.%s was not prepared before its first use", schema, name)
	}
	return t, nil
}
