package cli

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"aqueduck/internal/emulator"
	"aqueduck/internal/oracletest"
)

// TestT175TheRestoreOfTheManualWorks runs the commands of docs/recover.md on backups, on a warehouse with hashed columns. The restored
// warehouse continues with the same hashes, and without a person who was erased after the backup. Without the key, the run is refused at once.
func TestT175TheRestoreOfTheManualWorks(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/recover.md")
	if err != nil {
		t.Fatal(err)
	}
	_, backup, _ := strings.Cut(string(page), "## Back up and restore")
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(backup, 2)
	if len(blocks) != 2 {
		t.Fatal("the manual has no commands for backups")
	}
	c := emulator.Config{Seed: 5, Contacts: 60, Inactive: 12, Activities: 90, Now: time.Now, Start: workspaceStart, WorkspaceID: "ws_backup", Token: "token-of-backup"}
	server := httptest.NewServer(emulator.New(c))
	t.Cleanup(server.Close)
	dir := makeCheckout(t)
	config := filepath.Join(dir, "pipelines.yaml")
	if err := os.Remove(config); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte(scripted+"streams:\n  contacts: {hash: [email]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(command string) string {
		t.Helper()
		return runShell(t, dir, command, "WORKSPACE_URL="+server.URL, "WORKSPACE_TOKEN="+c.Token)
	}
	emails := func(warehouse string) string {
		t.Helper()
		rows, err := oracletest.QueryRows(filepath.Join(dir, warehouse, "warehouse.duckdb"), "SELECT id, email FROM contacts WHERE email IS NOT NULL ORDER BY id")
		if err != nil || len(rows) < 10 {
			t.Fatal(rows, err)
		}
		return strings.Join(rows, "\n")
	}
	run("bin/aqueduck sync nightly -q")
	run(blocks[0][1])
	erased, _, _ := strings.Cut(emails("data"), "|")
	run("bin/aqueduck erase --yes " + erased)
	if last := run(blocks[1][1]); !strings.Contains(last, "OK nightly") {
		t.Errorf("the run after the restore: %s", last)
	}
	if run("bin/aqueduck sync nightly --full-refresh -q --dir restored"); emails("restored") != emails("data") {
		t.Error("a hash is another one after the restore")
	}
	if strings.Contains(emails("restored"), erased) {
		t.Error("a person who was erased after the backup is back")
	}

	without := exec.Command("sh", "-c", "mkdir bare && cp backup/warehouse.duckdb bare/ && bin/aqueduck sync nightly --dir bare")
	without.Dir, without.Env = dir, append(os.Environ(), "WORKSPACE_URL="+server.URL, "WORKSPACE_TOKEN="+c.Token)
	var said bytes.Buffer
	without.Stderr = &said
	err = without.Run()
	first, _, _ := strings.Cut(said.String(), "\n")
	if without.ProcessState.ExitCode() != 3 || !strings.HasPrefix(first, "error[config] ") || !strings.Contains(first, "hash.key, is missing") {
		t.Errorf("without the key: %v\n%s", err, &said)
	}
	if _, err := os.Stat(filepath.Join(dir, "bare", ".aqueduck", "hash.key")); !os.IsNotExist(err) {
		t.Errorf("a second key: %v", err)
	}
}
