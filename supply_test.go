package aqueduck

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
// Holds: S18.
func TestS42AKnownVulnerabilityFailsTheCheck(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts the Go tool three times: make test runs it")
	}
	database := t.TempDir()
	for name, text := range planted {
		writeTextFile(t, filepath.Join(database, name), text)
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
			writeTextFile(t, filepath.Join(dir, "go.mod"), "module planted\n\ngo 1.26\n")
			writeTextFile(t, filepath.Join(dir, "main.go"), "package main\n\nimport \"strings\"\n\nfunc main() { "+test.body+" }\n")
			check := exec.Command("make", "--no-print-directory", "vuln", "VULNED=.", "VULNFLAGS=-C "+dir+" -db "+test.database)
			out, err := check.CombinedOutput()
			if (err != nil) != test.fails || !strings.Contains(string(out), test.want) {
				t.Errorf("it ended with %v and said\n%s", err, out)
			}
		})
	}
}

// TestS41EveryDirectDependencyIsKnown holds go.mod to a list: whoever adds a module says here what it is for.
func TestS41EveryDirectDependencyIsKnown(t *testing.T) {
	t.Parallel()
	known := map[string]string{
		"github.com/apache/arrow-go/v18": "batches", "github.com/cespare/xxhash/v2": "hashes of rows", "github.com/chromedp/chromedp": "browser tests", "github.com/chromedp/cdproto": "browser tests", "github.com/duckdb/duckdb-go/v2": "the database",
		"github.com/go-faster/jx": "JSON", "github.com/gofrs/flock": "the lock", "github.com/google/go-cmp": "tests", "github.com/google/renameio/v2": "whole files",
		"github.com/jedib0t/go-pretty/v6": "tables", "github.com/klauspost/compress": "gzip", "github.com/lmittmann/tint": "logs on terminals",
		"github.com/apache/iceberg-go": "tables of the mirror", "github.com/google/uuid": "names of their files", "modernc.org/sqlite": "their embedded catalog", "github.com/jackc/pgx/v5": "their catalog in Postgres",
		"github.com/johannesboyne/gofakes3": "tests", "github.com/minio/minio-go/v7": "object stores", "github.com/oklog/ulid/v2": "ids of runs", "github.com/parquet-go/parquet-go": "the audit of the lake", "github.com/prometheus/client_golang": "metrics", "github.com/robfig/cron/v3": "schedules",
		"github.com/rogpeppe/go-internal": "tests", "github.com/spf13/cobra": "commands", "github.com/spf13/pflag": "flags, of cobra's", "github.com/yuin/goldmark": "counting what pages say", "go.uber.org/goleak": "tests",
		"go.temporal.io/api": "the worker", "go.temporal.io/sdk": "the worker", "go.temporal.io/sdk/contrib/envconfig": "its settings", "go.yaml.in/yaml/v4": "YAML", "golang.org/x/image": "letters of charts", "golang.org/x/net": "HTML to text", "golang.org/x/sync": "streams side by side", "golang.org/x/sys": "free space, terminals, copies that share",
		"cloud.google.com/go/storage": "other stores of the mirror", "github.com/Azure/azure-sdk-for-go/sdk/azcore": "other stores of the mirror", "github.com/Azure/azure-sdk-for-go/sdk/azidentity": "other stores of the mirror", "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob": "other stores of the mirror",
		"gocloud.dev": "other stores of the mirror", "golang.org/x/oauth2": "other stores of the mirror", "google.golang.org/api": "other stores of the mirror", "golang.org/x/time": "the pace of requests", "pgregory.net/rapid": "tests", "github.com/santhosh-tekuri/jsonschema/v6": "tests",
	}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if strings.HasPrefix(line, "replace") || strings.HasPrefix(line, "exclude") {
			t.Errorf("go.mod has %q: what is built is what go.sum has the sums of", line)
		}
		if !strings.HasPrefix(line, "\t") || len(f) != 2 {
			continue // not a module, or one that others need
		}
		if known[f[0]] == "" {
			t.Errorf("go.mod requires %s, which this list does not know", f[0])
		}
		delete(known, f[0])
	}
	for name := range known {
		t.Errorf("go.mod does not require %s any more", name)
	}
}

