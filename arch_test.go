package aqueduck

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowed says, for each directory, which packages of ours its own may import. Data takes one way; so do imports.
var allowed = map[string][]string{
	"cmd/aqueduck":        {"internal/console", "internal/sandbox", "internal/pipeline", "internal/emulator", "internal/emulator/api/fault", "internal/emulator/control", "internal/emulator/webhook", "internal/schedule", "internal/grammar", "extract", "load", "schemas", "docs/queries"},
	"internal/pipeline":   {"internal/sandbox", "extract", "extract/export", "transform", "load", "load/publish", "internal/schedule", "internal/grammar", "internal/crash", "internal/alert", "schemas", "transform/models"},
	"internal/alert":      {},
	"internal/console":    {"internal/pipeline", "load", "schemas", "docs/queries"},
	"docs/queries":        {},
	"internal/grammar":    {},
	"internal/formtest":   {"internal/grammar"},
	"internal/schedule":   {},
	"internal/sandbox":    {},
	"internal/crash":      {},
	"internal/lane":       {},
	"extract":             {"schemas"},
	"extract/export":      {"extract", "schemas"},
	"transform":           {"schemas", "transform/internal/scalar", "transform/internal/jsontext"},
	"transform/models":    {"schemas"},
	"schemas":             {"internal/grammar"},
	"load":                {"transform", "schemas", "internal/crash", "internal/sandbox", "load/internal/duck", "load/internal/disk"},
	"load/publish":        {"load", "internal/sandbox", "transform", "schemas", "internal/crash", "load/internal/duck", "load/internal/disk"},
	"schemas/gendocs":     {"schemas"},
	"load/internal/duck":  {},
	"load/internal/disk":  {},
	"load/committest":     {"load", "transform", "schemas"},
	"internal/oracletest": {"internal/emulator", "load"},
	"internal/readtest":   {"internal/emulator", "internal/pipeline", "load"},
	"tools/bench":         {"extract", "transform", "load", "load/publish", "internal/emulator", "internal/emulator/state/conversations", "internal/pipeline", "schemas"},
	"tools/diskfault":     {},
	"tools/mutants":       {},
	"tools/release":       {},
	"tools/torture":       {"internal/lane"},
}

// homes says where a library that shapes the house may be imported. The program starts no other: whoever has its environment has
// the token. The commands of after: are started without it, and so are processes of this program itself.
var homes = map[string][]string{
	"os/exec":                       {"tools/bench", "tools/mutants", "tools/torture", "tools/release", "internal/pipeline", "internal/sandbox"},
	"crypto/tls":                    {"extract"},
	"net/http/pprof":                {},
	"plugin":                        {},
	"github.com/duckdb/duckdb-go":   {"load", "load/publish", "load/internal/duck", "tools/bench"},
	"github.com/apache/arrow-go":    {"transform", "load", "load/publish", "load/committest", "tools/bench"},
	"github.com/parquet-go":         {"load/publish"},
	"github.com/robfig/cron":        {"internal/schedule"},
	"github.com/go-faster/jx":       {"extract", "extract/export", "transform"},
	"github.com/spf13/cobra":        {"cmd/aqueduck"},
	"go.yaml.in/yaml":               {"internal/grammar", "internal/formtest"},
	"github.com/santhosh-tekuri":    {"internal/formtest"},
	"github.com/jedib0t/go-pretty":  {"internal/pipeline", "cmd/aqueduck"},
	"github.com/prometheus":         {"internal/console"},
	"golang.org/x/net/html":         {"transform", "internal/emulator/input"},
	"github.com/klauspost/compress": {"extract", "extract/export"},
	"github.com/google/renameio/v2": {"load/publish", "internal/pipeline", "internal/alert", "cmd/aqueduck"},
	"golang.org/x/time/rate":        {"extract"},
	"github.com/gofrs/flock":        {"cmd/aqueduck", "load/layout"},
	"github.com/cespare/xxhash":     {"transform"},
	"github.com/lmittmann/tint":     {"cmd/aqueduck"},
	"github.com/oklog/ulid":         {"internal/pipeline", "internal/alert"},
	"golang.org/x/sync/errgroup":    {"internal/pipeline", "extract"},
	"golang.org/x/sys/unix":         {"load/internal/disk", "tools/diskfault", "cmd/aqueduck"},
}

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
