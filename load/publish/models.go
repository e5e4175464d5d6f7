package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/load/failure"
	"aqueduck/load/internal/catalog"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/load/internal/workdb"
	"aqueduck/load/publish/keyed"
	"aqueduck/load/read"
)

func (f FailedModel) String() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	if f.Hint != "" {
		return fmt.Sprintf("%s: model %s.%s: %v (%s)", place, f.Schema, f.Name, f.Err, f.Hint)
	}
	return fmt.Sprintf("%s: model %s.%s: %v", place, f.Schema, f.Name, f.Err)
}

// makeModels makes the program's models of a schema where a definition has changed since they were made; models that are
// tables also where a row has. It returns nil where nothing changed. Else the models of users are still to be made, and
// the result is to be finished.
func (p *publishRun) makeModels(ctx context.Context, db *duck.DB, s Schema) (*modelBuild, error) {
	var version string
	if err := db.Scan(ctx, "SELECT version()", nil, &version); err != nil {
		return nil, err
	}
	b := &modelBuild{schema: s, definition: s.Models.modelsFingerprint(p.fingerprint(s) + version), stored: map[string]keyed.Stored{}}
	for _, t := range p.before.Tables {
		if t.Schema == s.Name {
			b.stored[t.Name] = keyed.Stored{Rows: t.Rows, ChangedAt: t.ChangedAt}
		}
	}
	content := p.changedAt(s.Name).Format(time.RFC3339Nano)
	last, err := workdb.ReadFact(ctx, db, "models:"+s.Models.Schema)
	if err != nil || last == b.definition && last == "" {
		return nil, err
	}
	b.defined = last == b.definition && !p.result.Rebuilt
	filled, err := replaceMeta(ctx, db, "models content:"+s.Models.Schema, content)
	if err != nil || b.defined && filled == content {
		return nil, err
	}
	b.current = map[string]bool{}
	for _, r := range s.Models.Relations {
		b.current[r.Name] = b.defined && !(isTable(r) && p.readsNewer(s, r, filled))
	}
	if b.defined && !slices.ContainsFunc(s.Models.Relations, func(r Relation) bool { return !b.current[r.Name] }) {
		return nil, nil
	}
	return b, b.makeModels(ctx, db)
}

// readsNewer reports whether the table of a model may have other rows than when its schema had last changed at since: a stored table that it reads has
// changed. The SQL of users may ask for the time, so what it says may change at any time; the program's models do not.
func (p *publishRun) readsNewer(s Schema, r Relation, since string) bool {
	at, err := time.Parse(time.RFC3339Nano, since)
	seen := map[string]bool{modelPrefix + r.Name: true}
	sources := s.sources(r, seen, nil)
	changed, _ := p.sourcesOf(s, r, p.before.TablesOf(s.Name))
	users := slices.ContainsFunc(s.Models.Relations, func(read Relation) bool { return read.Own && seen[modelPrefix+read.Name] })
	return err != nil || users || len(sources) > 0 && changed.After(at)
}

func isTable(r Relation) bool { return r.Kind == "table" }

// needsProcess reports whether models of users have to be made, which a process of its own does.
func (b *modelBuild) needsProcess() bool {
	return slices.ContainsFunc(b.userModels, func(r Relation) bool { return !b.defined || isTable(r) })
}

// finishModels drops the models that were not made, and comments the others.
func (b *modelBuild) finishModels(ctx context.Context, db *duck.DB) error {
	s := b.schema
	if err := dropOthers(ctx, db, s.Models.Schema, b.made); err != nil {
		return err
	}
	if err := b.describeModels(ctx, db); err != nil {
		return err
	}
	if len(b.failed) > 0 {
		b.definition = "failed" // the next publish tries them again
	}
	if len(s.Models.Relations) == 0 {
		if _, err := db.Exec(ctx, "DROP SCHEMA "+duck.Name(s.Models.Schema)); err != nil {
			return fmt.Errorf("drop the empty schema of models: %w", err)
		}
	}
	return workdb.NoteFact(ctx, db, "models:"+s.Models.Schema, b.definition)
}

// modelsFingerprint changes when the definition of a model changes, or of anything that it may read. It is "" without models.
func (m Models) modelsFingerprint(of string) string {
	if len(m.Relations) == 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s %#v\n", of, m)
	return hex.EncodeToString(h.Sum(nil))
}

// longestModel is the time limit for one model that is a table: a user may have written it, and readers wait for it.
const longestModel = 10 * time.Minute

