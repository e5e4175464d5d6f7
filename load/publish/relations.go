package publish

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/system"
	"aqueduck/load/read"
	"aqueduck/transform"
)

// makeRelations makes the relations of a schema. It makes views, comments and the dictionary where a definition has
// changed since they were made, and relations that are tables also where a row has.
func (p *publishRun) makeRelations(ctx context.Context, db *duck.DB, s Schema) error {
	definition, content := p.fingerprint(s), p.changedAt(s.Name).Format(time.RFC3339Nano)
	defined, err := replaceMeta(ctx, db, "definition:"+s.Name, definition)
	if err != nil {
		return err
	}
	filled, err := replaceMeta(ctx, db, "content:"+s.Name, content)
	if err != nil {
		return err
	}
	if defined == definition && !p.result.Rebuilt {
		if err := remakeTables(ctx, db, s, filled != content); err != nil {
			return err
		}
		return p.makeAttributeViews(ctx, db, s, false)
	}
	if err := s.makeViews(ctx, db); err != nil {
		return err
	}
	if err := describeSchema(ctx, db, s); err != nil {
		return err
	}
	return p.makeAttributeViews(ctx, db, s, true)
}

// makeViews makes the views of the tables, then the relations, then the views with deprecated names, which no relation reads.
func (s Schema) makeViews(ctx context.Context, db *duck.DB) error {
	viewsOf := func(statements func(string, transform.Table) []string) error {
		for _, t := range s.Tables {
			for _, statement := range statements(s.Name, t) {
				if _, err := db.Exec(ctx, statement); err != nil {
					return fmt.Errorf("views of %s: %w", t.Name, err)
				}
			}
		}
		return nil
	}
	if err := viewsOf(load.ViewsOf); err != nil {
		return err
	}
	there, err := catalog.RelationKinds(ctx, db, s.Name)
	if err != nil {
		return err
	}
	for _, r := range s.Relations {
		if err := makeRelation(ctx, db, s.Name, r, there[r.Name]); err != nil {
			return fmt.Errorf("%s %s: %w", r.Kind, r.Name, r.shownError(err))
		}
	}
	return viewsOf(load.DeprecatedViewsOf)
}

// remakeTables makes the relations that are tables again where rows have changed, and comments them: a table made again
// has lost its comments.
func remakeTables(ctx context.Context, db *duck.DB, s Schema, changed bool) error {
	if !changed || !slices.ContainsFunc(s.Relations, isTable) {
		return nil
	}
	there, err := catalog.RelationKinds(ctx, db, s.Name)
	if err != nil {
		return err
	}
	var made []string
	for _, r := range s.Relations {
		if r.Kind != "table" {
			continue
		}
		if err := makeRelation(ctx, db, s.Name, r, there[r.Name]); err != nil {
			return fmt.Errorf("table %s: %w", r.Name, r.shownError(err))
		}
		made = append(made, r.Name)
	}
	all := slices.DeleteFunc(s.commented(schemaMeanings(s)), func(d relationMeaning) bool { return !slices.Contains(made, d.name) })
	stored, err := db.Columns(ctx, s.Name)
	if err != nil {
		return err
	}
	return writeComments(ctx, db, s.Name, stored, all)
}

// shownError is an error of the relation's SQL. Of a private file it is the kind of the error.
func (r Relation) shownError(err error) error {
	if r.Private {
		return duck.WithoutSQL(err)
	}
	return err
}

// changedAt is when a row of a schema last changed, or one of some of its tables; zero without such a row.
func (p *publishRun) changedAt(schema string, tables ...string) time.Time {
	var latest time.Time
	for _, t := range p.before.Tables {
		if t.Schema == schema && (tables == nil || slices.Contains(tables, t.Name)) && t.ChangedAt.After(latest) {
			latest = t.ChangedAt
		}
	}
	return latest
}

// makeRelation replaces a relation. old is its stored kind, view or table; "" where it does not exist.
func makeRelation(ctx context.Context, db *duck.DB, schema string, r Relation, old string) error {
	name := duck.Table(schema, r.Name)
	if old != "" && old != r.Kind {
		if _, err := db.Exec(ctx, "DROP "+strings.ToUpper(old)+" "+name); err != nil {
			return err
		}
	}
	// A user may have written it: the text must be one SELECT, with no second statement after it.
	query := clause.InSchema(r.SQL, schema)
	ok, err := db.Selects(query)
	if err == nil && !ok {
		err = read.ErrReadOnly
	}
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, "CREATE OR REPLACE "+strings.ToUpper(r.Kind)+" "+name+" AS "+query)
	return err
}

// recordPublish records the publish, and the freshness of each stream, in the file.
func (p *publishRun) recordPublish(ctx context.Context, db *duck.DB) error {
	err := setMetas(ctx, db, map[string]string{"run_id": p.spec.RunID, "file": p.name + ".duckdb", "published_at": p.at.Format(time.RFC3339Nano),
		"timezone": timezoneOrUTC(p.spec.Timezone)})
	if err != nil {
		return err
	}
	if err := system.UpdateFreshness(ctx, db, p.at); err != nil {
		return err
	}
	err = db.Scan(ctx, "SELECT EXISTS (FROM _sync.schema_changes WHERE run_id = $1)", []any{p.run()}, &p.result.Drifted)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, `INSERT INTO _sync.publishes (run_id, recorded_at, file, what, replaces, tables_changed, parts_written, verified, rebuilt)
		VALUES ($1, $2, $3, nullif($4, ''), nullif($5, ''), $6, $7, $8, $9)`,
		p.spec.RunID, p.at, p.name+".duckdb", p.spec.What, p.replaces, p.result.Changed, p.result.Parts, p.result.Verified, p.result.Rebuilt)
	if err != nil {
		return err
	}
	return p.noteReplaced(ctx, db)
}
