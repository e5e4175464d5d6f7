package models_test

import (
	"database/sql"
	"fmt"
	"testing"

	"aqueduck/transform/models"
)

// TestModelsAreRightWhenAttached reads each model in the file opened alone, and attached under another name by a database
// that has tables of the same names, in sessions of three time zones.
func TestModelsAreRightWhenAttached(t *testing.T) {
	t.Parallel()
	all, err := models.Builtin()
	must(t, err)
	file, err := filled.File()
	must(t, err)
	db, err := sql.Open("duckdb", "?threads=1")
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	other := &golden{t, db}
	other.exec("ATTACH '" + file + "' AS elsewhere (READ_ONLY)")
	for _, table := range other.rows("SELECT DISTINCT table_name FROM information_schema.tables WHERE table_catalog = 'elsewhere' AND table_schema = 'main'") {
		other.exec("CREATE TABLE main." + table + " AS SELECT 'mine' AS id")
	}
	other.exec("CREATE SCHEMA models")
	alone := whole(t)
	for _, m := range all {
		other.exec("CREATE TABLE models." + m.Name + " AS SELECT 'mine' AS id")
		const content = "SELECT count(*), sum(hash(m)::HUGEINT) FROM %s.%s m"
		want := alone.rows(fmt.Sprintf(content, "models", m.Name))
		for _, zone := range []string{"UTC", "America/Los_Angeles", "Asia/Tokyo"} {
			for _, g := range []*golden{alone, other} {
				g.exec("SET TimeZone = '" + zone + "'")
			}
			alone.holds(fmt.Sprintf(content, "models", m.Name), want...)
			other.holds(fmt.Sprintf(content, "elsewhere.models", m.Name), want...)
		}
	}
}