// makeModels makes the program's models whose sources exist, each after those that it reads. Where the definitions are
// unchanged, it makes the tables only.
func (b *modelBuild) makeModels(ctx context.Context, db *duck.DB) error {
	m := b.schema.Models
	if _, err := db.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+duck.Name(m.Schema)); err != nil {
		return err
	}
	stored, err := db.PrefixedNames(ctx, map[string]string{schemaPrefix: b.schema.Name, rawPrefix: duck.RawSchema(b.schema.Name)})
	if err != nil {
		return err
	}
	there, err := catalog.RelationKinds(ctx, db, m.Schema)
	if err != nil {
		return err
	}
	ordered, circle := m.buildOrder(stored)
	for _, r := range circle {
		b.recordFailure(r, modelFault{Line: r.Line, Hint: "a model must not read itself, also not through others"}, errors.New("it reads models that read it"))
	}
	maker := b.newMaker(db, ordered)
	for _, r := range ordered {
		switch {
		case r.Own:
			b.userModels = append(b.userModels, r)
			continue
		case !m.dependenciesMade(r, b.made):
			continue
		case b.current[r.Name]:
			b.made = append(b.made, r)
			continue
		}
		err := duck.Within(ctx, cmp.Or(m.Longest, longestModel), func(ctx context.Context) error {
			if isTable(r) && len(r.ChangedBy) > 0 {
				return b.makeKeyed(ctx, maker, r, there[r.Name])
			}
			return makeRelation(ctx, db, m.Schema, b.substituteModel(r), there[r.Name])
		})
		switch {
		case err == nil:
			b.made = append(b.made, r)
		case ctx.Err() != nil:
			return err
		default:
			b.recordFailure(r, faultOf(m.Schema, r, err), plainError(r, err))
		}
	}
	return maker.Close(ctx)
}

func (b *modelBuild) newMaker(db *duck.DB, all []Relation) *keyed.Maker {
	k := &keyed.Maker{DB: db, Schema: b.schema.Name, Models: b.schema.Models.Schema, Stored: b.stored, Views: map[string]string{}, ChunkRows: b.schema.Models.ChunkRows,
		Substitute: func(query string) string { return b.substituteModel(Relation{SQL: query}).SQL }}
	for _, t := range b.schema.Tables {
		k.Views[t.View] = t.Name
	}
	for _, r := range all {
		k.All = append(k.All, r.keyedModel())
	}
	return k
}

// makeKeyed makes the table of a keyed model, or only the rows of changed keys.
func (b *modelBuild) makeKeyed(ctx context.Context, k *keyed.Maker, r Relation, old string) error {
	key := "model rows:" + b.schema.Models.Schema + "." + r.Name
	last, err := workdb.ReadFact(ctx, k.DB, key)
	if err != nil {
		return err
	}
	if !b.defined {
		last = ""
	}
	state, err := k.Make(ctx, r.keyedModel(), old, last)
	if err != nil || state == last {
		return err
	}
	return workdb.NoteFact(ctx, k.DB, key, state)
}

func (r Relation) keyedModel() keyed.Model {
	return keyed.Model{Name: r.Name, Table: isTable(r), SQL: r.SQL, Reads: clause.ReferencedNames(r.SQL, modelPrefix), Key: r.Key, ChangedBy: r.ChangedBy}
}

// substituteModel is a model with the names in braces replaced in its SQL.
func (b *modelBuild) substituteModel(r Relation) Relation {
	return Relation{Name: r.Name, Kind: r.Kind, SQL: clause.InSchema(b.schema.Models.substituteValues(r.SQL), b.schema.Name), Line: r.Line, Private: r.Private}
}

// recordFailure records why a model was not made. Messages have the placeholders, as the model's file has them.
func (b *modelBuild) recordFailure(r Relation, fault modelFault, err error) {
	var pairs []string
	for prefix, schema := range map[string]string{schemaPrefix: b.schema.Name, rawPrefix: duck.RawSchema(b.schema.Name), modelPrefix: b.schema.Models.Schema} {
		name := strings.TrimSuffix(prefix, ".")
		for _, written := range []string{duck.Name(schema), duck.MarkPlaceholders(name)} {
			pairs = append(pairs, `"`+written+`"`, `"`+name+`"`, written+".", prefix)
		}
	}
	written := strings.NewReplacer(pairs...)
	if text := written.Replace(err.Error()); text != err.Error() {
		err = errors.New(text)
	}
	fault.Before = written.Replace(fault.Before)
	b.failed = append(b.failed, FailedModel{b.schema.Models.Schema, r.Name, r.File, r.Own, fault, err})
}

