package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"aqueduck/load/access"
	"aqueduck/load/facts"
	"aqueduck/load/internal/clause"
	"aqueduck/load/internal/duck"
	"aqueduck/transform"
)

// inLake lists the tables of a schema in the lake.
func (p *publishRun) inLake(s Schema) []lakeTable {
	states := p.before.TablesOf(s.Name)
	var list []lakeTable
	for _, t := range s.Tables {
		if slices.Contains(s.Internal, t.Name) {
			continue
		}
		state := states[t.Name]
		table := lakeTable{name: t.Name, changedAt: state.ChangedAt, taken: clause.Taken(t), stored: len(t.Key) > 0, from: t.Name, rows: state.Rows}
		list = append(list, table)
		if t.View != "" {
			table.name = t.View
			list = append(list, table)
		}
	}
	for _, r := range s.Relations {
		rows := slices.DeleteFunc(slices.Clone(s.Tables), func(t transform.Table) bool { return !slices.Contains(r.RowsOf, t.Name) })
		list = append(list, lakeTable{name: r.Name, union: r.Union, taken: clause.Taken(rows...), relation: &r})
	}
	return list
}

// unconfiguredTables lists the stored tables of a schema that the configuration no longer describes: file and lake have
// the same tables. Relations that are no longer configured are not in the list, since they can be made again.
func (p *publishRun) unconfiguredTables(s Schema, list []lakeTable) (left []lakeTable) {
	for _, t := range p.before.Tables {
		listed := slices.ContainsFunc(list, func(want lakeTable) bool { return want.name == t.Name })
		if t.Schema == s.Name && !listed && !slices.Contains(s.Internal, t.Name) {
			left = append(left, lakeTable{name: t.Name, changedAt: t.ChangedAt, from: t.Name, rows: t.Rows})
		}
	}
	return left
}

// sourcesOf is when a table of states that a relation reads last changed, and the rows of the largest one. A relation with
// sources that are not known counts as changed with its schema.
func (p *publishRun) sourcesOf(s Schema, r Relation, states map[string]facts.TableState) (changed time.Time, rows int64) {
	sources := s.sources(r, map[string]bool{}, states)
	for _, name := range sources {
		state, stored := states[name]
		if !stored {
			return p.changedAt(s.Name), math.MaxInt64
		}
		if state.ChangedAt.After(changed) {
			changed = state.ChangedAt
		}
		rows = max(rows, state.Rows)
	}
	if len(sources) == 0 {
		return p.changedAt(s.Name), math.MaxInt64
	}
	return changed, rows
}

// sources are the tables that a relation or model reads, directly or through views, models and other relations that are neither in seen nor
// tables of states. It adds those to seen.
func (s Schema) sources(r Relation, seen map[string]bool, states map[string]facts.TableState) (tables []string) {
	seen[r.Name] = true
	for _, name := range clause.ReferencedNames(r.SQL, modelPrefix) {
		i := slices.IndexFunc(s.Models.Relations, func(r Relation) bool { return r.Name == name })
		if i >= 0 && !seen[modelPrefix+name] {
			seen[modelPrefix+name] = true
			tables = append(tables, s.sources(s.Models.Relations[i], seen, states)...)
		}
	}
	for _, name := range slices.Concat(clause.ReferencedNames(r.SQL, schemaPrefix), clause.ReferencedNames(r.SQL, rawPrefix)) {
		_, settled := states[name]
		if i := slices.IndexFunc(s.Relations, func(r Relation) bool { return r.Name == name }); i >= 0 && !settled {
			if !seen[name] {
				tables = append(tables, s.sources(s.Relations[i], seen, states)...)
			}
			continue
		}
		if i := slices.IndexFunc(s.Tables, func(t transform.Table) bool { return t.View == name }); i >= 0 {
			name = s.Tables[i].Name
		}
		tables = append(tables, name)
	}
	return tables
}

func (p *publishRun) writeLakes(ctx context.Context, db *duck.DB) error {
	for _, s := range p.spec.Schemas {
		// Parquet files may have erased data: an erasure writes them even when they are not due.
		if m := readManifest(p.dir.Lake(s.Name)); !p.dir.Erasing() && !p.spec.isLakeDue(m, p.at) {
			continue
		}
		l, err := p.writeLake(ctx, db, s)
		if err != nil {
			return fmt.Errorf("write the Parquet files of %s: %w", s.Name, err)
		}
		p.lakes = append(p.lakes, l)
		p.result.Parts, p.result.Reused = p.result.Parts+l.written, p.result.Reused+l.unchanged
	}
	return nil
}

