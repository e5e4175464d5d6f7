package publish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"aqueduck/internal/crash"
	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// lakeTable is one table of the lake.
type lakeTable struct {
	name      string
	changedAt time.Time
	union     []string // the tables whose rows it has, for a relation that is a union
}

// inLake lists the tables of a schema in the lake. A relation counts as changed when any table of its schema did.
func (p *publishRun) inLake(s Schema) []lakeTable {
	changed := map[string]time.Time{}
	for _, t := range p.before.Tables {
		if t.Schema == s.Name {
			changed[t.Name] = t.ChangedAt
		}
	}
	var list []lakeTable
	for _, t := range s.Tables {
		if slices.Contains(s.Internal, t.Name) {
			continue
		}
		list = append(list, lakeTable{t.Name, changed[t.Name], nil})
		if t.View != "" {
			list = append(list, lakeTable{t.View, changed[t.Name], nil})
		}
	}
	for _, r := range s.Relations {
		list = append(list, lakeTable{r.Name, p.changedAt(s.Name), r.Union})
	}
	return list
}

// unconfiguredTables lists the stored tables of a schema that the configuration no longer describes: file and lake have
// the same tables. Relations that are no longer configured are not in the list, since they can be made again.
func (p *publishRun) unconfiguredTables(s Schema, list []lakeTable) (left []lakeTable) {
	for _, t := range p.before.Tables {
		listed := slices.ContainsFunc(list, func(want lakeTable) bool { return want.name == t.Name })
		if t.Schema == s.Name && !listed && !slices.Contains(s.Internal, t.Name) {
			left = append(left, lakeTable{t.Name, t.ChangedAt, nil})
		}
	}
	return left
}

func (p *publishRun) writeLakes(ctx context.Context, db *duck.DB) error {
	for _, s := range p.spec.Schemas {
		l, err := p.writeLake(ctx, db, s)
		if err != nil {
			return fmt.Errorf("write the Parquet files of %s: %w", s.Name, err)
		}
		p.lakes = append(p.lakes, l)
	}
	return nil
}

// writeLake writes the changed parts under temporary names and audits them. Parts that are joined from others come last.
func (p *publishRun) writeLake(ctx context.Context, db *duck.DB, s Schema) (*lakeWriter, error) {
	l := &lakeWriter{dir: p.dir.Lake(s.Name), schema: s, written: map[string]string{}}
	l.manifest = Manifest{Format: manifestFormat, RunID: p.spec.RunID, File: p.name + ".duckdb", PublishedAt: p.at, Tables: map[string]Table{}}
	l.old = readManifest(l.dir)
	stored, err := readColumns(ctx, db, s.Name)
	if err != nil {
		return nil, err
	}
	definition := schemaFingerprint(s)
	list := p.inLake(s)
	list = append(list, p.unconfiguredTables(s, list)...)
	slices.SortStableFunc(list, func(a, b lakeTable) int { return min(len(a.union), 1) - min(len(b.union), 1) })
	for _, want := range list {
		entry, known := l.old.Tables[want.name]
		if known && entry.ChangedAt.Equal(want.changedAt) && entry.Definition == definition && entry.partsIntact(l.dir) {
			l.manifest.Tables[want.name] = entry
			p.result.Reused++
			continue
		}
		path := filepath.Join(p.dir.Temp(), "part-"+s.Name+"-"+strconv.Itoa(len(l.written)))
		part, err := l.writePart(ctx, db, want, stored[want.name], path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", want.name, err)
		}
		l.written[want.name] = path
		l.manifest.Tables[want.name] = Table{ChangedAt: want.changedAt, Definition: definition, Parts: []Part{part}}
		p.result.Parts++
	}
	return l, nil
}

