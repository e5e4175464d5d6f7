//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"

	"aqueduck/load/differ"
)

// VerifyTables compares every table with the published file, by digests over all columns. DuckDB reads the files of the tables; PyIceberg, where python3 has it, reads
// the tables, too. Nothing is changed. The caller holds the lock of the warehouse.
func VerifyTables(ctx context.Context, o Target) (r Verified, err error) {
	r.Place, r.File, r.Tables = o.Location, filepath.Base(o.Dir.Current()), []VerifiedTable{}
	dir, err := os.MkdirTemp(o.Dir.Temp(), "mirror-")
	if err != nil {
		return r, o.Dir.Explain(err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	ctx, m, err := openMirror(ctx, o, func(ctx context.Context, file string) (*differ.Published, error) {
		return differ.OpenBeside(ctx, file, dir)
	})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	e, why := startEngine(ctx, o, dir)
	r.NoEngine = why
	if e != nil {
		r.Engine = e.name
		defer func() { err = errors.Join(err, e.dismiss()) }()
	}
	err = m.eachWorkspace(ctx, func(w differ.Owner, s Schema) error {
		tables, err := m.file.ListRelations(ctx, w.Schema, s.Tables, s.Internal)
		if err != nil {
			return err
		}
		for _, of := range tables {
			one, err := m.verifyTable(ctx, of, namespaceOf(w.ID), dir)
			if err == nil && one.Differs == "" && e != nil {
				one.Differs, err = m.verifyByEngine(ctx, e, of, namespaceOf(w.ID), dir)
			}
			if err != nil {
				return m.explain(w.Schema, fmt.Errorf("table %s: %w", of.Name, err))
			}
			r.Tables = append(r.Tables, one)
		}
		return nil
	})
	return r, err
}

// verifyTable compares one table, with copies of its files in a directory that is empty afterwards.
func (m *mirror) verifyTable(ctx context.Context, of differ.Relation, namespace, dir string) (v VerifiedTable, err error) {
	v.Workspace, v.Table = of.Schema, of.Name
	t, err := m.catalog.load(ctx, table.Identifier{namespace, of.Name})
	if err != nil {
		return v, err
	}
	switch {
	case t == nil:
		v.Differs = "the table is not there"
		return v, nil
	case !sameColumns(t.Schema(), schemaOf(of)):
		v.Differs = "it has other columns"
		return v, nil
	}
	held, err := m.readFiles(t)
	if err != nil {
		return v, err
	}
	if !held.plain {
		v.Differs = "it has files that are not Parquet, or deletes that are no positions"
		return v, nil
	}
	files, err := m.copyFiles(held, dir)
	if err != nil {
		return v, err
	}
	defer func() {
		for _, f := range files.Data {
			err = errors.Join(err, os.Remove(f.Path))
		}
		for _, path := range files.Deletes {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	own, theirs, err := m.file.ReadBoth(ctx, of, files)
	v.Rows = own.Rows
	if err == nil && own != theirs {
		v.Differs = fmt.Sprintf("it has %d rows with the digest %s, and the published file %d with %s", theirs.Rows, theirs.Sum, own.Rows, own.Sum)
	}
	return v, err
}

// copyFiles copies the files of a table into a directory.
func (m *mirror) copyFiles(held tableFiles, dir string) (files differ.CopyFiles, err error) {
	fetch := func(f iceberg.DataFile) (string, error) {
		content, err := m.objects.ReadFile(f.FilePath())
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, fmt.Sprintf("%d.parquet", len(files.Data)+len(files.Deletes)))
		return path, m.options.Dir.Explain(os.WriteFile(path, content, 0o600))
	}
	for _, f := range held.data {
		path, err := fetch(f)
		if err != nil {
			return files, err
		}
		files.Data = append(files.Data, differ.CopyFile{Path: path, Name: f.FilePath()})
	}
	for _, f := range held.deletes {
		path, err := fetch(f)
		if err != nil {
			return files, err
		}
		files.Deletes = append(files.Deletes, path)
	}
	return files, nil
}
