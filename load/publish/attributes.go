package publish

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"aqueduck/load/facts"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
	"aqueduck/transform/attribute"
)

// mostAttributes limits the columns of a view: an object with ids as names would add a column for each record.
const mostAttributes = 1000

// largestAttributes is the size in bytes above which a record's JSON is not searched: DuckDB needs a kilobyte of memory or
// more for each name in it.
const largestAttributes = 1 << 20

// attributeRows is how many rows one query reads: DuckDB keeps its whole result in memory.
const attributeRows = 32_768

// customAttribute is one name in the JSON. Names are data: a name enters a statement only as a quoted text, or as a
// quoted column name made from it.
type customAttribute struct {
	name, column string
	types        attribute.Types
	stored       bool // _sync.attributes has it
	known        bool // ... with these types
}

// makeAttributeViews makes the views of a schema's attributes where a row or a definition has changed.
func (p *publishRun) makeAttributeViews(ctx context.Context, db *duck.DB, s Schema, again bool) error {
	for _, a := range s.Attributes {
		a.Tables = slices.DeleteFunc(slices.Clone(a.Tables), func(name string) bool {
			return !slices.ContainsFunc(p.before.Tables, func(t facts.TableState) bool { return t.Schema == s.Name && t.Name == name })
		})
		if len(a.Tables) == 0 {
			continue
		}
		last, listed := p.changedAt(s.Name, a.Tables...).Format(time.RFC3339Nano), p.changedAt(s.Name, a.lists()...).Format(time.RFC3339Nano)
		definition := fmt.Sprintf("%#v %q", a, attribute.Forms())
		now := last + " " + listed + " " + definition
		before, err := replaceMeta(ctx, db, "attributes:"+s.Name+"."+a.View, now)
		if err != nil {
			return err
		}
		if before == now && !again {
			continue
		}
		// Attributes that were seen once stay. While the definition is the same, only rows written since can add some.
		since, rest, _ := strings.Cut(before, " ")
		if _, made, _ := strings.Cut(rest, " "); made != definition {
			since = ""
		}
		if err := p.makeAttributes(ctx, db, s.Name, a, since, again); err != nil {
			return fmt.Errorf("view %s: %w", a.View, err)
		}
	}
	return nil
}

func (p *publishRun) makeAttributes(ctx context.Context, db *duck.DB, schema string, a Attributes, since string, again bool) error {
	all, err := knownAttributes(ctx, db, schema, a)
	if err != nil {
		return err
	}
	if all, err = p.seenAttributes(ctx, db, schema, a, since, all); err != nil {
		return err
	}
	if err := markDateAttributes(ctx, db, schema, a, all); err != nil {
		return err
	}
	if since != "" && !again && !slices.ContainsFunc(all, func(one *customAttribute) bool { return !one.known }) {
		return nil // the view has all of them already
	}
	nameColumns(all, a.Key)
	return db.Transaction(ctx, func() error {
		if err := p.saveAttributes(ctx, db, schema, a, all, since); err != nil {
			return err
		}
		there, err := catalog.RelationKinds(ctx, db, schema)
		if err != nil {
			return err
		}
		if err := makeRelation(ctx, db, schema, Relation{Name: a.View, Kind: "view", SQL: a.viewQuery(all)}, there[a.View]); err != nil {
			return err
		}
		return a.describeView(ctx, db, schema, all)
	})
}

// knownAttributes gives the attributes that were seen before, in the order of first sight.
func knownAttributes(ctx context.Context, db *duck.DB, schema string, a Attributes) (all []*customAttribute, err error) {
	err = db.Each(ctx, "SELECT name, column_name, types FROM _sync.attributes WHERE schema = $1 AND stream = $2 ORDER BY first_seen, name", []any{schema, a.Stream},
		func(rows *sql.Rows) error {
			one := &customAttribute{types: attribute.Types{}, stored: true, known: true}
			var types string
			err := rows.Scan(&one.name, &one.column, &types)
			for _, t := range strings.Fields(types) {
				one.types[t] = true
			}
			all = append(all, one)
			return err
		})
	return all, err
}

