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
	"cmd/aqueduck":         {"internal/console", "internal/sandbox", "internal/pipeline", "internal/emulator", "internal/emulator/api/fault", "internal/emulator/control", "internal/emulator/webhook", "internal/schedule", "internal/grammar", "extract", "schemas", "docs/queries", "load/layout", "load/read", "load/facts"},
	"internal/pipeline":    {"internal/sandbox", "extract", "extract/export", "transform", "load", "load/publish", "internal/schedule", "internal/grammar", "internal/crash", "internal/alert", "schemas", "transform/models", "load/compare", "load/layout", "load/read", "load/tombstone", "load/erase", "load/facts", "load/mask"},
	"internal/alert":       {},
	"internal/console":     {"internal/pipeline", "schemas", "docs/queries", "load/layout", "load/read"},
	"docs/queries":         {},
	"internal/grammar":     {},
	"internal/formtest":    {"internal/grammar"},
	"internal/schedule":    {},
	"internal/sandbox":     {},
	"internal/crash":       {},
	"internal/diskfault":   {},
	"internal/mutants":     {},
	"internal/lane":        {},
	"internal/release":     {},
	"internal/torture":     {"internal/lane"},
	"extract":              {"schemas"},
	"extract/export":       {"extract", "schemas"},
	"transform":            {"schemas"},
	"transform/models":     {"schemas"},
	"schemas":              {"internal/grammar"},
	"load":                 {"internal/crash", "load/erase", "load/facts", "load/internal/clause", "load/internal/disk", "load/internal/duck", "load/internal/stage", "load/internal/system", "load/internal/workdb", "load/layout", "load/mask", "load/read", "load/tombstone", "schemas", "transform"},
	"load/publish":         {"internal/crash", "internal/sandbox", "load", "load/facts", "load/internal/clause", "load/internal/disk", "load/internal/duck", "load/internal/system", "load/internal/workdb", "load/layout", "load/read", "transform"},
	"schemas/gendocs":      {"schemas"},
	"load/internal/duck":   {},
	"load/internal/disk":   {},
	"load/committest":      {"load", "schemas", "transform"},
	"load/layout":          {"internal/crash", "load/internal/disk"},
	"load/tombstone":       {"load/internal/disk", "load/layout"},
	"load/compare":         {"load/internal/clause", "load/internal/duck", "load/internal/stage", "load/layout", "load/read", "load/tombstone", "transform"},
	"load/read":            {"internal/sandbox", "load/internal/duck"},
	"load/internal/clause": {"load/internal/duck", "transform"},
	"load/internal/stage":  {"load/internal/duck", "transform"},
	"load/facts":           {"load/internal/clause", "load/internal/duck", "load/internal/workdb", "load/read", "schemas", "transform"},
	"load/erase":           {"internal/crash", "load/internal/clause", "load/internal/duck", "load/internal/stage", "load/internal/workdb", "load/layout", "load/tombstone", "schemas", "transform"},
	"load/internal/workdb": {"internal/crash", "load/internal/disk", "load/internal/duck", "load/internal/system", "load/layout", "transform"},
	"load/internal/system": {"load/internal/duck"},
	"load/mask":            {"load/internal/clause", "load/internal/duck", "load/internal/stage", "load/internal/workdb", "load/read", "transform"},
	"internal/oracletest":  {"internal/emulator", "load/read"},
	"internal/readtest":    {"internal/emulator", "internal/pipeline", "load/layout"},
	"bench":                {"extract", "transform", "load", "internal/emulator", "internal/emulator/state/conversations", "internal/pipeline", "schemas", "load/layout", "load/facts"},
}

// homes says where a library that shapes the house may be imported. The program starts no other: whoever has its environment has
// the token. The commands of after: are started without it, and so are processes of this program itself.
var homes = map[string][]string{
	"os/exec":                       {"tools/bench", "tools/mutants", "tools/torture", "tools/release", "internal/pipeline", "internal/sandbox"},
	"crypto/tls":                    {"extract"},
	"net/http/pprof":                {},
	"plugin":                        {},
	"github.com/duckdb/duckdb-go":   {"load/publish", "load/internal/duck", "bench", "load/internal/stage", "load/read"},
	"github.com/apache/arrow-go":    {"transform", "load/committest", "bench", "load/internal/stage", "load/read", "load/erase"},
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
