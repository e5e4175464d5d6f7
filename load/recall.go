package load

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// Recall tells of tables that may be stored without being prepared: those of streams that the configuration does not read any
// more, and of histories that it no longer keeps. What goes of a person, or is hidden, goes there too. Derived are the tables
// that each publish makes anew.
func (w *Database) Recall(ctx context.Context, schema string, tables []transform.Table, derived []string) error {
	return w.do(fmt.Sprintf("look which tables of %s are stored", schema), func(*duck.DB) error {
		stored, err := w.storedColumns(ctx, schema)
		if err != nil {
			return err
		}
		for _, t := range tables {
			columns := stored[t.Name]
			t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c transform.Column) bool { _, there := columns[c.Name]; return !there })
			whole := !slices.ContainsFunc(t.Key, func(key string) bool { _, there := columns[key]; return !there })
			if len(t.Columns) > 0 && whole {
				w.recalled[[2]string{schema, t.Name}] = t
			}
		}
		w.derived[schema] = derived
		return nil
	})
}

// known are all stored tables of a schema that something describes, by name.
func (w *Database) known(schema string) map[string]transform.Table {
	all := map[string]transform.Table{}
	for _, tables := range []map[[2]string]transform.Table{w.recalled, w.tables} {
		for key, t := range tables {
			if key[0] == schema {
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

// undescribed are the stored tables of a schema that no stream file describes which is named now.
func (w *Database) undescribed(ctx context.Context, schema string) (names []string, err error) {
	known := w.known(schema)
	const query = "SELECT table_name FROM duckdb_tables() WHERE database_name = $1 AND schema_name = $2 AND estimated_size > 0 ORDER BY 1"
	err = w.db.Each(ctx, query, []any{duck.Catalog, schema}, func(rows *sql.Rows) error {
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

func searchedKey(schema string) string { return "searched " + schema }

// Unsearched says that there are tombstones, and a table that was not looked through for all of them by what its stream file
// says today: it was not described then, or said less.
func (w *Erasures) Unsearched(ctx context.Context, schema string) (unsearched bool, err error) {
	err = w.do("", func(*duck.DB) error {
		unsearched, err = w.unsearched(ctx, schema)
		return err
	})
	return unsearched, err
}

func (w *Erasures) unsearched(ctx context.Context, schema string) (bool, error) {
	marked := false
	for p, marks := range w.tombs.Hashes {
		marked = marked || p.Schema == schema && len(marks) > 0
	}
	if !marked {
		return false, nil
	}
	var text string
	err := w.db.Scan(ctx, "SELECT value FROM _sync.meta WHERE key = $1", []any{searchedKey(schema)}, &text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, fmt.Errorf("read which tables were looked through: %w", err)
	}
	searched := map[string]string{}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &searched); err != nil {
			return false, fmt.Errorf("read which tables were looked through: %w", err)
		}
	}
	for name, t := range w.known(schema) {
		if rules := erasable(t); rules != "" && searched[name] != rules {
			return true, nil
		}
	}
	return false, nil
}

// saveSearched notes that every table was looked through for every tombstone. It belongs into the transaction of an erasure.
func (w *Erasures) saveSearched(ctx context.Context, schema string) error {
	searched := map[string]string{}
	for name, t := range w.known(schema) {
		if rules := erasable(t); rules != "" {
			searched[name] = rules
		}
	}
	text, err := json.Marshal(searched)
	if err != nil {
		return err
	}
	if _, err := w.db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", searchedKey(schema)); err != nil {
		return err
	}
	_, err = w.db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", searchedKey(schema), string(text))
	return err
}

// erasable tells apart what tables say of persons; "" where they say nothing.
func erasable(t transform.Table) string {
	says := t.Erase != ""
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", t.Erase, t.Key)
	for _, c := range t.Columns {
		says = says || c.PII || c.Person
		fmt.Fprintf(h, "%s %t %t %t %t %q %s\n", c.Name, c.PII, c.Person, c.Stays, c.Erased, c.Whose, c.References)
	}
	if !says {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