// buildOrder gives the models whose stored sources exist, each after those that it reads. circle are the models that read
// themselves through others.
func (m Models) buildOrder(stored map[string]bool) (all, circle []Relation) {
	var waiting []Relation
	for _, r := range m.Relations {
		missing := func(prefix string) bool {
			return slices.ContainsFunc(clause.ReferencedNames(r.SQL, prefix), func(name string) bool { return !stored[prefix+name] })
		}
		if !missing(schemaPrefix) && !missing(rawPrefix) {
			waiting = append(waiting, r)
		}
	}
	for len(waiting) > 0 {
		i := slices.IndexFunc(waiting, func(r Relation) bool {
			return !slices.ContainsFunc(waiting, func(other Relation) bool {
				return slices.Contains(clause.ReferencedNames(r.SQL, modelPrefix), other.Name)
			})
		})
		if i < 0 {
			return all, waiting
		}
		all, waiting = append(all, waiting[i]), slices.Delete(waiting, i, i+1)
	}
	return all, nil
}

// dependenciesMade reports whether all models that this one reads were made. A model that reads a skipped model is
// skipped too. A name that no model has is left to DuckDB's error.
func (m Models) dependenciesMade(r Relation, made []Relation) bool {
	for _, name := range clause.ReferencedNames(r.SQL, modelPrefix) {
		named := func(r Relation) bool { return r.Name == name }
		if slices.ContainsFunc(m.Relations, named) && !slices.ContainsFunc(made, named) {
			return false
		}
	}
	return true
}

// substituteValues replaces the values in a model's SQL, but not the schema that it reads.
func (m Models) substituteValues(query string) string {
	pairs := []string{"{models}", duck.Name(m.Schema)}
	for name, value := range m.Values.sqlValues() {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(query)
}

// What stands before the name of a stored relation, of a table of the raw schema, and of a model.
const (
	schemaPrefix = "{schema}."
	rawPrefix    = "{raw}."
	modelPrefix  = "{models}."
)

// dropOthers drops the stored models that were not made.
func dropOthers(ctx context.Context, db *duck.DB, schema string, made []Relation) error {
	there, err := catalog.RelationKinds(ctx, db, schema)
	if err != nil {
		return err
	}
	for name, kind := range there {
		if slices.ContainsFunc(made, func(r Relation) bool { return r.Name == name }) {
			continue
		}
		if _, err := db.Exec(ctx, "DROP "+strings.ToUpper(kind)+" "+duck.Table(schema, name)); err != nil {
			return fmt.Errorf("drop the removed model %s: %w", name, err)
		}
	}
	return nil
}

// describeModels comments the models that were made, and fills their dictionary. A column without its own comment has that of the column with the same
// name that the model reads. A model that was not made again has not lost its comments.
func (b *modelBuild) describeModels(ctx context.Context, db *duck.DB) error {
	s, known := b.schema, schemaMeanings(b.schema)
	first := len(known)
	for _, r := range b.made {
		known = append(known, relationMeaning{modelPrefix, r.Name, r.Kind, r.Doc, false, inheritMeanings(r, known)})
	}
	all := known[first:]
	commented := slices.DeleteFunc(slices.Clone(s.commented(all)), func(d relationMeaning) bool { return b.current[d.name] })
	return writeMeanings(ctx, db, s.Models.Schema, all, commented)
}

// shownPlace is how DuckDB shows a place in a statement: the line, and below it a mark.
var shownPlace = regexp.MustCompile(`(LINE (\d+): )(.*)\n( *)\^`)

// faultOf is where in its file an error about a model is, and what DuckDB proposes.
func faultOf(schema string, r Relation, err error) modelFault {
	var refused *read.Refused
	if errors.As(err, &refused) {
		return modelFault{Line: r.Line + refused.Line - 1, Before: refused.Before}
	}
	fault, text := modelFault{Line: r.Line}, err.Error()
	found := shownPlace.FindStringSubmatch(text)
	if found == nil {
		return fault
	}
	if n, err := strconv.Atoi(found[2]); err == nil {
		fault.Line += n - 1
	}
	if r.Private {
		return fault
	}
	shown := []rune(found[3]) // the mark is below a character, not a byte
	if left := len(found[4]) - len(found[1]); left >= 0 && left <= len(shown) {
		fault.Before = strings.TrimPrefix(string(shown[:left]), fmt.Sprintf("CREATE OR REPLACE %s %s AS ", strings.ToUpper(r.Kind), duck.Table(schema, r.Name)))
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line = strings.TrimSpace(line); line == "Candidate functions:" && i+1 < len(lines) {
			line += " " + strings.TrimSpace(lines[i+1])
		}
		if strings.HasPrefix(line, "Candidate ") || strings.HasPrefix(line, "Did you mean ") {
			fault.Hint = strings.ToLower(line[:1]) + line[1:]
		}
	}
	return fault
}

// plainError is the first line of DuckDB's error. The other lines show the statement with its names replaced, which no
// file has. Of a private file it is the kind of the error.
func plainError(r Relation, err error) error {
	if r.Private {
		return duck.WithoutSQL(err)
	}
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
