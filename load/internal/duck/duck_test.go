package duck_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/load/internal/duck"
)

// TestS25NothingIsLoadedFromElsewhere asks a file that is opened in each way what it may do, and tries to make it do more.
// Holds: S46.
func TestS25NothingIsLoadedFromElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, pool := filepath.Join(dir, "a.duckdb"), duck.NewPool(dir)
	defer pool.Close()
	for _, o := range []duck.Options{{}, {Path: file}, {Path: file, ReadOnly: true}, {Path: file, Reach: []string{dir}},
		{Path: file, Pool: pool}, {Path: file, Pool: pool, ReadOnly: true}} { // the last gets the engine of the one before
		db, err := duck.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var settings string
		err = db.Scan(t.Context(), `SELECT concat_ws(' ', current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions'),
			current_setting('enable_external_access'), current_setting('lock_configuration'))`, nil, &settings)
		if err != nil || settings != "false false false true" {
			t.Errorf("%+v: %s, %v", o, settings, err)
		}
		for _, statement := range []string{
			"INSTALL httpfs", "LOAD httpfs", "LOAD '" + dir + "/x.duckdb_extension'", "SET enable_external_access = true", "SET allowed_directories = ['/']",
			"SET autoinstall_known_extensions = true", "SET extension_directory = '/tmp'", "FROM read_text('/etc/passwd')", "FROM duckdb_extensions()", "ATTACH 'https://files.example.org/x.duckdb'",
		} {
			if _, err := db.Exec(t.Context(), statement); err == nil {
				t.Errorf("%+v: %s was done", o, statement)
			}
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestS48ANewStorageFormatNeedsTheKillTests fails with another DuckDB: what is known of kills inside a checkpoint holds
// for this version.
func TestS48ANewStorageFormatNeedsTheKillTests(t *testing.T) {
	t.Parallel()
	db, err := duck.Open(t.Context(), duck.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var version string
	if err := db.Scan(t.Context(), "SELECT version()", nil, &version); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(version, "v1.5.") {
		t.Errorf("DuckDB is %s: run make torture and make fuzz with it, look at docs/internals/performance.md and at the readers that are promised, then name it here", version)
	}
}

// TestLongTextsAreCompressed: in a new file long texts take less than half of their bytes, and short ones stay as they are, quick to read.
func TestLongTextsAreCompressed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "texts.duckdb")
	db, err := duck.Open(t.Context(), duck.Options{Path: file})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const rows = 20_000
	statement := fmt.Sprintf(`CREATE TABLE texts AS SELECT md5(range::VARCHAR) AS id,
		(SELECT string_agg('word' || (hash(range + i) %% 1000), ' ') FROM range(60) w(i)) AS body FROM range(%d)`, rows)
	if _, err := db.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	var id, body string
	var bytes int64
	err = db.Scan(t.Context(), `SELECT max(compression) FILTER (column_name = 'id'), max(compression) FILTER (column_name = 'body'), (SELECT sum(strlen(body)) FROM texts)
		FROM pragma_storage_info('texts') WHERE segment_type = 'VARCHAR'`, nil, &id, &body, &bytes)
	if err != nil || body != "ZSTD" || id == "ZSTD" {
		t.Errorf("ids are stored by %s, bodies by %s, %v", id, body, err)
	}
	if info, err := os.Stat(file); err != nil || info.Size() > bytes/2+rows*32 {
		t.Errorf("%d bytes of text in a file of %d, %v", bytes, info.Size(), err)
	}
}