// seenAttributes adds the attributes of the rows written after since; of all rows where it is "". A type that was seen
// once stays: a column does not narrow when a row is deleted. The result of the publish tells which have no column.
func (p *publishRun) seenAttributes(ctx context.Context, db *duck.DB, schema string, a Attributes, since string, all []*customAttribute) ([]*customAttribute, error) {
	// The texts are read here: json_each in DuckDB, one row for each member of each object, costs four times as much.
	of := schema
	found := transform.AttributeTypes{Most: mostAttributes + len(all) + 1}
	lack := func(what string) {
		if text := fmt.Sprintf("%s.%s has no column for attributes %s: they are in %s alone", of, a.View, what, a.Column); !slices.Contains(p.result.Lacking, text) {
			p.result.Lacking = append(p.result.Lacking, text)
		}
	}
	if a.Raw {
		schema = duck.RawSchema(schema)
	}
	for _, table := range a.Tables {
		var end int64
		if err := db.Scan(ctx, "SELECT coalesce(max(rowid) + 1, 0) FROM "+duck.Table(schema, table), nil, &end); err != nil {
			return nil, fmt.Errorf("list the attributes: %w", err)
		}
		for from := int64(0); from < end; from += attributeRows {
			condition := fmt.Sprintf("rowid >= %d AND rowid < %d", from, from+attributeRows)
			var values []any
			if since != "" {
				condition += " AND " + transform.SyncedAtColumn + " > $1::TIMESTAMPTZ"
				values = append(values, since)
			}
			query := fmt.Sprintf("SELECT CASE WHEN strlen(%s) > %d THEN 'x' ELSE %[1]s::VARCHAR END FROM %[3]s WHERE %[4]s", duck.Name(a.Column), largestAttributes, duck.Table(schema, table), condition)
			err := db.Each(ctx, query, values, func(rows *sql.Rows) error {
				var raw sql.RawBytes
				if err := rows.Scan(&raw); err != nil {
					return err
				}
				if string(raw) == "x" { // no JSON begins so
					lack("that only JSON of more than 1 MB has")
				}
				return found.Add(raw)
			})
			if err != nil {
				return nil, fmt.Errorf("list the attributes: %w", err)
			}
		}
	}
	found.Each(func(name string, types []string) {
		if strings.ContainsRune(name, 0) {
			return // no statement can hold a NUL
		}
		at := slices.IndexFunc(all, func(one *customAttribute) bool { return one.name == name })
		if at < 0 {
			if len(all) >= mostAttributes {
				lack("beyond the first 1,000")
				return
			}
			at, all = len(all), append(all, &customAttribute{name: name, types: attribute.Types{}})
		}
		for _, t := range types {
			all[at].known = all[at].known && all[at].types[t]
			all[at].types[t] = true
		}
	})
	return all, nil
}

// lists are the workspace's own lists of the records' attributes: their relations, and the tables of these. Newer API versions list those of conversations
// separately.
func (a Attributes) lists() []string {
	return []string{"data_attributes", "data_attributes_all", a.Model + "_data_attributes", a.Model + "_data_attributes_all"}
}

// markDateAttributes marks the attributes that the workspace's own lists call dates, and no longer those that they call something else. Of two with one
// name, the one in use counts.
func markDateAttributes(ctx context.Context, db *duck.DB, schema string, a Attributes, all []*customAttribute) error {
	columns, err := db.Columns(ctx, schema)
	if err != nil {
		return err
	}
	var told []string
	tell := func(list, condition string, needed ...string) {
		for _, name := range needed { // a stream file of the user may leave some out
			if !slices.ContainsFunc(columns[list], func(c duck.StoredColumn) bool { return c.Name == name }) {
				return
			}
		}
		told = append(told, "SELECT name, data_type IN ('date', 'datetime') AS dated, archived FROM "+duck.Table(schema, list)+" WHERE name IS NOT NULL"+condition)
	}
	tell("data_attributes", " AND custom IS DISTINCT FROM false AND model = "+duck.Text(a.Model), "name", "data_type", "archived", "custom", "model")
	tell(a.Model+"_data_attributes", "", "name", "data_type", "archived")
	if told == nil {
		return nil
	}
	return db.Each(ctx, "SELECT name, coalesce(bool_or(dated) FILTER (archived IS DISTINCT FROM true), bool_or(dated)) AS is_date FROM ("+strings.Join(told, " UNION ALL ")+
		") WHERE dated IS NOT NULL GROUP BY name", nil,
		func(rows *sql.Rows) error {
			var name string
			var isDate bool
			err := rows.Scan(&name, &isDate)
			at := slices.IndexFunc(all, func(one *customAttribute) bool { return one.name == name })
			if at < 0 || all[at].types["date"] == isDate {
				return err
			}
			all[at].known = false
			if all[at].types["date"] = true; !isDate {
				delete(all[at].types, "date")
			}
			return err
		})
}

// nameColumns gives each new attribute a unique column name, whatever the case of letters. Earlier names stay.
func nameColumns(all []*customAttribute, key []string) {
	taken := map[string]bool{}
	for _, name := range key {
		taken[strings.ToLower(name)] = true
	}
	for _, a := range all {
		taken[strings.ToLower(a.column)] = true
	}
	for _, a := range all {
		if a.column != "" {
			continue
		}
		base := printableName(a.name)
		a.column = base
		for n := 2; taken[strings.ToLower(a.column)]; n++ {
			a.column = fmt.Sprintf("%s_%d", base, n)
		}
		taken[strings.ToLower(a.column)] = true
	}
}

