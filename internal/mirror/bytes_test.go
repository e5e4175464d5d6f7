//go:build mirror

package mirror

import (
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// population is a published file of contacts with the columns of a real one, as many as %d says.
const population = `CREATE SCHEMA _sync;
	CREATE TABLE _sync.workspaces (schema VARCHAR, id VARCHAR); INSERT INTO _sync.workspaces VALUES ('main', 'ws1');
	CREATE TABLE contacts AS SELECT md5('id' || i)[:24] AS id, 'user-' || i AS external_id, 'user' AS role, 'person' || i || '@' || md5('host' || i %% 9000)[:8] || '.example' AS email,
		md5('host' || i %% 9000)[:8] || '.example' AS domain, '+49' || (30000000 + hash(i) %% 60000000) AS phone, 'Person ' || md5('name' || i)[:10] AS name, (i %% 400)::BIGINT AS owner_id,
		i %% 9 = 0 AS unsubscribed, i %% 90 = 0 AS hard_bounced, i %% 7 = 0 AS android, (hash(i, 1) %% 4000)::BIGINT AS sessions, ['de', 'en', 'fr', 'ja'][1 + i %% 4] AS language,
		['Firefox', 'Chrome', 'Safari'][1 + i %% 3] AS browser, '1' || (hash(i, 2) %% 40) || '.0' AS browser_version, ['Linux', 'Windows', 'macOS'][1 + i %% 3] AS os,
		['Berlin', 'Paris', 'Tokyo', 'Austin', 'Oslo'][1 + i %% 5] AS city, ['Germany', 'France', 'Japan', 'United States', 'Norway'][1 + i %% 5] AS country, NULL::VARCHAR AS avatar,
		TIMESTAMPTZ '2022-01-01 00:00:00Z' + to_seconds((hash(i, 3) %% 100000000)::BIGINT) AS created_at, TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_seconds((hash(i, 4) %% 9000000)::BIGINT) AS updated_at,
		TIMESTAMPTZ '2026-01-01 00:00:00Z' + to_seconds((hash(i, 5) %% 9000000)::BIGINT) AS last_seen_at, CASE WHEN i %% 3 = 0 THEN TIMESTAMPTZ '2026-02-01 00:00:00Z' + to_seconds((hash(i, 6) %% 9000000)::BIGINT) END AS last_replied_at,
		('{"plan": "' || ['free', 'team', 'company'][1 + i %% 3] || '", "seats": ' || hash(i, 7) %% 500 || ', "score": ' || (hash(i, 8) %% 10000) / 100 || '}')::JSON AS custom_attributes,
		md5('row' || i) AS _hash, TIMESTAMPTZ '2026-06-01 00:00:00Z' AS _synced_at FROM range(%d) r(i);
	CREATE TABLE tags (id VARCHAR, n BIGINT); INSERT INTO tags SELECT 't' || i, i FROM range(200) r(i)`

// nightOf changes and adds one contact of a hundred, of which every tenth is new. All arrive in the night of a number.
func nightOf(n int) string {
	return fmt.Sprintf(`CREATE TEMP TABLE news AS SELECT * REPLACE (md5(id || %[1]d)[:24] AS id, sessions + 1 AS sessions, md5(_hash || %[1]d) AS _hash, created_at + INTERVAL '%[1]d days' AS created_at,
			TIMESTAMPTZ '2026-06-01 00:00:00Z' + INTERVAL '%[1]d days' AS _synced_at) FROM contacts WHERE hash(id, %[1]d, 'new') %% 1000 < 1;
		UPDATE contacts SET sessions = sessions + 1 + (hash(id, %[1]d) %% 5)::BIGINT, last_seen_at = last_seen_at + to_seconds((hash(id, %[1]d) %% 90000)::BIGINT), updated_at = updated_at + to_seconds((hash(id, %[1]d) %% 90000)::BIGINT),
			_hash = md5(_hash || %[1]d), _synced_at = TIMESTAMPTZ '2026-06-01 00:00:00Z' + INTERVAL '%[1]d days' WHERE hash(id, %[1]d) %% 1000 < 9;
		INSERT INTO contacts SELECT * FROM news; DROP TABLE news`, n)
}

// TestTheBytesOfANight counts what a mirror writes in nights that change one contact of a hundred, and what a reader of all rows has to read then. A single Parquet
// file of the changed rows, and one of all rows, are the measure.
// Holds: P7.
func TestTheBytesOfANight(t *testing.T) {
	contacts, nights := number(t, "AQUEDUCK_MIRROR_CONTACTS"), number(t, "AQUEDUCK_MIRROR_NIGHTS")
	if contacts == 0 {
		t.Skip("make mirror-bytes runs it")
	}
	y := newYard(t)
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}, "tags": {"id"}}
	y.publish(fmt.Sprintf(population, contacts))
	written := y.countWritten()
	y.mirror()
	t.Logf("%d contacts: the first copy wrote %d bytes", contacts, written.take().sum())
	var rows, all int64
	kinds := objectBytes{}
	for n := 1; n <= nights; n++ {
		y.publish(nightOf(n))
		news := y.parquetSize(fmt.Sprintf("FROM contacts WHERE _synced_at = TIMESTAMPTZ '2026-06-01 00:00:00Z' + INTERVAL '%d days'", n))
		r := y.mirror()
		of := written.take()
		kinds.add(of)
		rows, all = rows+news, all+of.sum()
		t.Logf("night %d: %d rows added, %d removed; %d bytes of rows, %d written (%.1f times): %v", n, r.Added, r.Removed, news, of.sum(), float64(of.sum())/float64(news), of)
	}
	y.expectEqual("contacts", "tags")
	scan, lake := y.scanSize("contacts"), y.parquetSize("FROM contacts")
	t.Logf("%d nights of %d contacts: %d bytes of changed rows, %d written, %.2f times: %v", nights, contacts, rows, all, float64(all)/float64(rows), kinds)
	t.Logf("a scan of contacts reads %d bytes, one Parquet file has %d: %.2f times", scan, lake, float64(scan)/float64(lake))
	if nights >= 30 && contacts >= 1000000 && all > 5*rows {
		t.Error("it wrote more than five times the bytes of the changed rows")
	}
	if scan > 2*lake {
		t.Error("a scan reads more than twice the bytes of one Parquet file")
	}
}