// writeLake writes the parts with changed rows under temporary names and audits them. Unions of other tables come last.
func (p *publishRun) writeLake(ctx context.Context, db *duck.DB, s Schema) (*lakeWriter, error) {
	l := &lakeWriter{dir: p.dir.Lake(s.Name), temp: filepath.Join(p.dir.Temp(), "part-"+s.Name+"-"), target: p.spec.PartBytes, group: p.spec.GroupRows, file: p.name,
		schema: s, defined: p.fingerprint(s), contents: map[string]tableParts{}}
	if l.target <= 0 {
		l.target = partBytes
	}
	l.manifest = Manifest{Format: ManifestFormat, RunID: p.spec.RunID, File: p.name + ".duckdb", PublishedAt: p.at, Tables: map[string]Table{}}
	l.old = readManifest(l.dir)
	var err error
	if l.access, err = access.Of(string(p.dir)); err != nil {
		return nil, err
	}
	if l.columns, err = db.Columns(ctx, s.Name); err != nil {
		return nil, err
	}
	// A union shares the files of its tables, so these are planned first.
	list := p.inLake(s)
	list = append(list, p.unconfiguredTables(s, list)...)
	slices.SortStableFunc(list, func(a, b lakeTable) int { return min(len(a.union), 1) - min(len(b.union), 1) })
	// A relation counts as changed when a table that it reads did. A table that a relation makes did not, when it was made again with the same rows.
	states := p.before.TablesOf(s.Name)
	for _, want := range list {
		if want.relation != nil {
			want.changedAt, want.rows = p.sourcesOf(s, *want.relation, states)
		}
		if err := l.planTable(ctx, db, want); err != nil {
			return nil, fmt.Errorf("%s: %w", want.name, err)
		}
		if want.relation != nil && isTable(*want.relation) {
			made := facts.TableState{ChangedAt: l.contents[want.name].entry.ContentAt}
			for _, part := range l.contents[want.name].entry.Parts {
				made.Rows += part.Rows
			}
			states[want.name] = made
		}
	}
	return l, nil
}

// planTable finds the parts of a table that have other rows than before, and writes these.
func (l *lakeWriter) planTable(ctx context.Context, db *duck.DB, want lakeTable) error {
	entry, known := l.old.Tables[want.name]
	// Parts with other columns are of no use: the table is then written as a new one.
	if definition := l.definitionOf(want.name); !known || entry.Definition != definition {
		entry = Table{Definition: definition}
	}
	if len(want.union) > 0 {
		return l.joinTables(ctx, db, want, entry)
	}
	plan := tableParts{entry: entry, same: len(entry.Parts) > 0}
	// A missing or damaged file is written again, although no row has changed.
	var damaged []bool
	for _, part := range entry.Parts {
		path := filepath.Join(l.dir, part.File)
		plan.paths, damaged = append(plan.paths, path), append(damaged, !part.IsIntact(path))
	}
	plan.same = plan.same && !slices.Contains(damaged, true)
	// Without a change since the last publish the table needs no query.
	if !plan.same || !entry.ChangedAt.Equal(want.changedAt) {
		if err := l.refreshTable(ctx, db, want, &plan, damaged); err != nil {
			return err
		}
	}
	if plan.entry.ChangedAt = want.changedAt; !plan.same || plan.entry.ContentAt.IsZero() {
		plan.entry.ContentAt = want.changedAt
	}
	for i := range plan.entry.Parts {
		part := &plan.entry.Parts[i]
		part.File = filepath.Join(want.name, partName(*part, len(plan.paths) == 1))
	}
	l.contents[want.name] = plan
	for _, path := range plan.paths {
		if strings.HasPrefix(path, l.temp) {
			l.written++
		} else {
			l.unchanged++
		}
	}
	return nil
}

// definitionOf changes when a table's parts are no longer of use: with its columns, or with the definition of its schema.
func (l *lakeWriter) definitionOf(table string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %q\n", l.defined, l.columns[table])
	return hex.EncodeToString(h.Sum(nil))
}

// joinTables gives a union the parts of its tables, under names of its own, after checking that these have all its rows.
func (l *lakeWriter) joinTables(ctx context.Context, db *duck.DB, want lakeTable, entry Table) error {
	// Readers of a union open these files as they are, so its tables must have the same columns.
	plan := tableParts{entry: Table{ChangedAt: want.changedAt, Definition: entry.Definition}, union: true}
	var rows, all int64
	for _, name := range want.union {
		from, known := l.contents[name]
		if !known {
			return fmt.Errorf("it is built from %s, which is missing", name)
		}
		if !slices.Equal(l.columns[name], l.columns[want.name]) {
			return fmt.Errorf("it is built from %s, which has other columns", name)
		}
		for i, part := range from.entry.Parts {
			part.File = filepath.Join(want.name, name+"-"+partName(part, false))
			part.From, part.Groups = time.Time{}, nil
			plan.entry.Parts, plan.paths = append(plan.entry.Parts, part), append(plan.paths, from.paths[i])
			rows += part.Rows
		}
	}
	// The union's SQL could omit or repeat rows. Then the files of its tables would not be its rows.
	if err := db.Scan(ctx, "SELECT count(*) FROM "+duck.Table(l.schema.Name, want.name), nil, &all); err != nil {
		return err
	}
	if rows != all {
		return fmt.Errorf("it has %d rows, but %s have %d together", all, strings.Join(want.union, " and "), rows)
	}
	plan.same = slices.EqualFunc(plan.entry.Parts, entry.Parts, func(a, b Part) bool { return a.File == b.File && a.SHA256 == b.SHA256 }) && l.shares(plan)
	l.contents[want.name] = plan
	l.unchanged += len(plan.paths)
	return nil
}

// shares reports whether the files of a union are those of its tables, under other names.
func (l *lakeWriter) shares(union tableParts) bool {
	for i, part := range union.entry.Parts {
		ours, err := os.Stat(filepath.Join(l.dir, part.File))
		theirs, errTheirs := os.Stat(union.paths[i])
		if err != nil || errTheirs != nil || !os.SameFile(ours, theirs) {
			return false
		}
	}
	return true
}
