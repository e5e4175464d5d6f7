//go:build mirror

package mirror

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"aqueduck/internal/problem"
	"aqueduck/load/layout"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// yard is a warehouse with a mirror in an object store of this process.
type yard struct {
	t        *testing.T
	dir      layout.Dir
	options  Target
	backend  gofakes3.Backend
	change   atomic.Pointer[func(http.ResponseWriter, *http.Request, http.Handler)] // sees each request before the store
	requests atomic.Int64                                                           // that write
	files    int
}

func newYard(t *testing.T) *yard {
	t.Helper()
	backend := s3mem.New()
	must(t, backend.CreateBucket("lake"))
	y := &yard{t: t, backend: backend, dir: layout.Dir(filepath.Join(t.TempDir(), "data"))}
	store := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			y.requests.Add(1)
		}
		decodePart(r)
		if change := y.change.Load(); change != nil {
			(*change)(w, r, store)
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": server.URL, "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1"} {
		t.Setenv(name, value)
	}
	_, err := y.dir.Make()
	must(t, err)
	y.options = Target{Dir: y.dir, Catalog: "sqlite:" + filepath.Join(t.TempDir(), "catalog.db"), Location: "s3://lake/mirror", Now: time.Now,
		Schemas: []Schema{{Name: "main", Tables: []string{"contacts", "contact_counts"}, Internal: []string{"raw"}}}}
	return y
}

// decodePart takes the signatures out of a part of a large object that arrives over plain HTTP: the emulated store does so for whole objects alone.
func decodePart(r *http.Request) {
	if r.URL.Query().Get("partNumber") == "" || r.Header.Get("X-Amz-Content-Sha256") != "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" {
		return
	}
	if size, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64); err == nil {
		r.ContentLength, r.Body = size, io.NopCloser(httputil.NewChunkedReader(r.Body))
		r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	}
}

// newYardAt is another warehouse with the same mirror.
func newYardAt(t *testing.T, of *yard) *yard {
	t.Helper()
	y := &yard{t: t, backend: of.backend, dir: layout.Dir(filepath.Join(t.TempDir(), "data")), options: of.options}
	_, err := y.dir.Make()
	must(t, err)
	y.options.Dir = y.dir
	return y
}

// find counts the objects with one of some words, in their bytes or in the values of a Parquet file.
func (y *yard) find(words []string) (found int) {
	y.t.Helper()
	_, store, err := openObjects(y.t.Context(), y.options)
	must(y.t, err)
	addresses, err := store.list(y.options.Location, time.Time{})
	must(y.t, err)
	db, err := sql.Open("duckdb", "")
	must(y.t, err)
	defer db.Close()
	for _, address := range addresses {
		content, err := store.ReadFile(address)
		must(y.t, err)
		text := string(content)
		if strings.HasSuffix(address, ".parquet") {
			path := filepath.Join(y.t.TempDir(), "object.parquet")
			must(y.t, os.WriteFile(path, content, 0o600))
			var values sql.NullString
			must(y.t, db.QueryRow("SELECT string_agg(t::VARCHAR, chr(10)) FROM read_parquet('"+path+"') t").Scan(&values))
			text += values.String
		}
		for _, word := range words {
			if strings.Contains(text, word) {
				found++
				break
			}
		}
	}
	return found
}

func must1(_ context.Context, o *objects, err error) *objects {
	if err != nil {
		panic(err)
	}
	return o
}

// changing puts a function before the store; nil removes it.
func (y *yard) changing(change func(w http.ResponseWriter, r *http.Request, store http.Handler)) {
	if change == nil {
		y.change.Store(nil)
		return
	}
	y.change.Store(&change)
}

// first is a published file with every type, tables that are empty or have equal rows, and a relation.
const first = `CREATE SCHEMA _sync;
	CREATE TABLE _sync.workspaces (schema VARCHAR, id VARCHAR); INSERT INTO _sync.workspaces VALUES ('main', 'ws1');
	CREATE TABLE contacts (id VARCHAR, name VARCHAR, age BIGINT, score DOUBLE, active BOOLEAN, born DATE, extra JSON, created_at TIMESTAMPTZ, _hash VARCHAR, _synced_at TIMESTAMPTZ);
	INSERT INTO contacts SELECT 'c' || i, CASE WHEN i % 7 <> 0 THEN 'person number ' || i END, i, i / 3, i % 2 = 0, DATE '2020-01-01' + i::INTEGER, '{"n": ' || i || '}',
		TIMESTAMPTZ '2024-01-01 00:00:00.123456Z' + to_seconds(i), 'h' || i, TIMESTAMPTZ '2026-01-01 00:00:00Z' FROM range(1000) r(i);
	CREATE TABLE tags (id VARCHAR, n BIGINT); INSERT INTO tags (id) VALUES ('a'), ('a'), ('a'), ('b'), (NULL);
	CREATE TABLE nothing (id VARCHAR, since TIMESTAMPTZ);
	CREATE TABLE raw (id VARCHAR);
	CREATE VIEW contact_counts AS SELECT active, count(*) AS n, sum(age) AS ages FROM contacts GROUP BY ALL`

