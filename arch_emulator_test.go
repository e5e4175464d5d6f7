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

// emulatorImports says for each package of the emulator which others of it it may import, all without internal/emulator/. None imports
// anything else of ours.
var emulatorImports = map[string]string{
	"event":               "",
	"apiversion":          "",
	"jsontext":            "event",
	"knobs":               "event",
	"oracle":              "event",
	"population":          "event jsontext",
	"population/team":     "event population",
	"input":               "jsontext",
	"webhook":             "jsontext",
	"search":              "event jsontext knobs",
	"state/core":          "event jsontext knobs population search",
	"state/contacts":      "event knobs population search state/core",
	"state/companies":     "event population search state/contacts state/core",
	"state/conversations": "event jsontext knobs population search state/companies state/contacts state/core",
	"state/tickets":       "event jsontext population search state/contacts state/conversations state/core",
	"state/jobs":          "event state/contacts state/core state/tickets",
	"state/calls":         "event population state/contacts state/conversations state/core",
	"state/content":       "apiversion event input jsontext population state/core",
	"state/adminlog":      "event population state/core",
	"state/exports":       "event jsontext knobs population state/conversations state/core",
	"state":               "event knobs population state/adminlog state/calls state/companies state/contacts state/content state/conversations state/core state/exports state/jobs state/tickets",
	"api/answer":          "jsontext",
	"api/fault":           "api/answer event",
	"api/render":          "apiversion event jsontext population state/contacts state/conversations state/jobs state/tickets",
	"control":             "webhook",
	"api":                 "api/answer api/render apiversion control event input jsontext knobs population search state state/calls state/companies state/contacts state/content state/conversations state/core state/exports state/jobs state/tickets",
	"front":               "api api/answer api/fault apiversion control event jsontext knobs state state/contacts",
	"":                    "api api/fault apiversion control event front jsontext knobs oracle population population/team state state/calls state/companies state/content state/conversations state/core state/exports state/jobs state/tickets webhook",
}

// emulatorAllowed is emulatorImports in the form of allowed.
var emulatorAllowed = func() map[string][]string {
	all := map[string][]string{}
	path := func(name string) string { return strings.TrimSuffix("internal/emulator/"+name, "/") }
	for name, imports := range emulatorImports {
		all[path(name)] = nil
		for _, imported := range strings.Fields(imports) {
			all[path(name)] = append(all[path(name)], path(imported))
		}
	}
	return all
}()

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
