// Package lakecheck compares the Parquet files of a schema with their manifest, and the manifest with the published file.
package lakecheck

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"aqueduck/load/internal/disk"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
	"aqueduck/load/publish"
	"aqueduck/load/read"
)

// The kinds of damage to a lake.
const (
	DamagedManifest = "manifest" // the manifest is missing or unreadable
	MissingPart     = "missing"  // a table or part of the manifest is not there
	ChangedPart     = "changed"  // a part is not the file that was written
	ForeignPart     = "foreign"  // readers find a part that the manifest does not have
	OtherRows       = "rows"     // the published file has another number of rows
	OtherPublish    = "publish"  // the lake belongs to another publish than the published file
)

// NoManifest is Damage.What of a manifest that is missing.
const NoManifest = "there is no manifest"

// Damage is one thing that is wrong with a lake.
type Damage struct {
	Table string // "" where it is about the schema
	Place string // a path from the data directory
	Kind  string
	What  string
}

// LakeState is the result of a check of a schema's lake.
type LakeState struct {
	Manifest string // its path from the data directory
	File     string // the published file that the manifest names; "" where there is no manifest
	Tables   int    // of the manifest
	Parts    int    // of all tables
	Unknown  string // why nothing, or not everything, could be compared; "" where everything was
	Damages  []Damage
}

// Check compares the Parquet files of a schema with their manifest, and the manifest with the published file that it
// names: files, sizes, checksums, row counts. published is the file that readers had when r was opened. late says that the
// lake may be older. It reads every part once, takes no lock and writes nothing.
func Check(ctx context.Context, d layout.Dir, s publish.Schema, r *read.Reader, published string, late bool) (LakeState, error) {
	const tries = 3 // a publish may replace the files while they are read
	for range tries {
		c := lakeCheck{dir: d, lake: d.Lake(s.Name), schema: s, reader: r, published: published, whole: map[string]string{}}
		before, err := c.checkManifest(ctx)
		if err == nil && before.Format == publish.ManifestFormat {
			err = c.checkTables(ctx, before, late)
		}
		if err != nil {
			return c.state, err
		}
		if after, err := publish.LoadManifest(c.lake); err != nil || after.File == before.File && after.PublishedAt.Equal(before.PublishedAt) {
			return c.state, nil
		}
	}
	return LakeState{Unknown: "not compared: a publish replaced the files meanwhile"}, nil
}

// lakeCheck is one reading of a lake.
type lakeCheck struct {
	dir       layout.Dir
	lake      string
	schema    publish.Schema
	reader    *read.Reader // of the published file
	published string
	whole     map[string]string // a file with each checksum that was computed; a union has files of other tables
	state     LakeState
}

func (c *lakeCheck) damage(kind, table, path, format string, args ...any) {
	if place, err := filepath.Rel(string(c.dir), path); err == nil {
		path = place
	}
	c.state.Damages = append(c.state.Damages, Damage{Table: table, Place: path, Kind: kind, What: fmt.Sprintf(format, args...)})
}

// checkManifest reads the manifest. Without one of this format, nothing else can be compared.
func (c *lakeCheck) checkManifest(ctx context.Context) (publish.Manifest, error) {
	path := filepath.Join(c.lake, publish.ManifestName)
	c.state.Manifest = filepath.Join("lake", c.schema.Name, publish.ManifestName)
	m, err := publish.LoadManifest(c.lake)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		var tables int
		if err := c.reader.DB.Scan(ctx, "SELECT count(*) FROM _sync.tables WHERE schema = $1", []any{c.schema.Name}, &tables); err != nil {
			return m, fmt.Errorf("read the tables of %s: %w", c.schema.Name, err)
		}
		if c.state.Unknown = "nothing is published yet"; tables > 0 {
			c.state.Unknown = ""
			c.damage(DamagedManifest, "", path, NoManifest)
		}
	case err != nil:
		c.damage(DamagedManifest, "", path, "the manifest is unreadable: %v", err)
	case m.Format < publish.ManifestFormat:
		c.state.Unknown = "not compared: an earlier version wrote them; the next publish writes them again"
	case m.Format > publish.ManifestFormat:
		return m, fmt.Errorf("%s has format %d, and this program knows %d", c.state.Manifest, m.Format, publish.ManifestFormat)
	}
	c.state.File = m.File
	return m, nil
}