// printableName is a name that people can type: without characters that do not print, and at most 60 characters long.
func printableName(name string) string {
	const longest = 60
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest])
	}
	if name = strings.TrimSpace(name); name == "" {
		return "attribute"
	}
	return name
}

// viewQuery is the view's SELECT.
func (a Attributes) viewQuery(all []*customAttribute) string {
	var columns []string
	for _, name := range a.Key {
		columns = append(columns, "t."+duck.Name(name))
	}
	for _, one := range all {
		pointer := duck.Text("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(one.name))
		columns = append(columns, one.types.Value("t."+duck.Name(a.Column), pointer)+" AS "+duck.Name(one.column))
	}
	return "SELECT " + strings.Join(columns, ",\n") + "\nFROM {schema}." + duck.Name(a.Of) + " t"
}

// saveAttributes stores what is new. Names and their columns never change. In a view that was made before, a new attribute is schema drift, unless
// this run has made the table.
func (p *publishRun) saveAttributes(ctx context.Context, db *duck.DB, schema string, a Attributes, all []*customAttribute, since string) error {
	var added, drift []string // one statement for all: a first publish has dozens
	for _, one := range all {
		if one.known {
			continue
		}
		types := strings.Join(slices.Sorted(maps.Keys(one.types)), " ")
		if !one.stored {
			added = append(added, fmt.Sprintf("(%s, %s, %s, %s, %s, $1)", duck.Text(schema), duck.Text(a.Stream), duck.Text(one.name), duck.Text(one.column), duck.Text(types)))
			drift = append(drift, fmt.Sprintf("(%s, %s)", duck.Text(one.column), duck.Text("a new custom attribute, a column of type "+one.types.ColumnType())))
			continue
		}
		_, err := db.Exec(ctx, "UPDATE _sync.attributes SET types = $4 WHERE schema = $1 AND stream = $2 AND name = $3", schema, a.Stream, one.name, types)
		if err != nil {
			return fmt.Errorf("note the attribute %q: %w", one.name, err)
		}
	}
	if added == nil {
		return nil
	}
	_, err := db.Exec(ctx, "INSERT INTO _sync.attributes (schema, stream, name, column_name, types, first_seen) VALUES\n"+strings.Join(added, ",\n"), p.at)
	if err != nil {
		return fmt.Errorf("note %d new attributes: %w", len(added), err)
	}
	if since == "" {
		return nil
	}
	_, err = db.Exec(ctx, `INSERT INTO _sync.schema_changes (run_id, recorded_at, schema, table_name, stream, column_name, change)
		SELECT $1, $2, $3, $4, $5, d.* FROM (VALUES `+strings.Join(drift, ", ")+`) d WHERE NOT EXISTS (FROM _sync.schema_changes m
		WHERE m.run_id = $1 AND m.schema = $3 AND m.table_name = $6 AND m.change LIKE 'made%')`, p.run(), p.at, schema, a.View, a.Stream, a.Tables[0])
	return err
}

// describeView comments the view and its columns, and adds them to the dictionary.
func (a Attributes) describeView(ctx context.Context, db *duck.DB, schema string, all []*customAttribute) error {
	view := duck.Table(schema, a.View)
	text := fmt.Sprintf("COMMENT ON VIEW %s IS %s;\n", view, duck.Text(a.Doc))
	var rows []string
	row := func(position int, column, kind, doc string) {
		rows = append(rows, fmt.Sprintf("(%s, %s, 'view', %d, %s, %s, %s, true, false, '')", duck.Text(schema), duck.Text(a.View), position,
			duck.Text(column), duck.Text(kind), duck.Text(doc)))
		text += fmt.Sprintf("COMMENT ON COLUMN %s.%s IS %s;\n", view, duck.Name(column), duck.Text(doc))
	}
	for i, name := range a.Key {
		row(i+1, name, "VARCHAR", "Key column of "+a.Of+".")
	}
	for i, one := range all {
		row(len(a.Key)+i+1, one.column, one.types.ColumnType(), "Custom attribute "+printableName(one.name)+".")
	}
	_, err := db.Exec(ctx, text)
	_, gone := db.Exec(ctx, "DELETE FROM _sync.dictionary WHERE schema = $1 AND table_name = $2", schema, a.View)
	_, added := db.Exec(ctx, "INSERT INTO _sync.dictionary (schema, table_name, kind, position, column_name, type, doc, pii, person, reference) VALUES\n"+strings.Join(rows, ",\n"))
	return errors.Join(err, gone, added)
}
