package publish_test

import (
	"database/sql"
	"path/filepath"
	"testing"

	"aqueduck/load/publish"
)

// TestARelationIsComputedOnceForComparingAndWriting has a relation with other values at each reading. The Parquet file has those that the manifest describes, after
// the first publish and after one that writes it again.
func TestARelationIsComputedOnceForComparingAndWriting(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for _, name := range []string{"a", "b"} {
		h.commitPeople(newPerson("1", name), newPerson("2", name))
		s := h.runSpec()
		s.Schemas[0].Relations = append(s.Schemas[0].Relations,
			publish.Relation{Name: "people_drawn", Kind: "view", Doc: "People with a number.", SQL: "SELECT id, uuid() AS drawn FROM {schema}.people"})
		_, err := publish.Publish(t.Context(), h.dir, h.work, s)
		must(t, err)
		h.openRun()
		db, err := sql.Open("duckdb", "")
		must(t, err)
		var want string
		must(t, db.QueryRow("SELECT sum(hash(id, drawn))::VARCHAR FROM '"+filepath.Join(h.dir.Lake("main"), "people_drawn", "all.parquet")+"'").Scan(&want))
		must(t, db.Close())
		if got := lakeManifest(t, h).Tables["people_drawn"].Parts[0].Groups[0].Content; got != want {
			t.Errorf("people named %s: the manifest has the rows %s, the file %s", name, got, want)
		}
	}
}