// publish makes a copy of the published file, changed by statements, the published file.
func (y *yard) publish(statements string) {
	y.t.Helper()
	y.files++
	name := fmt.Sprintf("file%03d.duckdb", y.files)
	path := filepath.Join(y.dir.Temp(), name)
	if current := y.dir.Current(); current != "" {
		content, err := os.ReadFile(current)
		must(y.t, err)
		must(y.t, os.WriteFile(path, content, 0o600))
	}
	db, err := sql.Open("duckdb", path)
	must(y.t, err)
	_, err = db.Exec(statements)
	must(y.t, err)
	must(y.t, db.Close())
	sum, err := layout.Sum(path)
	must(y.t, err)
	must(y.t, layout.InstallPublished(y.dir, path, name, sum))
}

func (y *yard) mirror() Report {
	y.t.Helper()
	r, err := MirrorTables(y.t.Context(), y.options)
	must(y.t, err)
	return r
}

// expectEqual reads every table with DuckDB's own reader of Parquet, without the rows that files of deletes name, and compares it with the published file.
func (y *yard) expectEqual(tables ...string) {
	y.t.Helper()
	db, err := sql.Open("duckdb", y.dir.Current()+"?access_mode=read_only")
	must(y.t, err)
	defer db.Close()
	for _, name := range tables {
		columns, rows := y.tableSQL(name)
		for _, pair := range [][2]string{{"SELECT " + columns + " FROM main." + name, rows}, {rows, "SELECT " + columns + " FROM main." + name}} {
			var n int64
			must(y.t, db.QueryRow("SELECT count(*) FROM ("+pair[0]+" EXCEPT ALL "+pair[1]+")").Scan(&n))
			if n > 0 {
				y.t.Errorf("table %s: %d rows differ", name, n)
			}
		}
	}
}

// tableSQL is a query for the rows of a table of the mirror, over copies of its files, and the SQL of its columns.
func (y *yard) tableSQL(name string) (columns, query string) {
	y.t.Helper()
	ctx, store, err := openObjects(y.t.Context(), y.options)
	must(y.t, err)
	c, err := openCatalog(y.t.Context(), y.options.Catalog)
	must(y.t, err)
	defer c.close()
	t, err := c.load(ctx, []string{"ws_ws1", name})
	must(y.t, err)
	if t == nil {
		y.t.Fatalf("there is no table %s", name)
	}
	m := &mirror{objects: store}
	held, err := m.readFiles(t)
	must(y.t, err)
	var list []string
	for _, f := range t.Schema().Fields() {
		if f.Name != "_mirror_hash" {
			list = append(list, `"`+f.Name+`"`)
		}
	}
	columns = strings.Join(list, ", ")
	dir := y.t.TempDir()
	fetch := func(address string) string {
		content, err := store.ReadFile(address)
		must(y.t, err)
		path := filepath.Join(dir, filepath.Base(address))
		must(y.t, os.WriteFile(path, content, 0o600))
		return path
	}
	if len(held.data) == 0 {
		return columns, "SELECT " + columns + " FROM main." + name + " WHERE false"
	}
	var rows, deletes []string
	for _, f := range held.data {
		rows = append(rows, fmt.Sprintf("SELECT '%s' AS _path, file_row_number AS _pos, * FROM read_parquet('%s', file_row_number=true)", f.FilePath(), fetch(f.FilePath())))
	}
	for _, f := range held.deletes {
		deletes = append(deletes, fmt.Sprintf("SELECT file_path, pos FROM read_parquet('%s')", fetch(f.FilePath())))
	}
	query = "SELECT " + columns + " FROM (" + strings.Join(rows, " UNION ALL BY NAME ") + ")"
	if len(deletes) > 0 {
		query += " WHERE (_path, _pos) NOT IN (SELECT (file_path, pos) FROM (" + strings.Join(deletes, " UNION ALL ") + "))"
	}
	return columns, query
}

func expectProblem(t *testing.T, err error, class, words string) {
	t.Helper()
	p := new(problem.Problem)
	if !errors.As(err, &p) || p.Class != class || !strings.Contains(p.Error()+p.Next, words) || p.Next == "" {
		t.Errorf("the error is %v, wanted class %s with %q", err, class, words)
	}
}

// waitUntil repeats what fails while a server begins, for a minute.
func waitUntil(t *testing.T, do func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := do(ctx)
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}
