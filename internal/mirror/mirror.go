//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/iceberg-go/table"
	"github.com/oklog/ulid/v2"

	"aqueduck/internal/problem"
	"aqueduck/load/differ"
)

// tableLibraries are those that this program was built with.
const tableLibraries = "iceberg-go"

// MirrorTables makes the tables of all workspaces equal to the published file. The caller holds the lock of the warehouse.
func MirrorTables(ctx context.Context, o Target) (r Report, err error) {
	r.Place, r.File = o.Location, filepath.Base(o.Dir.Current())
	ctx, m, err := openMirror(ctx, o, differ.OpenPublished)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	m.claim, m.report = ulid.Make().String(), &r
	if m.erasures, err = erasuresOf(o.Dir, o.Masks); err != nil {
		return r, err
	}
	if m.warehouse, err = warehouseOf(o); err != nil {
		return r, err
	}
	var refused error // of a workspace whose tables are unfit: the others are mirrored nevertheless
	err = m.eachWorkspace(ctx, func(w differ.Owner, s Schema) error {
		err := m.mirrorWorkspace(ctx, w, s)
		if err == nil {
			return nil
		}
		err = m.explain(w.Schema, err)
		p := new(problem.Problem)
		switch unfit := errors.As(err, &p) && (p.Class == "config" || p.Class == "data"); {
		case !unfit:
			return err
		case refused == nil:
			refused = err
		default:
			m.note("%v: %s", err, p.Next)
		}
		return nil
	})
	return r, errors.Join(refused, err)
}

// eachWorkspace calls f with each workspace of the published file that is mirrored, and ends at the first error.
func (m *mirror) eachWorkspace(ctx context.Context, f func(w differ.Owner, s Schema) error) error {
	workspaces, err := m.file.Owners(ctx)
	if err != nil {
		return err
	}
	for _, w := range workspaces {
		for _, s := range m.options.Schemas {
			if s.Name != w.Schema {
				continue
			}
			if err := f(w, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// openMirror opens the object store, the catalog, and by open the published file. All calls need the returned context. The caller closes the mirror.
func openMirror(ctx context.Context, o Target, open func(context.Context, string) (*differ.Published, error)) (context.Context, *mirror, error) {
	current := o.Dir.Current()
	if current == "" {
		return ctx, nil, nothingPublished()
	}
	ctx, store, err := openObjects(ctx, o)
	if err != nil {
		return ctx, nil, err
	}
	c, err := openCatalog(ctx, o.Catalog)
	if err != nil {
		return ctx, nil, err
	}
	file, err := open(ctx, current)
	if err != nil {
		return ctx, nil, errors.Join(err, c.close())
	}
	return ctx, &mirror{options: o, objects: store, catalog: c, file: file, report: &Report{}}, nil
}

func (m *mirror) close() error { return errors.Join(m.file.Close(), m.catalog.close()) }

// mirrorWorkspace makes the tables of one workspace equal to the published file.
func (m *mirror) mirrorWorkspace(ctx context.Context, w differ.Owner, s Schema) error {
	m.setWorkspace(w)
	if err := m.prepareNamespace(ctx, w.ID); err != nil {
		return err
	}
	if err := m.openControl(ctx); err != nil {
		return err
	}
	tables, err := m.file.ListRelations(ctx, s.Name, s.Tables, s.Internal)
	if err == nil {
		err = m.file.BeginChanges(ctx)
	}
	if err != nil {
		return err
	}
	takeKeys(tables, s.Keys)
	if err := m.openTables(ctx, tables); err != nil {
		return err
	}
	// Tables are looked at before the claim: a mirror that finds all of them equal commits nothing.
	erase := m.control.erasures != m.erasures
	m.erased = nil
	if erase && m.erasures != nothingErased {
		m.erased = &erasedObjects{File: m.report.File, RecordedAt: m.options.Now().UTC(), Objects: []string{}}
	}
	for _, t := range tables {
		if err := m.mirrorTable(ctx, t, erase); err != nil {
			return fmt.Errorf("table %s: %w", t.Name, err)
		}
		m.report.Tables++
	}
	left, err := m.findLeft(ctx, tables)
	if err != nil {
		return err
	}
	if err := m.addChanges(ctx, tables, erase); err != nil {
		return fmt.Errorf("table %s: %w", changesName, err)
	}
	if err := m.dropLeft(ctx, left); err != nil {
		return err
	}
	m.noteErased()
	return m.endControl(ctx)
}

func (m *mirror) setWorkspace(w differ.Owner) {
	m.namespace = namespaceOf(w.ID)
	m.location = strings.TrimSuffix(m.options.Location, "/") + "/" + m.namespace
}

// takeKeys gives tables their keys. A key with a column that a table lacks is none.
func takeKeys(tables []differ.Relation, keys map[string][]string) {
	for i, t := range tables {
		isColumn := func(name string) bool {
			return slices.ContainsFunc(t.Columns, func(c differ.Field) bool { return c.Name == name })
		}
		if key := keys[t.Name]; !slices.ContainsFunc(key, func(name string) bool { return !isColumn(name) }) {
			tables[i].Key = key
		}
	}
}

// findLeft gives the tables that the published file no longer has, and notes that they are dropped. Tables of others stay.
func (m *mirror) findLeft(ctx context.Context, tables []differ.Relation) (left []*table.Table, err error) {
	var names []table.Identifier
	for name, err := range m.catalog.ListTables(ctx, table.Identifier{m.namespace}) {
		if err != nil {
			return nil, err
		}
		last := name[len(name)-1]
		if last != controlName && last != changesName && !slices.ContainsFunc(tables, func(t differ.Relation) bool { return t.Name == last }) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		t, err := m.catalog.load(ctx, name)
		if err != nil {
			return nil, err
		}
		switch last := name[len(name)-1]; {
		case t == nil:
		case t.Properties()[propertyWarehouse] != m.warehouse:
			m.note("table %s of %s was not made by this program: it stays as it is", last, m.namespace)
		default:
			left = append(left, t)
			if err := m.file.NoteTable(ctx, last, differ.TableDropped); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// dropLeft removes tables with their rows.
func (m *mirror) dropLeft(ctx context.Context, left []*table.Table) error {
	for _, t := range left {
		if err := m.beginControl(ctx); err != nil {
			return err
		}
		if err := m.catalog.DropTable(ctx, t.Identifier()); err != nil {
			return err
		}
		if err := m.removeObjects(t.Location()); err != nil {
			return err
		}
		m.report.Changed++
		m.note("table %s is no longer in the published file, and was dropped from %s", t.Identifier()[1], m.namespace)
	}
	return nil
}

// removeObjects deletes all objects of a table that was dropped.
func (m *mirror) removeObjects(location string) error {
	addresses, err := m.objects.list(location, time.Time{})
	if err != nil {
		return err
	}
	return m.deleteObjects(addresses)
}

// namespaceOf is the namespace of a workspace: its id in letters that all engines accept.
func namespaceOf(id string) string {
	var name strings.Builder
	for _, c := range strings.ToLower(id) {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' {
			name.WriteRune(c)
		} else {
			name.WriteByte('_')
		}
	}
	return "ws_" + name.String()
}