// number is that of a variable of the environment, 0 if there is none.
func number(t *testing.T, name string) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// objectBytes are bytes of objects, by the endings of their names.
type objectBytes map[string]int64

func (b objectBytes) sum() (n int64) {
	for _, of := range b {
		n += of
	}
	return n
}

func (b objectBytes) add(other objectBytes) {
	for kind, n := range other {
		b[kind] += n
	}
}

// writtenBytes counts the bytes that are sent to an object store.
type writtenBytes struct {
	mu sync.Mutex
	by objectBytes
}

// take gives what was counted since the last time.
func (w *writtenBytes) take() objectBytes {
	w.mu.Lock()
	defer w.mu.Unlock()
	by := w.by
	w.by = objectBytes{}
	return by
}

// countWritten counts the bytes of all objects that are sent to the store from now on.
func (y *yard) countWritten() *writtenBytes {
	w := &writtenBytes{by: objectBytes{}}
	y.changing(func(rw http.ResponseWriter, r *http.Request, store http.Handler) {
		if r.Method == http.MethodPut {
			size := r.ContentLength
			if decoded, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64); err == nil {
				size = decoded // without the signatures between its parts
			}
			w.mu.Lock()
			w.by[path.Ext(r.URL.Path)] += size
			w.mu.Unlock()
		}
		store.ServeHTTP(rw, r)
	})
	return w
}

// parquetSize is the size of a Parquet file that DuckDB writes of some rows of the published file.
func (y *yard) parquetSize(from string) int64 {
	y.t.Helper()
	db, err := sql.Open("duckdb", y.dir.Current()+"?access_mode=read_only")
	must(y.t, err)
	defer db.Close()
	file := filepath.Join(y.t.TempDir(), "rows.parquet")
	_, err = db.Exec("COPY (" + from + ") TO '" + file + "' (FORMAT parquet, COMPRESSION zstd)")
	must(y.t, err)
	info, err := os.Stat(file)
	must(y.t, err)
	must(y.t, os.Remove(file))
	return info.Size()
}

// scanSize is the size of all files of a table that a reader of all its rows reads.
func (y *yard) scanSize(name string) (size int64) {
	y.t.Helper()
	_, _, of := y.library(name)
	held, err := (&mirror{objects: must1(openObjects(y.t.Context(), y.options))}).readFiles(of)
	must(y.t, err)
	for _, f := range append(held.data, held.deletes...) {
		size += f.FileSizeBytes()
	}
	return size
}
