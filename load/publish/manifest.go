package publish

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/load/internal/disk"
	"aqueduck/load/layout"
	"aqueduck/load/read"
)

const (
	ManifestName   = "_manifest.json" // the file of a manifest, in the directory of its schema
	ManifestFormat = 2                // the format that this program writes
)

// Manifest lists the Parquet files of a schema and the published file that they belong to.
type Manifest struct {
	Format      int              `json:"format"` // of the manifest itself
	RunID       string           `json:"run_id"`
	File        string           `json:"file"`
	PublishedAt time.Time        `json:"published_at"` // by the clock of the commits
	Tables      map[string]Table `json:"tables"`       // by name
}

// Table is one table of the lake.
type Table struct {
	ChangedAt  time.Time `json:"changed_at"`   // when a row last changed; zero where none ever did
	Definition string    `json:"definition"`   // changes with the table's columns or SQL
	By         string    `json:"by,omitempty"` // the column whose values decide on a row's part; "" where there is one part
	Parts      []Part    `json:"parts"`        // in the order of that column
}

// Part is one Parquet file, named relative to the manifest.
type Part struct {
	File   string    `json:"file"`
	Rows   int64     `json:"rows"`  // in the file
	Bytes  int64     `json:"bytes"` // size of the file
	SHA256 string    `json:"sha256"`
	RunID  string    `json:"run_id"`           // of the run that wrote it
	From   time.Time `json:"from,omitzero"`    // smallest value that Table.By may have, up to the next part; the first part also has NULL
	Groups []Group   `json:"groups,omitempty"` // in their order in the file; none in a union
}

// Group is the rows of a part between two times, in row groups of their own.
type Group struct {
	From      time.Time `json:"from,omitzero"` // like that of the part
	Rows      int64     `json:"rows"`
	RowGroups int       `json:"row_groups"`        // number of row groups
	Content   string    `json:"content,omitempty"` // changes with the rows
}

// readManifest reads the manifest of a schema. It is empty where the file is missing or damaged: then all parts are
// written again. That of an earlier version gives the names of its tables alone.
func readManifest(dir string) Manifest {
	m, err := LoadManifest(dir)
	if err != nil || m.Format > ManifestFormat {
		return Manifest{}
	}
	if m.Format < ManifestFormat {
		for name := range m.Tables {
			m.Tables[name] = Table{}
		}
	}
	return m
}

// LoadManifest reads the manifest in a schema's directory as it is, of any format, or gives the reason why there is none.
func LoadManifest(dir string) (m Manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, ManifestName))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return Manifest{}, err
	}
	return m, nil
}

// writeManifest writes what the lake has. With it the lake is the new one.
func (l *lakeWriter) writeManifest() error {
	text, err := json.MarshalIndent(l.manifest, "", "  ")
	if err != nil {
		return err
	}
	return l.access.ReplaceFile(filepath.Join(l.dir, ManifestName), append(text, '\n'))
}

// IsIntact reports whether a file is, by its checksum, the part that was written.
func (p Part) IsIntact(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != p.Bytes || !filepath.IsLocal(p.File) {
		return false
	}
	sum, err := layout.Sum(path)
	return err == nil && sum == p.SHA256
}

// Consistent reports whether the link leads to a published file that opens, and every schema in it has a manifest with
// this file's name and parts as it lists them. Where it is false, a publish repairs that.
func Consistent(ctx context.Context, d layout.Dir) (bool, error) {
	file := d.Current()
	if file == "" || !disk.Exists(file) {
		return false, nil
	}
	var names []string
	err := read.Query(ctx, file, "SELECT DISTINCT schema FROM _sync.tables", func(_ []string, row []any) error {
		if row != nil {
			names = append(names, row[0].(string))
		}
		return nil
	})
	if err != nil {
		return false, ctx.Err() // a file that does not open is published again
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !isLakeOf(d, name, file) }), nil
}

// isLakeOf reports whether the manifest of a schema names a published file, and its parts are in place.
func isLakeOf(d layout.Dir, schema, file string) bool {
	m := readManifest(d.Lake(schema))
	return m.File == filepath.Base(file) && m.inPlace(d.Lake(schema))
}

// inPlace reports whether the parts have the listed sizes and are not newer than the manifest.
func (m Manifest) inPlace(dir string) bool {
	written, err := os.Stat(filepath.Join(dir, ManifestName))
	if err != nil || m.Format != ManifestFormat {
		return false
	}
	for _, t := range m.Tables {
		for _, part := range t.Parts {
			info, err := os.Stat(filepath.Join(dir, part.File))
			if err != nil || info.Size() != part.Bytes || info.ModTime().After(written.ModTime()) {
				return false
			}
		}
	}
	return true
}
