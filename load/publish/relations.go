package publish

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"aqueduck/load"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// relate makes the relations of a schema, with their comments and the dictionary, when a table or a definition has
// changed since they were last made.
func (p *publication) relate(ctx context.Context, db *duck.DB, s Schema) error {
	key, now := "relations:"+s.Name, fingerprint(s)+" "+p.changedAt(s.Name).Format(time.RFC3339Nano)
	var last sql.NullString
	err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = $1", []any{key}, &last)
	if err != nil {
		return err
	}
	if last.String == now && !p.result.Rebuilt {
		return nil
	}
	for _, t := range s.Tables {
		if t.View == "" {
			continue
		}
		if _, err := db.Exec(ctx, load.GoneView(s.Name, t)); err != nil {
			return fmt.Errorf("view %s: %w", t.View, err)
		}
	}
	for _, r := range s.Relations {
		if err := makeRelation(ctx, db, s.Name, r); err != nil {
			return fmt.Errorf("%s %s: %w", r.Kind, r.Name, err)
		}
	}
	if err := describe(ctx, db, s); err != nil {
		return err
	}
	return setMeta(ctx, db, key, now)
}

// fingerprint changes when a definition or a comment does.
func fingerprint(s Schema) string {
	h := sha256.New()
	for _, t := range s.Tables {
		fmt.Fprintf(h, "%q %q %q %q %q\n", t.Name, t.View, t.Doc, t.Key, t.Newest)
		for _, c := range t.Columns {
			fmt.Fprintf(h, "%q %q %q %t %t %q\n", c.Name, c.SQL, c.Doc, c.PII, c.Person, c.References)
		}
	}
	fmt.Fprintf(h, "%q\n", s.Relations)
	return hex.EncodeToString(h.Sum(nil))
}

// changedAt is when a row of a schema last changed.
func (p *publication) changedAt(schema string) time.Time {
	var latest time.Time
	for _, t := range p.before.Tables {
		if t.Schema == schema && t.ChangedAt.After(latest) {
			latest = t.ChangedAt
		}
	}
	return latest
}

// makeRelation replaces a relation, also one that was of the other kind before.
func makeRelation(ctx context.Context, db *duck.DB, schema string, r Relation) error {
	name := duck.Table(schema, r.Name)
	var kind sql.NullString
	err := db.Scan(ctx, "SELECT max(table_type) FROM information_schema.tables WHERE table_catalog = $1 AND table_schema = $2 AND table_name = $3",
		[]any{duck.Catalog, schema, r.Name}, &kind)
	if err != nil {
		return err
	}
	old := map[string]string{"VIEW": "view", "BASE TABLE": "table"}[kind.String]
	if old != "" && old != r.Kind {
		if _, err := db.Exec(ctx, "DROP "+old+" "+name); err != nil {
			return err
		}
	}
	switch r.Kind {
	case "view", "table":
		_, err = db.Exec(ctx, "CREATE OR REPLACE "+r.Kind+" "+name+" AS "+load.InSchema(r.SQL, schema))
		return err
	}
	return errors.New("a relation is a view or a table")
}

// described is a table or view with the meaning of its columns.
type described struct {
	name, kind, doc string
	columns         map[string]transform.Column
}

// describe comments tables, views and columns, and fills the dictionary. A column of a relation that says nothing
// about itself means what the column of its name means in the first table or relation that its SQL reads.
func describe(ctx context.Context, db *duck.DB, s Schema) error {
	var all []described
	for _, t := range s.Tables {
		columns := map[string]transform.Column{}
		for _, c := range t.Columns {
			columns[c.Name] = c
		}
		all = append(all, described{t.Name, "table", t.Doc, columns})
		if t.View != "" {
			all = append(all, described{t.View, "view", t.Doc, columns})
		}
	}
	for _, r := range s.Relations {
		all = append(all, described{r.Name, r.Kind, r.Doc, inherit(r, all)})
	}
	if _, err := db.Exec(ctx, "DELETE FROM _sync.dictionary WHERE schema = $1", s.Name); err != nil {
		return err
	}
	return db.Transaction(ctx, func() error {
		for _, d := range all {
			if err := d.write(ctx, db, s.Name); err != nil {
				return fmt.Errorf("describe %s: %w", d.name, err)
			}
		}
		return nil
	})
}