// TestS41AChangedModuleFailsTheCheck runs `make sums` on a module that is as it was downloaded, then with a line more in it.
func TestS41AChangedModuleFailsTheCheck(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it starts the Go tool three times: make test runs it")
	}
	dir := t.TempDir()
	proxy, cache, home := filepath.Join(dir, "proxy"), filepath.Join(dir, "cache"), filepath.Join(dir, "home")
	versions := filepath.Join(proxy, "example.org", "part", "@v")
	const mod, code = "module example.org/part\n\ngo 1.26\n", "package part\n"
	writeTextFile(t, filepath.Join(versions, "v1.0.0.info"), `{"Version": "v1.0.0"}`)
	writeTextFile(t, filepath.Join(versions, "v1.0.0.mod"), mod)
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for name, text := range map[string]string{"go.mod": mod, "part.go": code} {
		if w, err := archive.Create("example.org/part@v1.0.0/" + name); err != nil {
			t.Fatal(err)
		} else if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	writeTextFile(t, filepath.Join(versions, "v1.0.0.zip"), packed.String())
	writeTextFile(t, filepath.Join(home, "go.mod"), "module planted\n\ngo 1.26\n\nrequire example.org/part v1.0.0\n")
	writeTextFile(t, filepath.Join(home, "main.go"), "package main\n\nimport _ \"example.org/part\"\n\nfunc main() {}\n")
	run := func(name string, args ...string) (string, error) {
		c := exec.Command(name, args...)
		c.Env = append(os.Environ(), "GOMODCACHE="+cache, "GOPROXY=file://"+proxy, "GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOWORK=off")
		said, err := c.CombinedOutput()
		return string(said), err
	}
	if said, err := run("go", "-C", home, "mod", "tidy"); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	if said, err := run("make", "--no-print-directory", "sums", "SUMMED="+home); err != nil || !strings.Contains(said, "all modules verified") {
		t.Errorf("as it was downloaded: %v\n%s", err, said)
	}
	writeTextFile(t, filepath.Join(cache, "example.org", "part@v1.0.0", "part.go"), code+"func init() {}\n")
	if said, err := run("make", "--no-print-directory", "sums", "SUMMED="+home); err == nil || !strings.Contains(said, "part v1.0.0: dir has been modified") {
		t.Errorf("changed: %v\n%s", err, said)
	}
}

// TestS45NoSecretIsInTheRepository looks for what credentials look like, and for the one word that would let a server go unverified.
// Holds: S8.
func TestS45NoSecretIsInTheRepository(t *testing.T) {
	t.Parallel()
	secrets := regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}|\bxox[abprs]-[A-Za-z0-9-]{10,}|` +
		`\b[sr]k_live_[A-Za-z0-9]{16,}|\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}|\bdG9rO[A-Za-z0-9+/]{35,}`)
	unverified := "Insecure" + "SkipVerify"
	looked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (path == ".git" || path == "bin" || path == "data" || path == "demo") {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil || !d.Type().IsRegular() || info.Size() > 1<<20 {
			return err
		}
		text, err := os.ReadFile(path)
		if found := secrets.Find(text); found != nil {
			t.Errorf("%s holds what looks like a secret: %.12s…", path, found)
		}
		if strings.HasSuffix(path, ".go") && bytes.Contains(text, []byte(unverified)) {
			t.Errorf("%s has %s", path, unverified)
		}
		looked++
		return err
	})
	if err != nil || looked < 500 {
		t.Errorf("%d files were looked at: %v", looked, err)
	}
	for _, planted := range []string{"-----BEGIN RSA " + "PRIVATE KEY", "AKIA" + "ABCDEFGHIJKLMNOP", "dG9rO" + strings.Repeat("a1B", 12)} {
		if !secrets.MatchString(planted) {
			t.Errorf("%s is not found: the test finds nothing", planted)
		}
	}
}

func writeTextFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
