//go:build !mirror

package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"aqueduck/internal/problem"
)

// TestAProgramWithoutTheMirrorSaysSo: it makes no request and no directory. The file itself is right.
func TestAProgramWithoutTheMirrorSaysSo(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("it requested %s", r.URL) }))
	defer server.Close()
	home := inDirectory(t, `version: 1
workspaces: {main: {base_url: "`+server.URL+`", token: "${TOKEN}"}}
warehouse: {dir: data, mirror: {location: "s3://bucket/tables"}}
pipelines: {nightly: {schedule: "0 2 * * *", streams: [contacts]}}
`)
	elsewhere := inDirectory(t, `version: 1
workspaces: {main: {base_url: "`+server.URL+`", token: "${TOKEN}"}}
warehouse: {dir: data, mirror: {location: "gs://bucket/tables"}}
pipelines: {nightly: {streams: [contacts]}}
`)
	a, _, stderr := inProcess("sync", "-f", filepath.Join(elsewhere, "pipelines.yaml"))
	a.Lookup = func(name string) (string, bool) { return "word", name == "TOKEN" }
	if code := runCommand(t.Context(), a); code != problem.ExitConfig || !strings.Contains(stderr.String(), "other than S3: gs://bucket/tables") || !strings.Contains(stderr.String(), "make build-stores") {
		t.Errorf("another store: sync ended with %d: %s", code, stderr)
	}
	for line, want := range map[string]int{
		"check": 0, "schedule": 0, "mirror": problem.ExitConfig, "sync": problem.ExitConfig, "serve": problem.ExitConfig, "erase someone@example.com": problem.ExitConfig,
	} {
		a, _, stderr := inProcess(append(strings.Fields(line), "-f", filepath.Join(home, "pipelines.yaml"))...)
		a.Lookup = func(name string) (string, bool) { return "word", name == "TOKEN" }
		code := runCommand(t.Context(), a)
		said := strings.Contains(stderr.String(), "this program was built without the Iceberg mirror") && strings.Contains(stderr.String(), "make build-mirror")
		if code != want || said != (line != "schedule") {
			t.Errorf("%s ended with %d: %s", line, code, stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(home, "data")); err == nil {
		t.Error("it made the warehouse")
	}
}

// TestAMirrorThatIsNotConfiguredIsNoFaultOfTheProgram: the next step names the key that is missing, not one to remove.
func TestAMirrorThatIsNotConfiguredIsNoFaultOfTheProgram(t *testing.T) {
	t.Parallel()
	home := inDirectory(t, "version: 1\nworkspaces: {main: {base_url: emulator}}\npipelines: {nightly: {streams: [contacts]}}\n")
	a, _, stderr := inProcess("mirror", "-f", filepath.Join(home, "pipelines.yaml"))
	if code := runCommand(t.Context(), a); code != problem.ExitConfig || !strings.Contains(stderr.String(), "error[config] warehouse.mirror is not set\n     next: set warehouse.mirror.location") {
		t.Errorf("mirror ended with %d: %s", code, stderr)
	}
}