// writePart writes one table as Parquet and checks with another library that it can be read and has what DuckDB wrote.
func (l *lakeWriter) writePart(ctx context.Context, db *duck.DB, want lakeTable, columns []storedColumn, path string) (Part, error) {
	table := duck.Table(l.schema.Name, want.name)
	var rows int64
	var err error
	if len(want.union) > 0 {
		rows, err = l.joinParts(ctx, db, table, want.union, columns, path)
	} else {
		var wrote partCounts
		if wrote, err = copyOut(ctx, db, table, columns, path); err == nil {
			err = auditPart(path, columns, wrote)
		}
		rows = wrote.rows
	}
	if err != nil {
		return Part{}, err
	}
	if err := disk.SyncFile(path); err != nil {
		return Part{}, err
	}
	if err := os.Chmod(path, 0o644); err != nil {
		return Part{}, err
	}
	sum, err := layout.Sum(path)
	if err != nil {
		return Part{}, err
	}
	return Part{File: filepath.Join(want.name, "all.parquet"), Rows: rows, Bytes: disk.Size(path), SHA256: sum, RunID: l.manifest.RunID}, nil
}

// joinParts makes the part of a union from the parts of its tables, after checking that these have all its rows.
func (l *lakeWriter) joinParts(ctx context.Context, db *duck.DB, table string, union []string, columns []storedColumn, path string) (int64, error) {
	var from []string
	var rows, all int64
	for _, name := range union {
		parts := l.manifest.Tables[name].Parts
		if len(parts) != 1 {
			return 0, fmt.Errorf("it is built from %s, which is missing", name)
		}
		file, fresh := l.written[name]
		if !fresh {
			file = filepath.Join(l.dir, parts[0].File)
		}
		from = append(from, file)
		rows += parts[0].Rows
	}
	if err := db.Scan(ctx, "SELECT count(*) FROM "+table, nil, &all); err != nil {
		return 0, err
	}
	if rows != all {
		return 0, fmt.Errorf("it has %d rows, but %s have %d together", all, strings.Join(union, " and "), rows)
	}
	last, err := joinFiles(path, from)
	if err != nil {
		return 0, err
	}
	return rows, auditJoined(path, columns, rows, last)
}

// partRows is the number of rows in a row group. DuckDB keeps a whole row group in memory while it writes; its default of
// 122,880 rows does not fit the memory limit with 60 columns.
func partRows(columns int) int {
	const usual, narrow = 122880, 8
	return max(2048, usual*narrow/max(columns, narrow)/2048*2048)
}

// swapParts gives the written parts their final names, one by one, and then writes the manifest, which names the parts
// that belong together. Each part is complete when it gets its name (T148).
func (l *lakeWriter) swapParts() error {
	if err := openDir(l.dir); err != nil {
		return err
	}
	for name, path := range l.written {
		dir := filepath.Join(l.dir, name)
		if err := openDir(dir); err != nil {
			return err
		}
		if err := disk.Move(filepath.Join(dir, "all.parquet"), path); err != nil {
			return err
		}
		crash.At(crash.LakePart)
	}
	if err := l.manifest.writeTo(l.dir); err != nil {
		return err
	}
	crash.At(crash.LakeManifest)
	for name := range l.old.Tables {
		if _, stays := l.manifest.Tables[name]; !stays && filepath.IsLocal(name) {
			if err := os.RemoveAll(filepath.Join(l.dir, name)); err != nil {
				return err
			}
		}
	}
	return l.writeReadme()
}

// openDir makes a directory that everybody may read.
func openDir(path string) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	return os.Chmod(path, 0o755)
}

// writeReadme writes a page for people who find the directory.
func (l *lakeWriter) writeReadme() error {
	names := make([]string, 0, len(l.manifest.Tables))
	for name := range l.manifest.Tables {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	fmt.Fprintf(&text, "# %s as Parquet\n\nThe tables of warehouse.duckdb, schema %s, for tools that do not read DuckDB files. In DuckDB:\n\n```sql\n",
		l.schema.Name, l.schema.Name)
	for _, name := range names {
		fmt.Fprintf(&text, "FROM read_parquet('lake/%s/%s/*.parquet');\n", l.schema.Name, name)
	}
	text.WriteString("```\n\nEach file is complete at every moment. `_manifest.json` lists the files with sizes and SHA-256 checksums; if the files match it,\n" +
		"all tables show the same moment as the DuckDB file that it names.\n")
	return replaceFile(filepath.Join(l.dir, "README.md"), []byte(text.String()))
}
