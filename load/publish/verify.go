package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"aqueduck/load/facts"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/publish/keycheck"
	"aqueduck/transform"
)

// verifyCopy checks that the copy has the content of the work database, that keys are unique in every table that changed
// since the last check, and that every relation can be read.
func (p *publishRun) verifyCopy(ctx context.Context, db *duck.DB) error {
	after, err := facts.ReadSnapshot(ctx, db)
	if err != nil {
		return err
	}
	if after.Checkpoints != p.before.Checkpoints {
		return errors.New("the copy has other checkpoints than the work database")
	}
	if !slices.EqualFunc(after.Tables, p.before.Tables, func(a, b facts.TableState) bool {
		return a.Schema == b.Schema && a.Name == b.Name && a.Rows == b.Rows && a.Recorded == b.Recorded && a.ChangedAt.Equal(b.ChangedAt)
	}) {
		return fmt.Errorf("the copy has other tables than the work database: %v, not %v", after.Tables, p.before.Tables)
	}
	for _, t := range after.Tables {
		if t.Rows != t.Recorded {
			return fmt.Errorf("%s.%s has %d rows, but its commits add up to %d", t.Schema, t.Name, t.Rows, t.Recorded)
		}
	}
	for _, s := range p.spec.Schemas {
		if err := p.verifySchema(ctx, db, s, after); err != nil {
			return err
		}
	}
	return nil
}

func (p *publishRun) verifySchema(ctx context.Context, db *duck.DB, s Schema, after facts.Snapshot) error {
	var verified []string
	for _, state := range after.Tables {
		if state.Schema != s.Name || state.ChangedAt.Equal(state.VerifiedAt) {
			continue
		}
		p.result.Changed++
		at := slices.IndexFunc(s.Tables, func(t transform.Table) bool { return t.Name == state.Name })
		if at < 0 {
			continue // its stream is no longer configured, so its rows do not change
		}
		checked := state.VerifiedAt
		if p.result.Rebuilt {
			checked = time.Time{} // each row was written
		}
		if err := keycheck.RequireUnique(ctx, db, s.Name, s.Tables[at], state.Rows, checked); err != nil {
			return err
		}
		if err := noOverlaps(ctx, db, s.Name, s.Tables[at]); err != nil {
			return err
		}
		p.result.Verified++
		verified = append(verified, duck.Text(state.Name))
	}
	if len(verified) > 0 {
		statement := "UPDATE _sync.tables SET verified_at = changed_at WHERE schema = $1 AND table_name IN (" + strings.Join(verified, ", ") + ")"
		if _, err := db.Exec(ctx, statement, s.Name); err != nil {
			return err
		}
	}
	columns, err := db.TableColumns(ctx, s.Name)
	if err != nil {
		return err
	}
	for _, t := range s.Tables {
		if len(columns[t.Name]) == 0 {
			return fmt.Errorf("the copy has no table %s.%s", s.Name, t.Name)
		}
	}
	return p.tryRelations(ctx, db, s)
}

// tryRelations refuses a view or relation that cannot be read. That depends on nothing but definitions: of the views, which
// the schema has, and of the stored tables. Where both are what they were when all could be read, none is tried. A view of attributes
// that is made again is tried by making it.
func (p *publishRun) tryRelations(ctx context.Context, db *duck.DB, s Schema) error {
	tables, err := catalog.Fingerprint(ctx, db, s.Name, duck.RawSchema(s.Name))
	if err != nil {
		return err
	}
	defined := p.fingerprint(s) + " " + tables
	if before, err := replaceMeta(ctx, db, "readable:"+s.Name, defined); err != nil || before == defined {
		return err
	}
	for _, name := range s.queryNames() {
		if _, err := db.Exec(ctx, "SELECT * FROM "+duck.Table(s.Name, name)+" LIMIT 0"); err != nil {
			return fmt.Errorf("read %s.%s: %w", s.Name, name, err)
		}
	}
	return nil
}

// queryNames gives the names of all views and relations of a schema, but not deprecated ones.
func (s Schema) queryNames() []string {
	var names []string
	for _, t := range s.Tables {
		if t.View != "" && !t.Raw {
			names = append(names, t.View)
		}
	}
	for _, r := range s.Relations {
		names = append(names, r.Name)
	}
	for _, a := range s.Attributes {
		names = append(names, a.View)
	}
	return names
}

// noOverlaps refuses a history where a record is in two states at once, or in a state that ends before it begins.
func noOverlaps(ctx context.Context, db *duck.DB, schema string, t transform.Table) error {
	if t.HistoryOf == "" {
		return nil
	}
	var n int64
	err := db.Scan(ctx, fmt.Sprintf(`SELECT count(*) FROM (SELECT %[1]s, %[2]s, lead(%[1]s) OVER (PARTITION BY %[3]s ORDER BY %[1]s) AS next FROM %[4]s)
		WHERE %[2]s <= %[1]s OR next < %[2]s OR next IS NOT NULL AND %[2]s IS NULL`, transform.ValidFrom, transform.ValidTo,
		duck.Names("", t.Key[:len(t.Key)-1]), clause.Stored(schema, t)), nil, &n)
	if err != nil {
		return fmt.Errorf("check the intervals of %s.%s: %w", schema, t.Name, err)
	}
	if n > 0 {
		return fmt.Errorf("%s.%s has %d intersecting intervals", schema, t.Name, n)
	}
	return nil
}
