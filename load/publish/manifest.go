package publish

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"aqueduck/load/access"
	"aqueduck/load/layout"
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
	ChangedAt  time.Time `json:"changed_at"`          // when a row that it was made from last changed; zero where none ever did
	ContentAt  time.Time `json:"content_at,omitzero"` // the changed_at at which its own rows last differed
	Definition string    `json:"definition"`          // changes with the table's columns or SQL
	By         string    `json:"by,omitempty"`        // the column whose values decide on a row's part; "" where there is one part
	Parts      []Part    `json:"parts"`               // in the order of that column
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

// write writes what a lake has. With it the lake is the new one.
func (m Manifest) write(dir string, a access.Access) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return a.ReplaceFile(filepath.Join(dir, ManifestName), append(text, '\n'))
}

// carryManifests lets the manifests of workspaces that only other pipelines read name the new file, which has the same rows of them. Where a
// run was stopped between its commits and its publish it has newer rows: the next run of that pipeline writes these into the lake.
func (p *publishRun) carryManifests() error {
	for schema, changed := range p.otherSchemas() {
		dir := p.dir.Lake(schema)
		if m := readManifest(dir); !changed && len(p.lakes) > 0 && isLakeOf(p.dir, schema, p.dir.Current()) {
			m.File = p.name + ".duckdb"
			if err := m.write(dir, p.lakes[0].access); err != nil {
				return fmt.Errorf("name the new file in the manifest of %s: %w", schema, err)
			}
		}
	}
	return nil
}

// otherSchemas are those that only other pipelines write, each with whether it has changed since the file that readers have.
func (p *publishRun) otherSchemas() map[string]bool {
	all := map[string]bool{}
	for _, t := range p.before.Tables {
		if !slices.ContainsFunc(p.spec.Schemas, func(s Schema) bool { return s.Name == t.Schema }) {
			was, _ := p.spec.Readers.Table([2]string{t.Schema, t.Name})
			all[t.Schema] = all[t.Schema] || !was.ChangedAt.Equal(t.ChangedAt)
		}
	}
	return all
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

// isLakeOf reports whether the manifest of a schema names a published file, and its parts are in place.
func isLakeOf(d layout.Dir, schema, file string) bool {
	m := readManifest(d.Lake(schema))
	return m.File == filepath.Base(file) && m.InPlace(d.Lake(schema))
}

// InPlace reports whether the parts have the listed sizes and are not newer than the manifest.
func (m Manifest) InPlace(dir string) bool {
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