// inherit gives the meanings of a relation's columns.
func inherit(r Relation, sources []described) map[string]transform.Column {
	columns := map[string]transform.Column{}
	for _, d := range sources {
		if !readsFrom(r.SQL, d.name) {
			continue
		}
		for name, c := range d.columns {
			if _, known := columns[name]; !known {
				columns[name] = c
			}
		}
	}
	for _, c := range r.Columns {
		own := columns[c.Name]
		own.Name, own.Doc = c.Name, c.Doc
		columns[c.Name] = own
	}
	return columns
}

// readsFrom says whether a query names a table of its schema.
func readsFrom(query, table string) bool {
	for rest := query; ; {
		_, after, found := strings.Cut(rest, "{schema}."+table)
		if !found {
			return false
		}
		if after == "" || !strings.ContainsRune("_abcdefghijklmnopqrstuvwxyz0123456789", rune(after[0])) {
			return true
		}
		rest = after
	}
}

// write comments one table or view and adds its columns to the dictionary.
func (d described) write(ctx context.Context, db *duck.DB, schema string) error {
	type column struct {
		name, kind string
		position   int
	}
	var columns []column
	query := "SELECT column_name, data_type, column_index FROM duckdb_columns() WHERE database_name = $1 AND schema_name = $2 AND table_name = $3 ORDER BY column_index"
	err := db.Each(ctx, query, []any{duck.Catalog, schema, d.name}, func(rows *sql.Rows) error {
		var c column
		if err := rows.Scan(&c.name, &c.kind, &c.position); err != nil {
			return err
		}
		columns = append(columns, c)
		return nil
	})
	if err != nil {
		return err
	}
	name := duck.Table(schema, d.name)
	if _, err := db.Exec(ctx, "COMMENT ON "+d.kind+" "+name+" IS "+duck.Text(d.doc)); err != nil {
		return err
	}
	for i, c := range columns {
		known := d.columns[c.name]
		if _, err := db.Exec(ctx, "COMMENT ON COLUMN "+name+"."+duck.Name(c.name)+" IS "+duck.Text(known.Doc)); err != nil {
			return err
		}
		_, err := db.Exec(ctx, "INSERT INTO _sync.dictionary (schema, table_name, kind, position, column_name, type, doc, pii, person, reference) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
			schema, d.name, d.kind, i+1, c.name, c.kind, known.Doc, known.PII, known.Person, known.References)
		if err != nil {
			return err
		}
	}
	return nil
}

func setMeta(ctx context.Context, db *duck.DB, key, value string) error {
	if _, err := db.Exec(ctx, "DELETE FROM _sync.meta WHERE key = $1", key); err != nil {
		return err
	}
	_, err := db.Exec(ctx, "INSERT INTO _sync.meta VALUES ($1, $2)", key, value)
	return err
}

// record writes what the file tells about itself.
func (p *publication) record(ctx context.Context, db *duck.DB) error {
	for key, value := range map[string]string{"run_id": p.spec.RunID, "file": p.name + ".duckdb", "published_at": p.at.Format(time.RFC3339Nano)} {
		if err := setMeta(ctx, db, key, value); err != nil {
			return err
		}
	}
	if _, err := db.Exec(ctx, "DELETE FROM _sync.freshness"); err != nil {
		return err
	}
	_, err := db.Exec(ctx, `INSERT INTO _sync.freshness (schema, stream, synced_to, history_to, checked_at, published_at)
		SELECT schema, stream, synced_to, history_to, committed_at, $1::TIMESTAMPTZ FROM _sync.checkpoints ORDER BY ALL`, p.at)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, `INSERT INTO _sync.publishes (run_id, recorded_at, file, tables_changed, parts_written, verified, rebuilt)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, p.spec.RunID, p.at, p.name+".duckdb", p.result.Changed, p.result.Parts, p.result.Verified, p.result.Rebuilt)
	return err
}
