package publish_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"aqueduck/load"
	"aqueduck/load/internal/duck"
	"aqueduck/load/layout"
)

// TestAFileOfTheOldFormatIsRewrittenByOnePublish begins with a published file of an earlier build. The first publish writes all of it in the
// present format; the next ones copy it.
func TestAFileOfTheOldFormatIsRewrittenByOnePublish(t *testing.T) {
	t.Parallel()
	h := &publishFixture{t: t, dir: layout.Dir(filepath.Join(t.TempDir(), "data")), now: houseBegan}
	must(t, os.MkdirAll(string(h.dir), 0o700))
	packed, err := os.Open("../testdata/format1.duckdb.gz")
	must(t, err)
	defer packed.Close()
	text, err := gzip.NewReader(packed)
	must(t, err)
	old, err := os.Create(h.dir.Link())
	must(t, err)
	_, err = io.Copy(old, text)
	must(t, err)
	must(t, old.Close())
	if got := storageOf(t, h.dir.Link()); got != "v1.0.0+" {
		t.Fatalf("the old file is written in %s", got)
	}
	must(t, load.Prepare(h.dir))
	h.openRun()
	t.Cleanup(func() { must(t, h.work.Close()) })
	for n, want := range []bool{true, false, false} {
		h.commitPeople(newPerson("1", string(rune('a'+n))))
		if r := h.publishAndReopen(); r.Rebuilt != want {
			t.Errorf("publish %d: rewritten %t, want %t", n+1, r.Rebuilt, want)
		}
		if got := storageOf(t, h.dir.Current()); got != "v1.2.0+" {
			t.Errorf("publish %d: the file is written in %s", n+1, got)
		}
	}
	db, err := duck.Open(t.Context(), duck.Options{Path: h.dir.Current(), ReadOnly: true})
	must(t, err)
	defer db.Close()
	var contacts int
	must(t, db.Scan(t.Context(), "SELECT count(*) FROM main.contacts_raw", nil, &contacts))
	if contacts != 20 {
		t.Errorf("%d of 20 contacts are left", contacts)
	}
}

// storageOf is the format of a file, as DuckDB states it.
func storageOf(t *testing.T, file string) (version string) {
	t.Helper()
	db, err := duck.Open(t.Context(), duck.Options{Path: file, ReadOnly: true})
	must(t, err)
	defer db.Close()
	must(t, db.Scan(t.Context(), "SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = $1", []any{duck.Catalog}, &version))
	return version
}
