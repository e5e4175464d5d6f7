//go:build mirror

package mirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	icesql "github.com/apache/iceberg-go/catalog/sql"
	"github.com/apache/iceberg-go/table"
	"github.com/jackc/pgx/v5/pgconn"
	_ "modernc.org/sqlite" // the driver of the embedded catalog

	"aqueduck/internal/problem"
)

// CatalogName is the name of the catalog in the tables of an SQL catalog. Engines give the same one.
const CatalogName = "aqueduck"

// tableCatalog is where tables are found by their names.
type tableCatalog struct {
	catalog.Catalog
	place string  // as configured
	db    *sql.DB // of an SQL catalog
}

// close ends the connections.
func (c tableCatalog) close() error {
	if c.db != nil {
		return c.db.Close()
	}
	if opened, ok := c.Catalog.(catalog.Closer); ok {
		return opened.Close()
	}
	return nil
}

// openCatalog opens the SQL catalog in an SQLite file or in a Postgres database, and makes its tables if there are none; or a catalog by REST.
func openCatalog(ctx context.Context, place string) (c tableCatalog, err error) {
	c.place = place
	if strings.HasPrefix(place, "rest:") {
		opened, err := openREST(ctx, place)
		if err != nil {
			return c, c.explain(c.explainREST(err, false))
		}
		c.Catalog = opened
		return c, nil
	}
	dialect := icesql.SQLite
	switch file, embedded := strings.CutPrefix(place, "sqlite:"); {
	case embedded && file != "":
		c.db, err = openSQLite(place, file)
	case strings.HasPrefix(place, "postgres://"):
		dialect = icesql.Postgres
		c.db, err = openPostgres(place)
	default:
		err = &problem.Problem{Class: "config", What: fmt.Sprintf("%q is no catalog that this version can write", place), Next: "set warehouse.mirror.catalog to sqlite:PATH, postgres://HOST:PORT/DATABASE or rest:https://HOST/PATH"}
	}
	if err != nil {
		return c, c.explain(err)
	}
	c.db.SetMaxOpenConns(1)
	if c.Catalog, err = icesql.NewCatalog(CatalogName, c.db, dialect, iceberg.Properties{}); err != nil {
		return c, errors.Join(c.explain(err), c.db.Close())
	}
	return c, nil
}

// openSQLite opens a file, and makes it if there is none. Its directory has to exist.
func openSQLite(place, file string) (*sql.DB, error) {
	file, err := filepath.Abs(file)
	if err == nil {
		_, err = os.Stat(filepath.Dir(file))
	}
	if err != nil {
		return nil, &problem.Problem{Class: "config", What: "the catalog " + place + " cannot be opened", Err: err, Next: "make this directory, or correct warehouse.mirror.catalog"}
	}
	source := url.URL{Scheme: "file", Path: file, RawQuery: "_pragma=busy_timeout(30000)&_pragma=synchronous(FULL)&_txlock=immediate"}
	return sql.Open("sqlite", source.String())
}

// explain makes an error of the catalog a Problem. One that is a Problem stays so.
func (c tableCatalog) explain(err error) error {
	if p := new(problem.Problem); err == nil || errors.Is(err, context.Canceled) || errors.As(err, &p) {
		return err
	}
	if refused := new(pgconn.PgError); errors.As(err, &refused) && strings.HasPrefix(refused.Code, "28") { // the class of refused users
		return &problem.Problem{Class: "auth", What: "the catalog " + c.place + " refuses the user", Err: err, Next: "correct PGUSER, and PGPASSWORD or PGPASSFILE"}
	}
	return &problem.Problem{Class: "transient", What: "the catalog " + c.place + " cannot be used", Err: err,
		Next: "see whether the catalog can be read and written; the next run, or aqueduck mirror, does what is missing"}
}

// load returns a table; nil if there is none.
func (c tableCatalog) load(ctx context.Context, name table.Identifier) (*table.Table, error) {
	t, err := c.LoadTable(ctx, name)
	if errors.Is(err, catalog.ErrNoSuchTable) || errors.Is(err, catalog.ErrNoSuchNamespace) {
		return nil, nil
	}
	return t, err
}
