package cli

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/lane"
	"aqueduck/internal/mirror"
	"aqueduck/internal/worker"
)

func TestGoBuildWithoutTheTagSaysWhatToDo(t *testing.T) {
	lane.SkipHeavy(t)
	t.Parallel()
	build := exec.Command("go", "build", "-tags=", "-o", os.DevNull, "../../cmd/aqueduck")
	build.Env = append(os.Environ(), "GOFLAGS=")
	out, err := build.CombinedOutput()
	if want := "run `make build`, or first `export GOFLAGS=-tags=duckdb_arrow`"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("it ended with %v and said\n%s", err, out)
	}
	if lines := strings.Count(string(out), "\n"); lines > 2 {
		t.Errorf("it said more than that:\n%s", out)
	}
}

// TestVersionSaysWhatIsBuiltIn: the mirror and the worker are in some programs only.
func TestVersionSaysWhatIsBuiltIn(t *testing.T) {
	t.Parallel()
	words := map[bool]string{true: "with", false: "without"}
	want := fmt.Sprintf("%s mirror%s, %s worker\n", words[mirror.Missing("") == nil], map[bool]string{true: " on other stores"}[mirror.HasOtherStores()], words[worker.IsBuilt()])
	a, stdout, _ := inProcess("version")
	if code := runCommand(t.Context(), a); code != 0 || !strings.HasSuffix(stdout.String(), want) {
		t.Errorf("it ended with %d and said %s", code, stdout)
	}
	a, stdout, _ = inProcess("version", "-o", "json")
	var v versionInfo
	if code := runCommand(t.Context(), a); code != 0 || json.Unmarshal(stdout.Bytes(), &v) != nil || v.Mirror != (mirror.Missing("") == nil) || v.OtherStores != mirror.HasOtherStores() || v.Worker != worker.IsBuilt() {
		t.Errorf("it ended with %d and said %s", code, stdout)
	}
}

// TestS43VersionListsTheComponents compares the list of modules with what the Go tool reads in the same file, and the named
// DuckDB with the one that answers.
// Holds: S44.
func TestS43VersionListsTheComponents(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it looks at the program as it is built, without the race detector: make test runs it")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(path, "version", "-o", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var v versionInfo
	if err := json.Unmarshal(said, &v); err != nil {
		t.Fatal(err)
	}
	told, err := exec.Command("go", "version", "-m", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(told)) {
		if f := strings.Fields(line); len(f) == 4 && f[0] == "dep" {
			sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(f[3], "h1:"))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, f[1]+" "+f[2]+" "+hex.EncodeToString(sum))
		}
	}
	own := map[string]string{}
	for _, c := range v.SBOM.Components {
		if c.Name == "std" || c.Name == "duckdb" {
			own[c.Name] = c.Version
			continue
		}
		if len(c.Hashes) != 1 || !strings.HasPrefix(c.PURL, "pkg:golang/"+strings.ToLower(c.Name)+"@v") {
			t.Errorf("%+v", c)
			continue
		}
		got = append(got, c.Name+" "+c.Version+" "+c.Hashes[0].Content)
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(got) < 20 {
		t.Errorf("the program says\n%s\nand the Go tool\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(string(told), v.Go+"\n") || own["std"] != v.Go || own["duckdb"] != v.DuckDB.Version || v.SBOM.Format != "CycloneDX" {
		t.Errorf("Go %s, its own library %s, DuckDB %+v as %s", v.Go, own["std"], v.DuckDB, own["duckdb"])
	}
	module := strings.Fields(v.DuckDB.Module)
	if len(module) != 2 || len(v.DuckDB.Source) < 7 || !strings.Contains(string(told), "\t"+module[0]+"\t"+module[1]+"\t"+v.DuckDB.Sum+"\n") {
		t.Errorf("DuckDB is %+v, of no module that the Go tool tells of", v.DuckDB)
	}
}

// TestS44TwoBuildsAreTheSameFile builds the program here and in a copy at another path, as a release is built.
func TestS44TwoBuildsAreTheSameFile(t *testing.T) {
	t.Parallel()
	if os.Getenv("AQUEDUCK_LONG") == "" {
		t.Skip("everything is compiled and linked twice: make twice runs it")
	}
	copied := t.TempDir()
	if out, err := exec.Command("sh", "-c", `git -C ../.. ls-files -coz --exclude-standard | (cd ../.. && xargs -0 tar cf -) | tar xf - -C "$1"`, "sh", copied).CombinedOutput(); err != nil {
		t.Fatalf("copy the source: %v\n%s", err, out)
	}
	var sums []string
	for _, dir := range []string{"../..", copied} {
		path := filepath.Join(t.TempDir(), "aqueduck")
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, "./cmd/aqueduck")
		build.Dir = dir
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("build in %s: %v\n%s", dir, err, out)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(text)))
	}
	if sums[0] != sums[1] {
		t.Errorf("built here it is %s, built elsewhere %s", sums[0], sums[1])
	}
}
