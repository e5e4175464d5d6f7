package aqueduck

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// planted is a database of vulnerabilities that knows one, in a function of the standard library.
var planted = map[string]string{
	"index/db.json":      `{"modified": "2026-01-01T00:00:00Z"}`,
	"index/modules.json": `[{"path": "stdlib", "vulns": [{"id": "GO-2026-0001", "modified": "2026-01-01T00:00:00Z"}]}]`,
	"ID/GO-2026-0001.json": `{"schema_version": "1.3.1", "id": "GO-2026-0001", "modified": "2026-01-01T00:00:00Z", "published": "2026-01-01T00:00:00Z",
		"summary": "a planted one", "affected": [{"package": {"name": "stdlib", "ecosystem": "Go"},
		"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}]}],
		"ecosystem_specific": {"imports": [{"path": "strings", "symbols": ["ToUpper"]}]}}]}`,
}

// TestS42AKnownVulnerabilityFailsTheCheck runs `make vuln` on a program that calls what a database knows, on one that does not,
// and where there is no way to a database.
func TestS42AKnownVulnerabilityFailsTheCheck(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts the Go tool three times")
	}
	database := t.TempDir()
	for name, text := range planted {
		write(t, filepath.Join(database, name), text)
	}
	for _, test := range []struct {
		name, body, database, want string
		fails                      bool
	}{
		{name: "called", body: `println(strings.ToUpper("x"))`, database: "file://" + database, want: "GO-2026-0001", fails: true},
		{name: "not called", body: `println(strings.ToLower("x"))`, database: "file://" + database, want: "No vulnerabilities found"},
		{name: "no way", body: `println(strings.ToUpper("x"))`, database: "http://127.0.0.1:1", want: "skipped, its database cannot be reached from here\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module planted\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"strings\"\n\nfunc main() { "+test.body+" }\n")
			check := exec.Command("make", "--no-print-directory", "vuln", "VULNED=.", "VULNFLAGS=-C "+dir+" -db "+test.database)
			out, err := check.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.want) {
				t.Errorf("it ended with %v and said\n%s", err, out)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
