package aqueduck

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed says for each package which others of ours it may import. Data takes one way; so do imports: a package imports only what stands
// below it here.
var allowed = map[string][]string{
	"tools/torture":               {"internal/lane"},
	"tools/nightly":               {},
	"tools/release":               {},
	"tools/playground":            {},
	"tools/mutants":               {},
	"tools/measure":               {"tools/structure"},
	"tools/structure":             {},
	"tools/words":                 {},
	"tools/diskfault":             {},
	"tools/gendocs":               {"schemas"},
	"tools/bench":                 {"internal/config", "internal/emulator", "internal/emulator/state/conversations", "internal/runner", "internal/sync", "load", "load/facts", "load/layout", "schemas", "transform"},
	"load/committest":             {"load", "schemas", "transform"},
	"internal/readtest":           {"internal/config", "internal/emulator", "internal/problem", "internal/runner", "internal/sync", "load/layout"},
	"internal/pipeline":           {},
	"internal/oracletest":         {"internal/emulator", "load/read"},
	"internal/lane":               {},
	"internal/goldentest":         {},
	"internal/formtest":           {"internal/grammar"},
	"docs":                        {},
	"cmd/aqueduck":                {"internal/cli", "internal/sandbox"},
	"internal/cli":                {"docs/queries", "extract", "extract/api", "internal/admin", "internal/cli/apart", "internal/cli/emulate", "internal/cli/querying", "internal/cli/render", "internal/cli/sbom", "internal/cli/serving", "internal/cli/starter", "internal/cli/usage", "internal/cli/working", "internal/config", "internal/console", "internal/dictionary", "internal/fleet", "internal/grammar", "internal/mirror", "internal/plan", "internal/preview", "internal/problem", "internal/remote", "internal/runlog", "internal/runner", "internal/sandbox", "internal/schedule", "internal/serve", "internal/sync", "internal/verify", "internal/worker", "load/facts", "load/failure", "load/layout", "load/read", "schemas"},
	"internal/chart":              {},
	"internal/answer":             {"internal/chart"},
	"internal/metrics":            {"internal/fleet", "internal/problem", "internal/runlog"},
	"internal/serve":              {"internal/config", "internal/runlog", "internal/runner"},
	"internal/console/web":        {"load/layout"},
	"internal/console":            {"docs/queries", "internal/answer", "internal/chart", "internal/config", "internal/console/web", "internal/dictionary", "internal/fleet", "internal/metrics", "internal/problem", "internal/runlog", "internal/term", "load/failure", "load/layout", "load/read", "schemas"},
	"internal/fleet":              {"internal/config", "internal/problem", "internal/remote", "internal/runlog", "load/layout", "schemas"},
	"internal/cli/render":         {"internal/admin", "internal/config", "internal/dictionary", "internal/fleet", "internal/grammar", "internal/plan", "internal/preview", "internal/problem", "internal/runlog", "internal/term", "internal/verify", "load/access", "transform"},
	"internal/verify":             {"extract", "extract/api", "internal/config", "internal/plan", "internal/problem", "internal/runlog", "internal/runner", "internal/sync", "internal/sync/stream", "internal/sync/warehouse", "internal/term", "load", "load/compare", "load/facts", "load/failure", "load/lakecheck", "load/layout", "load/mask", "schemas", "transform"},
	"extract/discover":            {"extract/api", "extract/internal/envelope", "extract/internal/scan", "schemas"},
	"load/lakecheck":              {"load/internal/disk", "load/internal/duck", "load/layout", "load/publish", "load/read"},
	"load/differ":                 {"load/internal/duck", "load/read"},
	"load/compare":                {"load/internal/clause", "load/internal/duck", "load/internal/stage", "load/layout", "load/read", "load/tombstone", "transform"},
	"internal/preview":            {"extract", "extract/api", "extract/discover", "extract/export", "internal/config", "internal/grammar", "internal/plan", "internal/problem", "internal/runlog", "internal/runner", "internal/sync", "internal/sync/stream", "internal/term", "load/layout", "schemas", "transform"},
	"internal/plan":               {"extract", "extract/api", "extract/export", "internal/config", "internal/dictionary", "internal/problem", "internal/runlog", "internal/runner", "internal/sync", "internal/sync/export", "internal/sync/stream", "internal/sync/warehouse", "internal/term", "load/facts", "load/failure", "load/layout", "schemas", "transform"},
	"internal/cli/emulate":        {"extract/api", "internal/cli/usage", "internal/emulator", "internal/emulator/api/fault", "internal/emulator/apiversion", "internal/emulator/control", "internal/emulator/webhook", "internal/problem", "internal/runlog", "internal/runner", "load/layout"},
	"internal/cli/apart":          {"extract/api", "internal/config", "internal/runlog", "internal/runner", "internal/sandbox", "internal/sync", "internal/worker"},
	"internal/cli/working":        {"internal/cli/usage", "internal/config", "internal/problem", "internal/runner", "internal/worker"},
	"internal/worker":             {"internal/config", "internal/problem", "internal/runlog", "internal/schedule"},
	"internal/cli/serving":        {"internal/config", "internal/console", "internal/fleet", "internal/problem", "internal/runlog", "internal/runner", "internal/schedule", "internal/serve", "internal/sync", "load/read", "schemas"},
	"internal/cli/usage":          {"internal/grammar", "load/read"},
	"internal/cli/sbom":           {"load/facts"},
	"internal/cli/starter":        {"internal/cli/emulate", "internal/problem"},
	"internal/cli/querying":       {"docs/queries", "internal/cli/render", "internal/cli/usage", "internal/config", "internal/dictionary", "internal/grammar", "internal/problem", "internal/runlog", "internal/sandbox", "load/failure", "load/layout", "load/read", "schemas"},
	"internal/admin":              {"extract", "internal/grammar", "internal/problem", "internal/remote", "internal/runlog", "internal/runner", "internal/sync", "internal/sync/stream", "internal/sync/warehouse", "internal/term", "load/erase", "load/failure", "load/layout", "schemas"},
	"internal/mirror":             {"internal/crash", "internal/problem", "internal/remote", "internal/runner", "load/differ", "load/layout"},
	"internal/remote":             {"internal/crash", "internal/problem", "load/layout"},
	"internal/sync":               {"internal/personal", "internal/remote", "extract", "extract/api", "internal/alert", "internal/config", "internal/dictionary", "internal/problem", "internal/runlog", "internal/runner", "internal/sandbox", "internal/sync/export", "internal/sync/stream", "internal/sync/warehouse", "internal/term", "load", "load/erase", "load/facts", "load/failure", "load/layout", "load/mask", "load/publish", "load/read", "load/tombstone", "schemas", "transform", "transform/maskrule"},
	"internal/sync/export":        {"extract", "extract/api", "extract/export", "internal/config", "internal/crash", "internal/dictionary", "internal/problem", "internal/sync/stream", "internal/sync/warehouse", "internal/term", "load", "schemas", "transform"},
	"internal/sync/stream":        {"extract", "extract/api", "internal/config", "internal/problem", "internal/runlog", "internal/runner", "internal/sync/warehouse", "internal/term", "load", "load/facts", "load/read", "schemas", "transform"},
	"internal/sync/warehouse":     {"extract", "internal/dictionary", "load", "load/facts", "load/failure", "load/layout", "load/publish", "schemas", "transform"},
	"internal/runner":             {"extract/api", "internal/alert", "internal/config", "internal/dictionary", "internal/grammar", "internal/problem", "internal/runlog", "internal/sandbox", "load", "load/access", "load/failure", "load/layout", "load/publish", "schemas", "transform", "transform/compat"},
	"internal/runlog":             {"internal/config", "internal/problem", "internal/remote", "internal/term", "load", "load/failure", "load/layout", "load/read", "schemas", "transform"},
	"internal/dictionary":         {"extract", "extract/export", "internal/config", "internal/grammar", "internal/problem", "internal/sandbox", "load/publish", "schemas", "transform", "transform/maskrule", "transform/models"},
	"internal/term":               {},
	"internal/config":             {"docs/queries", "extract/api", "internal/alert", "internal/grammar", "internal/problem", "internal/schedule", "schemas", "transform", "transform/compat", "transform/maskrule", "transform/models"},
	"transform/models":            {"schemas"},
	"transform/compat":            {"schemas"},
	"internal/schedule":           {},
	"internal/alert":              {},
	"internal/problem":            {"extract", "extract/api", "extract/export", "internal/grammar", "load/failure", "load/layout", "load/tombstone"},
	"load/publish":                {"internal/crash", "internal/sandbox", "load", "load/access", "load/facts", "load/failure", "load/internal/catalog", "load/internal/clause", "load/internal/disk", "load/internal/duck", "load/internal/rowgroups", "load/internal/system", "load/internal/wear", "load/internal/workdb", "load/layout", "load/publish/keycheck", "load/publish/keyed", "load/read", "transform", "transform/attribute", "transform/models"},
	"load/publish/keycheck":       {"load/internal/clause", "load/internal/duck", "transform"},
	"load/publish/keyed":          {"load/internal/clause", "load/internal/duck"},
	"load":                        {"internal/crash", "internal/sandbox", "load/erase", "load/access", "load/facts", "load/failure", "load/internal/clause", "load/internal/disk", "load/internal/duck", "load/internal/stage", "load/internal/system", "load/internal/workdb", "load/layout", "load/mask", "load/read", "load/tombstone", "schemas", "transform"},
	"load/mask":                   {"load/internal/clause", "load/internal/duck", "load/internal/stage", "load/internal/workdb", "load/layout", "load/read", "schemas", "transform", "transform/maskrule"},
	"load/facts":                  {"load/failure", "load/internal/clause", "load/internal/duck", "load/internal/workdb", "load/read", "schemas", "transform"},
	"load/read":                   {"internal/sandbox", "load/failure", "load/internal/clause", "load/internal/duck"},
	"load/erase":                  {"internal/crash", "load/internal/clause", "load/internal/duck", "load/internal/stage", "load/internal/workdb", "load/layout", "load/tombstone", "schemas", "transform"},
	"load/tombstone":              {"load/internal/disk", "load/layout"},
	"load/internal/workdb":        {"internal/crash", "load/failure", "load/internal/disk", "load/internal/duck", "load/internal/system", "load/layout", "transform"},
	"load/layout":                 {"internal/crash", "load/access", "load/internal/disk"},
	"load/access":                 {"load/internal/disk"},
	"load/internal/catalog":       {"load/internal/duck"},
	"load/internal/wear":          {"load/internal/duck"},
	"load/internal/system":        {"load/failure", "load/internal/duck"},
	"load/failure":                {"load/internal/disk"},
	"load/internal/disk":          {},
	"load/internal/stage":         {"load/internal/duck", "transform"},
	"load/internal/clause":        {"load/internal/duck", "transform"},
	"transform":                   {"schemas", "transform/internal/jsontext", "transform/internal/scalar", "transform/maskrule"},
	"transform/maskrule":          {"schemas"},
	"transform/attribute":         {"transform", "transform/internal/scalar"},
	"transform/internal/scalar":   {},
	"transform/internal/jsontext": {},
	"load/internal/duck":          {"load/failure"},
	"internal/sandbox":            {},
	"internal/crash":              {},
	"extract/export":              {"extract", "extract/api", "schemas"},
	"extract":                     {"extract/api", "extract/internal/envelope", "extract/internal/scan", "extract/internal/windows", "schemas"},
	"extract/internal/windows":    {"extract/internal/envelope"},
	"extract/internal/envelope":   {"extract/api", "extract/internal/scan"},
	"extract/internal/scan":       {},
	"extract/internal/apitest":    {},
	"extract/api":                 {"internal/personal", "schemas"},
	"schemas":                     {"internal/grammar"},
	"internal/grammar":            {},
	"internal/personal":           {},
	"docs/queries":                {},
}

