//go:build mirror

package mirror

import (
	"database/sql"
	"fmt"
	"net/url"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of a catalog in Postgres

	"aqueduck/internal/problem"
)

// openPostgres opens a catalog in a Postgres database. User, password and certificates come from the variables and files of Postgres's own tools: PGUSER,
// PGPASSWORD, PGPASSFILE, PGSSLMODE, PGSSLROOTCERT. It connects to nothing yet.
func openPostgres(place string) (*sql.DB, error) {
	at, err := url.Parse(place)
	if err != nil || at.User != nil || at.RawQuery != "" || at.Host == "" {
		return nil, &problem.Problem{Class: "config", What: "warehouse.mirror.catalog is no address of a Postgres database, or has a user in it",
			Next: "write postgres://HOST:PORT/DATABASE, and give the user by PGUSER and PGPASSWORD or PGPASSFILE"}
	}
	db, err := sql.Open("pgx", place)
	if err != nil {
		return nil, fmt.Errorf("open the catalog %s: %w", place, err)
	}
	return db, nil
}
