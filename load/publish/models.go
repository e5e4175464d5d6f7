package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"aqueduck/load/failure"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/read"
)

func (f FailedModel) String() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s: model %s.%s: %v", place, f.Schema, f.Name, f.Err)
}

// makeModels makes the program's models of a schema, when a definition has changed since they were last made; models that are tables
// also when a row has. It gives nil where nothing has; else the rest is to be made, and finished.
func (p *publication) makeModels(ctx context.Context, db *duck.DB, s Schema) (*building, error) {
	if s.Models.Schema == "" {
		return nil, nil
	}
	var version string
	if err := db.Scan(ctx, "SELECT version()", nil, &version); err != nil {
		return nil, err
	}
	b := &building{schema: s, definition: s.Models.fingerprint(fingerprint(s) + version)}
	content := p.changedAt(s.Name).Format(time.RFC3339Nano)
	var last sql.NullString
	if err := db.Scan(ctx, "SELECT max(value) FROM _sync.meta WHERE key = $1", []any{"models:" + s.Name}, &last); err != nil {
		return nil, err
	}
	b.defined = last.String == b.definition && !p.result.Rebuilt
	filled, err := replaceMeta(ctx, db, "models content:"+s.Name, content)
	tables := slices.ContainsFunc(s.Models.Relations, isTable)
	if err != nil || b.defined && (filled == content || !tables) {
		return nil, err
	}
	return b, b.make(ctx, db)
}

func isTable(r Relation) bool { return r.Kind == "table" }

// waits says whether there are models that a process of their own is to make.
func (b *building) waits() bool {
	return slices.ContainsFunc(b.own, func(r Relation) bool { return !b.defined || isTable(r) })
}

// finish takes away what was not made, comments the rest and notes it.
func (b *building) finish(ctx context.Context, db *duck.DB) error {
	s := b.schema
	if err := dropOthers(ctx, db, s.Models.Schema, b.made); err != nil {
		return err
	}
	if err := s.describeModels(ctx, db, b.made); err != nil {
		return err
	}
	if len(b.failed) > 0 {
		b.definition = "" // they are tried again
	}
	return setMeta(ctx, db, "models:"+s.Name, b.definition)
}

// fingerprint changes when a definition does, of a model or of what it may read.
func (m Models) fingerprint(of string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %#v\n", of, m)
	return hex.EncodeToString(h.Sum(nil))
}

// longest is how long a model may take that is a table: anybody may have written it, and the readers wait for it.
const longest = 10 * time.Minute

// make makes the program's models whose sources are there, each after those that it reads; of defined ones only the tables.
func (b *building) make(ctx context.Context, db *duck.DB) error {
	m := b.schema.Models
	if _, err := db.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+duck.Name(m.Schema)); err != nil {
		return err
	}
	stored, err := readColumns(ctx, db, b.schema.Name)
	if err != nil {
		return err
	}
	there, err := kinds(ctx, db, m.Schema)
	if err != nil {
		return err
	}
	ordered, circle := m.order(stored)
	for _, r := range circle {
		b.fail(r, r.Line, errors.New("it reads models that read it"))
	}
	for _, r := range ordered {
		switch {
		case r.Own:
			b.own = append(b.own, r)
			continue
		case !m.ready(r, b.made):
			continue
		case b.defined && !isTable(r):
			b.made = append(b.made, r)
			continue
		}
		err := duck.Within(ctx, cmp.Or(m.Longest, longest), func(ctx context.Context) error {
			return makeRelation(ctx, db, m.Schema, b.filled(r), there[r.Name])
		})
		switch {
		case err == nil:
			b.made = append(b.made, r)
		case ctx.Err() != nil:
			return err
		default:
			b.fail(r, lineOf(r, err), plain(err))
		}
	}
	return nil
}

// filled is a model with the names and values that its SQL has in braces.
func (b *building) filled(r Relation) Relation {
	return Relation{Name: r.Name, Kind: r.Kind, SQL: clause.InSchema(b.schema.Models.fill(r.SQL), b.schema.Name), Line: r.Line}
}

