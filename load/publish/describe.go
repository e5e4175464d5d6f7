package publish

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// relationMeaning is a table or view with the meaning of its columns.
type relationMeaning struct {
	prefix, name, kind, doc string // SQL refers to it by prefix and name
	old                     bool   // a name that a table of the raw schema had: not in the dictionary
	columns                 map[string]transform.Column
}

// describeSchema comments tables, views and columns, and fills the dictionary.
func describeSchema(ctx context.Context, db *duck.DB, s Schema) error {
	all := schemaMeanings(s)
	isRaw := func(d relationMeaning) bool { return d.prefix == rawPrefix }
	own := slices.DeleteFunc(slices.Clone(all), isRaw)
	raw := slices.DeleteFunc(all, func(d relationMeaning) bool { return !isRaw(d) })
	if err := writeMeanings(ctx, db, duck.RawSchema(s.Name), raw, s.commented(raw)); err != nil {
		return err
	}
	return writeMeanings(ctx, db, s.Name, own, s.commented(own))
}

func tableMeaning(t transform.Table) relationMeaning {
	columns := map[string]transform.Column{}
	for _, c := range t.Columns {
		columns[c.Name] = c
	}
	return relationMeaning{prefix: schemaPrefix, name: t.Name, kind: "table", doc: t.Doc, columns: columns}
}

// commented are those of some relations whose comments are written: none where the schema says so.
func (s Schema) commented(all []relationMeaning) []relationMeaning {
	if s.NoComments {
		return nil
	}
	return all
}

// writeMeanings writes the dictionary of a schema again, and the comments of those relations that have lost theirs.
func writeMeanings(ctx context.Context, db *duck.DB, schema string, all, commented []relationMeaning) error {
	stored, err := db.Columns(ctx, schema)
	if err != nil {
		return err
	}
	if err := writeComments(ctx, db, schema, stored, commented); err != nil {
		return err
	}
	return fillDictionary(ctx, db, schema, stored, all)
}

// schemaMeanings gives the meaning of everything readable in a schema. A column of a relation without its own comment has
// the comment of the column with the same name in the first table or relation that its SQL reads.
func schemaMeanings(s Schema) []relationMeaning {
	var all []relationMeaning
	for _, t := range s.Tables {
		d := tableMeaning(t)
		if t.Raw {
			raw := d
			raw.prefix = rawPrefix
			all = append(all, raw)
			d.old, d.kind, d.doc = true, "view", "Deprecated, not for queries; the next version removes it. "+t.Doc
		}
		all = append(all, d)
		if t.View != "" {
			d.name, d.kind = t.View, "view"
			all = append(all, d)
		}
	}
	for _, r := range s.Relations {
		all = append(all, relationMeaning{schemaPrefix, r.Name, r.Kind, r.Doc, false, inheritMeanings(r, all)})
	}
	return all
}

// inheritMeanings gives the meanings of a relation's columns, from its own comments and from its sources.
func inheritMeanings(r Relation, sources []relationMeaning) map[string]transform.Column {
	columns, read := map[string]transform.Column{}, map[string][]string{}
	for _, d := range sources {
		if _, known := read[d.prefix]; !known {
			read[d.prefix] = clause.ReferencedNames(r.SQL, d.prefix)
		}
		if !slices.Contains(read[d.prefix], d.name) {
			continue
		}
		for name, c := range d.columns {
			if _, known := columns[name]; !known {
				columns[name] = c
			}
		}
	}
	for _, c := range r.Columns {
		own := columns[cmp.Or(c.From, c.Name)]
		own.Name, own.Doc = c.Name, c.Doc
		columns[c.Name] = own
	}
	return columns
}

// writeComments comments tables, views and their columns, all in one text: single statements would cost twice as much.
func writeComments(ctx context.Context, db *duck.DB, schema string, stored map[string][]duck.StoredColumn, all []relationMeaning) error {
	var text strings.Builder
	for _, d := range all {
		name := duck.Table(schema, d.name)
		fmt.Fprintf(&text, "COMMENT ON %s %s IS %s;\n", d.kind, name, duck.Text(d.doc))
		for _, c := range stored[d.name] {
			fmt.Fprintf(&text, "COMMENT ON COLUMN %s.%s IS %s;\n", name, duck.Name(c.Name), duck.Text(d.columns[c.Name].Doc))
		}
	}
	if text.Len() == 0 {
		return nil
	}
	err := db.Transaction(ctx, func() error {
		_, err := db.Exec(ctx, text.String())
		return err
	})
	if err != nil {
		return fmt.Errorf("comment tables and columns: %w", err)
	}
	return nil
}

// dictionaryRow is a row of _sync.dictionary without its schema; dictionaryForm says so to DuckDB.
type dictionaryRow struct {
	Table, Kind, Column, Type, Doc, Reference string
	Position                                  int
	Personal, Person                          bool
}

const dictionaryForm = `[{"Table": "VARCHAR", "Kind": "VARCHAR", "Column": "VARCHAR", "Type": "VARCHAR", "Doc": "VARCHAR", "Reference": "VARCHAR",
	"Position": "INTEGER", "Personal": "BOOLEAN", "Person": "BOOLEAN"}]`

// fillDictionary writes the dictionary of a schema again. The rows go in as one JSON text: to bind thousands of literals takes ten times as long.
func fillDictionary(ctx context.Context, db *duck.DB, schema string, stored map[string][]duck.StoredColumn, all []relationMeaning) error {
	var rows []dictionaryRow
	for _, d := range all {
		for i, c := range stored[d.name] {
			if d.old {
				break
			}
			known := d.columns[c.Name]
			rows = append(rows, dictionaryRow{Table: d.name, Kind: d.kind, Column: c.Name, Type: c.Type, Doc: known.Doc, Reference: known.References,
				Position: i + 1, Personal: known.PII, Person: known.Person})
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("write the dictionary: %w", err)
	}
	return db.Transaction(ctx, func() error {
		if _, err := db.Exec(ctx, "DELETE FROM _sync.dictionary WHERE schema = $1", schema); err != nil || len(rows) == 0 {
			return err
		}
		_, err := db.Exec(ctx, `INSERT INTO _sync.dictionary (schema, table_name, kind, position, column_name, type, doc, pii, person, reference)
			SELECT $1, r."Table", r."Kind", r."Position", r."Column", r."Type", r."Doc", r."Personal", r."Person", r."Reference"
			FROM (SELECT unnest(from_json($2, $3)) AS r)`, schema, string(text), dictionaryForm)
		if err != nil {
			return fmt.Errorf("write the dictionary: %w", err)
		}
		return nil
	})
}
