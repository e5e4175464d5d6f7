package models_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/transform/models"
)

// TestModelsAreRightWhenAttached reads each model in the file opened alone, and attached under another name by a database
// that has tables of the same names, in sessions of three time zones.
func TestModelsAreRightWhenAttached(t *testing.T) {
	t.Parallel()
	all, err := models.Builtin()
	must(t, err)
	file, err := filled.PublishedPath()
	must(t, err)
	db, err := sql.Open("duckdb", "?threads=1")
	must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { must(t, db.Close()) })
	other := &goldenWarehouse{t, db}
	other.execSQL("ATTACH '" + file + "' AS elsewhere (READ_ONLY)")
	for _, table := range other.rowTexts("SELECT DISTINCT table_name FROM information_schema.tables WHERE table_catalog = 'elsewhere' AND table_schema = 'main'") {
		other.execSQL("CREATE TABLE main." + table + " AS SELECT 'mine' AS id")
	}
	other.execSQL("CREATE SCHEMA models")
	alone := openFilled(t)
	for _, m := range all {
		other.execSQL("CREATE TABLE models." + m.Name + " AS SELECT 'mine' AS id")
		const content = "SELECT count(*), sum(hash(m)::HUGEINT) FROM %s.%s m"
		want := alone.rowTexts(fmt.Sprintf(content, "models", m.Name))
		for _, zone := range []string{"UTC", "America/Los_Angeles", "Asia/Tokyo"} {
			for _, g := range []*goldenWarehouse{alone, other} {
				g.execSQL("SET TimeZone = '" + zone + "'")
			}
			alone.expectRows(fmt.Sprintf(content, "models", m.Name), want...)
			other.expectRows(fmt.Sprintf(content, "elsewhere.models", m.Name), want...)
		}
	}
}

// TestADatabaseNamedLikeASchemaIsAttachedUnderAnotherName holds what docs/bi.md says of files named models.duckdb and _sync.duckdb:
// the published one, and one of somebody's own beside it.
func TestADatabaseNamedLikeASchemaIsAttachedUnderAnotherName(t *testing.T) {
	t.Parallel()
	file, err := filled.PublishedPath()
	must(t, err)
	text, err := os.ReadFile(file)
	must(t, err)
	for name, question := range map[string]string{"models": "FROM %smodels.sla LIMIT 0", "_sync": "FROM %s_sync.freshness LIMIT 0"} {
		published, own := filepath.Join(t.TempDir(), name+".duckdb"), filepath.Join(t.TempDir(), name+".duckdb")
		must(t, os.WriteFile(published, text, 0o600)) // a link would be called like the file that it leads to
		for _, tc := range []struct{ opened, first, asked, problem string }{
			{published + "?access_mode=read_only", "SELECT 1", "", "Ambiguous"},
			{"", "ATTACH '" + published + "' AS w (READ_ONLY)", "w.", ""},
			{"", "ATTACH '" + published + "' AS w (READ_ONLY); USE w", "", ""},
			{own, "ATTACH '" + file + "' AS w (READ_ONLY); USE w", "", "Ambiguous"},
			{"", "ATTACH '" + own + "' AS mine; ATTACH '" + file + "' AS w (READ_ONLY); USE w", "", ""},
		} {
			db, err := sql.Open("duckdb", tc.opened)
			must(t, err)
			db.SetMaxOpenConns(1)
			_, err = db.Exec(tc.first)
			must(t, err)
			_, err = db.Exec(fmt.Sprintf(question, tc.asked))
			if tc.problem == "" && err != nil || tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)) {
				t.Errorf("%s, opened as %q, %s: %v", name, tc.opened, tc.first, err)
			}
			must(t, db.Close())
		}
	}
}