func (c *lakeCheck) checkTables(ctx context.Context, m publish.Manifest, late bool) error {
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.state.Tables++
		c.checkParts(name, m.Tables[name])
	}
	if m.File == filepath.Base(c.published) {
		return c.checkRows(ctx, m, c.reader, true)
	}
	if !late && c.dir.Current() == c.published {
		c.damage(OtherPublish, "", filepath.Join(c.lake, publish.ManifestName), "the Parquet files are those of %s, and readers have %s", m.File, filepath.Base(c.published))
	}
	file := filepath.Join(c.dir.Published(), filepath.Base(m.File))
	if !disk.Exists(file) {
		c.state.Unknown = "rows not compared: " + m.File + ", to which they belong, is no longer there"
		return nil
	}
	r, err := read.OpenReader(ctx, file)
	if err != nil {
		return err
	}
	return errors.Join(c.checkRows(ctx, m, r, false), r.Close())
}

// checkParts compares the files of a table with the manifest.
func (c *lakeCheck) checkParts(name string, t publish.Table) {
	dir := filepath.Join(c.lake, name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		c.damage(MissingPart, name, dir, "the table is missing")
		return
	}
	listed := map[string]bool{}
	for _, part := range t.Parts {
		listed[filepath.Base(part.File)] = true
		c.state.Parts++
		path := filepath.Join(c.lake, part.File)
		if info, err := os.Stat(path); err != nil {
			c.damage(MissingPart, name, path, "the part is missing: %d rows", part.Rows)
		} else if !c.isWhole(part, path, info) {
			c.damage(ChangedPart, name, path, "the file is not the one that was written: by the manifest it has %d bytes and checksum %.12s…", part.Bytes, part.SHA256)
		}
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".parquet" && !listed[e.Name()] {
			c.damage(ForeignPart, name, filepath.Join(dir, e.Name()), "the manifest does not have this part, and readers see its rows")
		}
	}
}

// isWhole is Part.IsIntact, and computes the checksum of each file once.
func (c *lakeCheck) isWhole(part publish.Part, path string, info fs.FileInfo) bool {
	if other, known := c.whole[part.SHA256]; known {
		if same, err := os.Stat(other); err == nil && os.SameFile(same, info) {
			return true
		}
	}
	if !part.IsIntact(path) {
		return false
	}
	c.whole[part.SHA256] = path
	return true
}

// checkRows compares the row counts of the manifest with those of the published file that it names. ours says that readers
// have that file: then each of its tables must be there.
func (c *lakeCheck) checkRows(ctx context.Context, m publish.Manifest, r *read.Reader, ours bool) error {
	there, err := relations(ctx, r, c.schema.Name)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Tables)) {
		var written, rows int64
		for _, part := range m.Tables[name].Parts {
			written += part.Rows
		}
		if !there[name] {
			c.damage(OtherRows, name, filepath.Join(c.lake, name), "%s has no such table", m.File)
			continue
		}
		if err := r.DB.Scan(ctx, "SELECT count(*) FROM "+duck.Table(c.schema.Name, name), nil, &rows); err != nil {
			return fmt.Errorf("count the rows of %s: %w", name, err)
		}
		if rows != written {
			c.damage(OtherRows, name, filepath.Join(c.lake, name), "the parts have %d rows, and %s has %d", written, m.File, rows)
		}
	}
	if !ours {
		return nil
	}
	for _, name := range c.schema.LakeNames() {
		_, listed := m.Tables[name]
		if there[name] && !listed {
			c.damage(MissingPart, name, filepath.Join(c.lake, name), "the published file has the table, and the manifest does not")
		}
	}
	return nil
}

// relations are the names of the tables and views of a schema.
func relations(ctx context.Context, r *read.Reader, schema string) (map[string]bool, error) {
	there := map[string]bool{}
	query := "SELECT table_name FROM information_schema.tables WHERE table_catalog = $1 AND table_schema = $2"
	err := r.DB.Each(ctx, query, []any{duck.Catalog, schema}, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		there[name] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the names of the tables of %s: %w", schema, err)
	}
	return there, nil
}