func (b *building) fail(r Relation, line int, err error) {
	b.failed = append(b.failed, FailedModel{b.schema.Models.Schema, r.Name, r.File, line, err})
}

// order gives the models whose stored sources are there, those that others read before these, and apart those that read
// themselves by way of others.
func (m Models) order(stored map[string][]storedColumn) (all, circle []Relation) {
	var waiting []Relation
	for _, r := range m.Relations {
		if !slices.ContainsFunc(references(r.SQL, "{schema}."), func(name string) bool { _, there := stored[name]; return !there }) {
			waiting = append(waiting, r)
		}
	}
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(r Relation) bool {
			return !slices.ContainsFunc(waiting, func(other Relation) bool { return slices.Contains(references(r.SQL, "{models}."), other.Name) })
		})
		if i < 0 {
			return all, waiting
		}
		all, waiting = append(all, waiting[i]), slices.Delete(waiting, i, i+1)
	}
	return all, nil
}

// ready says that every model that this one reads is there. One that reads another which was left out is left out, too; of
// one that nobody has DuckDB says so.
func (m Models) ready(r Relation, made []Relation) bool {
	for _, name := range references(r.SQL, "{models}.") {
		named := func(r Relation) bool { return r.Name == name }
		if slices.ContainsFunc(m.Relations, named) && !slices.ContainsFunc(made, named) {
			return false
		}
	}
	return true
}

// fill puts the values into a model's SQL, but for the schema that it reads.
func (m Models) fill(query string) string {
	pairs := []string{"{models}", duck.Name(m.Schema)}
	for name, value := range m.Values.sql() {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(query)
}

var identifier = regexp.MustCompile(`^[a-z0-9_]+`)

// references are the names that follow a prefix in a query.
func references(query, prefix string) (names []string) {
	for _, rest := range strings.Split(query, prefix)[1:] {
		if name := identifier.FindString(rest); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// dropOthers removes what is stored and was not made.
func dropOthers(ctx context.Context, db *duck.DB, schema string, made []Relation) error {
	there, err := kinds(ctx, db, schema)
	if err != nil {
		return err
	}
	for name, kind := range there {
		if slices.ContainsFunc(made, func(r Relation) bool { return r.Name == name }) {
			continue
		}
		if _, err := db.Exec(ctx, "DROP "+kind+" "+duck.Table(schema, name)); err != nil {
			return fmt.Errorf("drop the model %s, which is made no more: %w", name, err)
		}
	}
	return nil
}

// describeModels comments models, each column by its own words or those of the column of its name that it reads.
func (s Schema) describeModels(ctx context.Context, db *duck.DB, made []Relation) error {
	known := meanings(s)
	first := len(known)
	for _, r := range made {
		known = append(known, described{"{models}.", r.Name, r.Kind, r.Doc, inherit(r, known)})
	}
	return writeMeanings(ctx, db, s.Models.Schema, known[first:])
}

var lineInSQL = regexp.MustCompile(`LINE (\d+):`)

// lineOf is the line of a model's file that the database complains about.
func lineOf(r Relation, err error) int {
	var refused *read.Refused
	if errors.As(err, &refused) {
		return r.Line + refused.Line - 1
	}
	var n int
	if found := lineInSQL.FindStringSubmatch(err.Error()); found == nil {
		return r.Line
	} else if _, err := fmt.Sscan(found[1], &n); err != nil {
		return r.Line
	}
	return r.Line + n - 1
}

// plain is the first line of what the database says: the others draw the statement as it was sent, which is in no file.
func plain(err error) error {
	var refused *read.Refused
	if errors.As(err, &refused) {
		elsewhere := *refused
		elsewhere.Line = 0
		return &elsewhere
	}
	if duck.OutOfMemory(err) {
		return failure.ErrQueryMemory
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(first)
}
