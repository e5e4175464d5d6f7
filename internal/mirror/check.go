//go:build mirror

package mirror

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"aqueduck/load/differ"
)

// CheckTables looks whether store and catalog can be read, and whether the tables there are those of this warehouse and fit for a mirror. It changes
// neither. What only the published file says is left out where there is none.
func CheckTables(ctx context.Context, o Target) (err error) {
	if file, embedded := strings.CutPrefix(o.Catalog, "sqlite:"); embedded {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) { // the first mirror makes it
			return checkStore(ctx, o)
		}
	}
	if o.Dir.Current() == "" {
		c, err := openCatalog(ctx, o.Catalog)
		if err != nil {
			return err
		}
		return errors.Join(checkStore(ctx, o), c.close())
	}
	ctx, m, err := openMirror(ctx, o, differ.OpenPublished)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	if m.warehouse, err = warehouseOf(o); err != nil {
		return err
	}
	return m.eachWorkspace(ctx, func(w differ.Owner, s Schema) error {
		if err := m.checkWorkspace(ctx, w, s); err != nil {
			return m.explain(w.Schema, err)
		}
		return nil
	})
}

// checkStore looks whether the objects at a location can be read.
func checkStore(ctx context.Context, o Target) error {
	_, store, err := openObjects(ctx, o)
	if err != nil {
		return err
	}
	if _, err := store.ReadFile(store.place + "/" + ownerName); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_, err = store.list(store.place+"/"+ownerName, time.Time{}) // says whether the bucket is there
	return err
}

// checkWorkspace looks at the tables of one workspace.
func (m *mirror) checkWorkspace(ctx context.Context, w differ.Owner, s Schema) error {
	m.setWorkspace(w)
	text, err := m.objects.ReadFile(m.location + "/" + ownerName)
	if errors.Is(err, fs.ErrNotExist) {
		return checkStore(ctx, m.options) // the first mirror makes all
	}
	var is owner
	if err == nil {
		err = json.Unmarshal(text, &is)
	}
	if err == nil {
		err = m.checkOwner(m.location, is, w.ID, otherLocation(m.location))
	}
	if err != nil {
		return err
	}
	tables, err := m.file.ListRelations(ctx, s.Name, s.Tables, s.Internal)
	if err != nil {
		return err
	}
	if _, err := m.catalog.LoadNamespaceProperties(ctx, table.Identifier{m.namespace}); errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil
	}
	return m.openTables(ctx, tables)
}