// homes says where a library that shapes the house may be imported. The program starts no other: whoever has its environment has
// the token. The commands of after: are started without it, and so are processes of this program itself.
var homes = map[string][]string{
	"os/exec":                       {"internal/mirror", "internal/sandbox", "internal/sync", "tools/bench", "tools/mutants", "tools/nightly", "tools/playground", "tools/release", "tools/structure", "tools/torture"},
	"crypto/tls":                    {"extract/api"},
	"net/http/pprof":                {},
	"plugin":                        {},
	"github.com/duckdb/duckdb-go":   {"load/differ", "load/internal/duck", "load/internal/stage", "load/publish", "load/read", "tools/bench"},
	"github.com/apache/arrow-go":    {"internal/mirror", "load/committest", "load/differ", "load/erase", "load/internal/duck", "load/internal/stage", "load/read", "transform"},
	"github.com/parquet-go":         {"load/internal/rowgroups", "load/publish"},
	"github.com/robfig/cron":        {"internal/schedule"},
	"github.com/go-faster/jx":       {"extract", "extract/api", "extract/discover", "extract/export", "extract/internal/envelope", "extract/internal/scan", "transform", "transform/internal/jsontext"},
	"github.com/spf13/cobra":        {"internal/cli", "internal/cli/emulate", "internal/cli/usage", "internal/cli/working"},
	"go.yaml.in/yaml":               {"internal/formtest", "internal/grammar", "tools/words"},
	"github.com/santhosh-tekuri":    {"internal/formtest"},
	"github.com/jedib0t/go-pretty":  {"internal/cli/render"},
	"github.com/prometheus":         {"internal/console", "internal/metrics"},
	"golang.org/x/image":            {"internal/chart"},
	"golang.org/x/net/html":         {"internal/emulator/input", "transform"},
	"github.com/klauspost/compress": {"extract/api", "extract/export", "internal/oracletest", "tools/bench"},
	"github.com/google/renameio/v2": {"internal/alert", "internal/cli", "internal/cli/emulate", "internal/cli/starter", "internal/runlog", "internal/sync/stream", "internal/verify", "load/access"},
	"golang.org/x/time/rate":        {"extract/api"},
	"github.com/gofrs/flock":        {"internal/cli/emulate", "load/layout"},
	"github.com/cespare/xxhash":     {"transform"},
	"github.com/lmittmann/tint":     {"internal/cli/render"},
	"github.com/oklog/ulid":         {"internal/alert", "internal/mirror", "internal/runlog", "internal/runner", "load/layout"},
	"github.com/apache/iceberg-go":  {"internal/mirror"},
	"go.temporal.io":                {"internal/worker", "tools/temporal"},
	"modernc.org/sqlite":            {"internal/mirror"},
	"github.com/jackc/pgx":          {"internal/mirror"},
	"golang.org/x/sync/errgroup":    {"extract", "internal/sync"},
	"golang.org/x/sys/unix":         {"internal/cli/render", "load/internal/disk", "tools/diskfault"},
}

