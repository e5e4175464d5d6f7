//go:build mirror

package mirror

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/table"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

// Properties of namespaces, tables and snapshots.
const (
	propertyWorkspace = "aqueduck.workspace" // id of the workspace
	propertyWarehouse = "aqueduck.warehouse" // which warehouse fills it
	propertyFile      = "aqueduck.file"      // the published file that it is equal to
	propertyEpoch     = "aqueduck.epoch"     // of the head of the object store; 0: there is none
	propertyClaim     = "aqueduck.claim"     // the mirror that committed it
	propertyContent   = "aqueduck.content"   // what rows the table has
	propertyErasures  = "aqueduck.erasures"  // the log of erasures that it complies with
	propertyState     = "aqueduck.state"     // of a mirror: begun or done
	propertyUnended   = "aqueduck.unended"   // of a mirror that has begun: the mirrors before it that did not end
)

// ownerName is the object at a location that says whose it is. Catalogs do not know of each other.
const ownerName = "_aqueduck.json"

// owner is the content of that object.
type owner struct {
	Workspace string `json:"workspace"`
	Warehouse string `json:"warehouse"`
}

// warehouseOf is the identity of a warehouse: the place of its object store, or a random word that its directory keeps.
func warehouseOf(o Target) (string, error) {
	if o.Store != "" {
		sum := sha256.Sum256([]byte(o.Store))
		return hex.EncodeToString(sum[:8]), nil
	}
	path := filepath.Join(o.Dir.State(), "mirror.json")
	var known owner
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &known)
	}
	if errors.Is(err, fs.ErrNotExist) {
		known.Warehouse = strings.ToLower(rand.Text())
		if text, err = json.Marshal(known); err == nil {
			err = o.Dir.Explain(layout.ReplaceFile(o.Dir, path, text))
		}
	}
	if err != nil {
		return "", &problem.Problem{Class: "data", What: path + " cannot be read", Err: err, Next: "restore this file from a backup"}
	}
	return known.Warehouse, nil
}

// erasuresOf is a checksum of what older files must not have: a warehouse's log of erasures and its masks; nothingErased where there is neither.
func erasuresOf(d layout.Dir, masks []string) (string, error) {
	text, err := os.ReadFile(d.Erasures())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if len(masks) > 0 {
		text = append(text, strings.Join(slices.Sorted(slices.Values(masks)), "\n")...)
	}
	if len(text) == 0 {
		return nothingErased, nil
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// nothingErased is that checksum of a warehouse where nothing was erased or masked.
const nothingErased = "none"

// prepareNamespace makes the namespace of a workspace, and refuses one that is another's.
func (m *mirror) prepareNamespace(ctx context.Context, workspace string) error {
	known, err := m.takeLocation(workspace)
	if err != nil {
		return err
	}
	name := table.Identifier{m.namespace}
	properties, err := m.catalog.LoadNamespaceProperties(ctx, name)
	if errors.Is(err, catalog.ErrNoSuchNamespace) {
		if known {
			m.note("the catalog lacked the tables of %s: all were written again", m.namespace)
		}
		return m.catalog.CreateNamespace(ctx, name, iceberg.Properties{propertyWorkspace: workspace, propertyWarehouse: m.warehouse})
	}
	if err != nil {
		return err
	}
	return m.checkOwner("namespace "+m.namespace+" of the catalog", owner{properties[propertyWorkspace], properties[propertyWarehouse]}, workspace,
		"name another catalog, or drop this namespace and its tables")
}

// takeLocation notes whose the objects below a location are, and refuses a location that is another's. known says that this was noted before.
func (m *mirror) takeLocation(workspace string) (known bool, err error) {
	address := m.location + "/" + ownerName
	text, err := m.objects.ReadFile(address)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = json.Marshal(owner{workspace, m.warehouse}); err == nil {
			err = m.objects.WriteFile(address, text)
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	var is owner
	if err := json.Unmarshal(text, &is); err != nil {
		return false, &problem.Problem{Class: "data", What: address + " is damaged", Err: err, Next: "delete this object if the tables there are those of this warehouse"}
	}
	return true, m.checkOwner(m.location, is, workspace, otherLocation(m.location))
}

// otherLocation is the next step where a location is another's.
func otherLocation(location string) string {
	return "name another location; if that warehouse is given up, delete " + location + "/" + ownerName + " and the namespace of the catalog"
}

func (m *mirror) checkOwner(what string, is owner, workspace, next string) error {
	switch {
	case is.Workspace == "":
		return &problem.Problem{Class: "config", What: what + " was not made by this program", Next: next}
	case is.Workspace != workspace:
		return &problem.Problem{Class: "config", What: fmt.Sprintf("%s has the tables of another workspace, %s", what, is.Workspace), Next: next}
	case is.Warehouse != m.warehouse:
		return &problem.Problem{Class: "config", What: what + " has the tables of another warehouse of this workspace", Next: next}
	}
	return nil
}
