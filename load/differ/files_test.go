package differ_test

import (
	"database/sql"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"aqueduck/load/differ"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestACopyInThePlaceOfAnotherIsReadAnew gives two copies the same path, one after the other. They have the same size, inode and time of change, as copies of
// small files within a second may have. The first one is a file of deletes: read by its footer, the second one has as many rows, and no values.
func TestACopyInThePlaceOfAnotherIsReadAnew(t *testing.T) {
	dir, published := t.TempDir(), filepath.Join(t.TempDir(), "published.duckdb")
	db, err := sql.Open("duckdb", published)
	must(t, err)
	_, err = db.Exec("CREATE TABLE tags AS SELECT 'a' AS id, 1::BIGINT AS n")
	must(t, err)
	parquetOf := func(query string) []byte {
		path := filepath.Join(t.TempDir(), "rows.parquet")
		_, err := db.Exec("COPY (" + query + ") TO '" + path + "' (FORMAT parquet)")
		must(t, err)
		content, err := os.ReadFile(path)
		must(t, err)
		return content
	}
	deletes, rows := parquetOf("SELECT 'f' AS file_path, i AS pos FROM range(112) r(i)"), parquetOf("FROM tags")
	must(t, db.Close())
	rows = padParquet(rows, len(deletes)-len(rows))

	f, err := differ.OpenBeside(t.Context(), published, dir)
	must(t, err)
	defer f.Close()
	tags := differ.Relation{Schema: "main", Name: "tags", Columns: []differ.Field{{Name: "id", Type: "VARCHAR"}, {Name: "n", Type: "BIGINT"}}}
	path, changed := filepath.Join(dir, "0.parquet"), time.Now()
	for _, content := range [][]byte{deletes, rows} {
		must(t, os.WriteFile(path, content, 0o600))
		must(t, os.Chtimes(path, changed, changed))
		own, theirs, err := f.ReadBoth(t.Context(), tags, differ.CopyFiles{Data: []differ.CopyFile{{Path: path, Name: "f"}}})
		must(t, err)
		if isEqual := own == theirs; isEqual != slices.Equal(content, rows) {
			t.Errorf("the table has %v, and the copy %v", own, theirs)
		}
	}
}

// padParquet makes a Parquet file longer by n bytes, between its rows and its footer.
func padParquet(content []byte, n int) []byte {
	footer := len(content) - 8 - int(binary.LittleEndian.Uint32(content[len(content)-8:]))
	return slices.Insert(slices.Clone(content), footer, make([]byte, n)...)
}