// Holds: S7, S36.
func TestImportsFollowTheHouse(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if file.Name.Name == "main" && dir != "cmd/aqueduck" && !strings.HasPrefix(dir, "tools/") {
			t.Errorf("%s is a program: those for developers belong below tools", path)
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if ours, ok := strings.CutPrefix(name, "aqueduck/"); ok && !slices.Contains(slices.Concat(allowed[dir], emulatorAllowed[dir]), ours) {
				t.Errorf("%s imports %s, which %s may not", path, ours, dir)
			}
			for library, dirs := range homes {
				if strings.HasPrefix(name, library) && !slices.Contains(dirs, dir) {
					t.Errorf("%s imports %s, which lives in %v", path, name, dirs)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMakeQuickLinksNoDatabase: DuckDB takes most of the time that a test of a small package is linked in. Tests count, too.
// A package whose tests link none is one of make quick.
func TestMakeQuickLinksNoDatabase(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("make", "--no-print-directory", "-n", "quick").Output()
	if err != nil {
		t.Fatal(err)
	}
	quick := slices.DeleteFunc(strings.Fields(string(out)), func(word string) bool { return word != "." && !strings.HasPrefix(word, "./") })
	tests := testsWithTheirDatabase(t, quick)
	if _, ok := tests["aqueduck/internal/config"]; !ok {
		t.Fatalf("make quick has no tests of internal/config: %s", out)
	}
	for name, database := range tests {
		if database != "" {
			t.Errorf("the tests of %s link %s: go list -deps -test -f '{{.ImportPath}} {{.Imports}}' says by whom", name, database)
		}
	}
	for name, database := range testsWithTheirDatabase(t, []string{"./..."}) {
		if _, ok := tests[name]; !ok && database == "" {
			t.Errorf("the tests of %s link no DuckDB: add it to QUICK of the Makefile", name)
		}
	}
}

// testsWithTheirDatabase are the packages that have tests, each with the module of DuckDB that these link.
func testsWithTheirDatabase(t *testing.T, patterns []string) map[string]string {
	t.Helper()
	args := append([]string{"list", "-tags=duckdb_arrow", "-test", "-f", "{{.ImportPath}} {{.Deps}}"}, patterns...)
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	databases := map[string]string{}
	for line := range strings.Lines(string(out)) {
		name, deps, _ := strings.Cut(line, " ")
		if name, ok := strings.CutSuffix(name, ".test"); ok {
			databases[name] = ""
			if at := strings.Index(deps, "github.com/duckdb/"); at >= 0 {
				databases[name], _, _ = strings.Cut(deps[at:], " ")
			}
		}
	}
	return databases
}
