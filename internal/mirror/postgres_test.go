//go:build mirror

package mirror

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/iceberg-go/table"
)

// startPostgres starts a Postgres server of this machine for a test, with a password, and returns its address. Without one, the test is skipped.
func startPostgres(t *testing.T) (address string, stop func()) {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
	if err != nil || len(found) == 0 {
		t.Skip("there is no Postgres here")
	}
	programs := filepath.Dir(found[len(found)-1])
	home, err := os.MkdirTemp("", "postgres")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // it belongs to another user
	must(t, os.Chmod(home, 0o777))
	data, secret := filepath.Join(home, "data"), filepath.Join(home, "password")
	must(t, os.WriteFile(secret, []byte("hidden-password"), 0o644))
	run := func(name string, args ...string) *exec.Cmd {
		if os.Getuid() == 0 { // Postgres refuses to run as root
			return exec.Command("setpriv", append([]string{"--reuid=nobody", "--regid=nogroup", "--clear-groups", filepath.Join(programs, name)}, args...)...)
		}
		return exec.Command(filepath.Join(programs, name), args...)
	}
	if out, err := run("initdb", "-D", data, "-U", "writer", "-A", "scram-sha-256", "--pwfile", secret, "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	port := freePort(t)
	server := run("postgres", "-D", data, "-p", port, "-k", home, "-h", "127.0.0.1", "-c", "fsync=off")
	must(t, server.Start())
	stop = func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait() // it was stopped
	}
	t.Cleanup(stop)
	t.Setenv("PGUSER", "writer")
	t.Setenv("PGPASSWORD", "hidden-password")
	return "postgres://127.0.0.1:" + port + "/postgres", stop
}

// freePort is a port of this machine that nobody uses.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	must(t, err)
	must(t, l.Close())
	return port
}

// waitForCatalog waits until a server answers.
func waitForCatalog(t *testing.T, address string) {
	t.Helper()
	waitUntil(t, func(ctx context.Context) error {
		c, err := openCatalog(ctx, address)
		if c.Catalog != nil {
			err = errors.Join(err, c.close())
		}
		return err
	})
}

// TestACatalogInPostgres: the same nights as with SQLite, a killed mirror, another program's rollback; errors without a password or a server, and the password nowhere.
// Holds: P10.
func TestACatalogInPostgres(t *testing.T) {
	address, stop := startPostgres(t)
	y := newYard(t)
	y.options.Catalog = address
	y.publish(first)
	waitForCatalog(t, address)
	y.mirror()
	y.expectEqual(every...)
	y.publish(night)
	y.mirror()
	y.expectEqual(every...)
	if r := y.mirror(); r.Changed != 0 {
		t.Errorf("the same file: %+v", r)
	}
	ctx, c, of := y.library("contacts")
	must(t, c.DropTable(ctx, table.Identifier{"ws_ws1", "tags"}))
	older := of.Metadata().Snapshots()[0].SnapshotID
	tx := of.NewTransaction()
	must(t, tx.RollbackToSnapshot(older))
	_, err := tx.Commit(ctx)
	must(t, err)
	y.mirror()
	y.expectEqual(every...)
	t.Setenv("PGPASSWORD", "another-password")
	_, err = MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "auth", "PGPASSWORD")
	t.Setenv("PGPASSWORD", "hidden-password")
	_ = c.close()
	stop()
	_, err = MirrorTables(t.Context(), y.options)
	expectProblem(t, err, "transient", "the catalog "+address)
	if text := fmt.Sprint(err); strings.Contains(text, "hidden-password") || y.find([]string{"hidden-password"}) > 0 {
		t.Errorf("the password is in an object, or in %v", err)
	}
	for _, bad := range []string{"postgres://writer:hidden-password@127.0.0.1/db", "postgres:///db", "hive:http://127.0.0.1"} {
		_, err = openCatalog(t.Context(), bad)
		expectProblem(t, err, "config", "postgres://HOST:PORT/DATABASE")
	}
}
