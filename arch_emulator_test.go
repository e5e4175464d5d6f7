package aqueduck

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// emulatorAllowed is allowed of the emulator's packages: each imports only what stands above it here.
var emulatorAllowed = map[string][]string{
	"internal/emulator/event":      {},
	"internal/emulator/oracle":     {"internal/emulator/event"},
	"internal/emulator/jsontext":   {"internal/emulator/event"},
	"internal/emulator/population": {"internal/emulator/event", "internal/emulator/jsontext"},
	"internal/emulator/knobs":      {"internal/emulator/event"},
	"internal/emulator/search":     {"internal/emulator/event", "internal/emulator/jsontext", "internal/emulator/knobs"},
	"internal/emulator/input":      {"internal/emulator/jsontext"},
	"internal/emulator/webhook":    {"internal/emulator/jsontext"},
	"internal/emulator/control":    {"internal/emulator/webhook"},
	"internal/emulator":            {"internal/emulator/control", "internal/emulator/webhook", "internal/emulator/input", "internal/emulator/search", "internal/emulator/event", "internal/emulator/jsontext", "internal/emulator/population", "internal/emulator/oracle", "internal/emulator/knobs"},
}

// The oracle works out the truth apart from what serves it. What it imports, and what that imports, is checked, whatever the map says.
func TestTheOracleImportsTheEventsAndNoServingCode(t *testing.T) {
	reached := map[string]bool{}
	for next := []string{"internal/emulator/oracle"}; len(next) > 0; {
		dir := next[0]
		next = next[1:]
		for _, imported := range importsOf(t, dir) {
			ours, is := strings.CutPrefix(imported, "aqueduck/")
			if is && !reached[ours] {
				reached[ours] = true
				next = append(next, ours)
			}
			if strings.Contains(strings.Split(imported, "/")[0], ".") || strings.HasPrefix(imported, "net") {
				t.Errorf("%s imports %s: the oracle needs no library and no network", dir, imported)
			}
		}
	}
	if got := slices.Sorted(maps.Keys(reached)); !slices.Equal(got, []string{"internal/emulator/event"}) {
		t.Errorf("the oracle imports, by whatever way, %v; it may import internal/emulator/event and nothing else of ours", got)
	}
}

// importsOf are the imports of the package in a directory, without those of its tests.
func importsOf(t *testing.T, dir string) (all []string) {
	t.Helper()
	noTests := func(f fs.DirEntry) bool {
		return strings.HasSuffix(f.Name(), ".go") && !strings.HasSuffix(f.Name(), "_test.go")
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !noTests(f) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), dir+"/"+f.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, name)
		}
	}
	return all
}
