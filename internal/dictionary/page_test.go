package dictionary

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/goldentest"
	"aqueduck/internal/sandbox"
	"aqueduck/schemas"
)

// builtinDictionary is the dictionary of the program's own streams and models.
func builtinDictionary(t *testing.T) *Dictionary {
	t.Helper()
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDictionary(t.Context(), catalogue, nil, sandbox.Program{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestThePageOfTheDictionaryHasEveryRelation checks the two generated sections of docs/dictionary.md against the stream files and the models.
func TestThePageOfTheDictionaryHasEveryRelation(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../docs/dictionary.md", "\n## Tables and views\n", "\n## Made for each workspace\n"
	d := builtinDictionary(t)
	var page strings.Builder
	page.WriteString("\n| relation | one row per | key | stream |\n|---|---|---|---|\n")
	for _, s := range d.Streams {
		for _, table := range s.Tables {
			if !table.Internal {
				fmt.Fprintf(&page, "%s `%s` |\n", relationLine(table), s.Stream)
			}
		}
	}
	page.WriteString("\n## Models\n\n[models.md](models.md) has their columns and how they are measured.\n\n| model | one row per | key |\n|---|---|---|\n")
	for _, model := range d.Models {
		page.WriteString(relationLine(model) + "\n")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no section between %q and %q", file, begin, end)
	}
	goldentest.Compare(t, file, head+begin+page.String()+end+tail)
}

// TestEveryModelOfStoredTablesHasTypes: a built-in model that cannot be made on empty tables has the columns of its file only, without types.
func TestEveryModelOfStoredTablesHasTypes(t *testing.T) {
	t.Parallel()
	d := builtinDictionary(t)
	for _, model := range d.Models {
		ofDataset := slices.ContainsFunc(model.Reads, func(name string) bool { return strings.HasPrefix(name, "reporting_") })
		for _, c := range model.Columns {
			if c.Type == "" && !ofDataset {
				t.Errorf("%s.%s has no type", model.Name, c.Name)
			}
		}
	}
}

// relationLine is the beginning of a relation's row: name, beginning of the comment, key. Views have no key, because they are made of relations
// that have one.
func relationLine(table DictionaryTable) string {
	grain := table.Doc
	for _, end := range []string{". ", ": ", "; "} {
		grain, _, _ = strings.Cut(grain, end)
	}
	grain = strings.TrimSuffix(strings.TrimPrefix(grain, "One row per "), ".")
	grain = strings.ReplaceAll(grain, "|", `\|`)
	key := ""
	if len(table.Key) > 0 {
		key = "`" + strings.Join(table.Key, "`, `") + "`"
	}
	name := "`" + table.Name + "`"
	if table.Gone != "" {
		name += ", `" + table.Gone + "`"
	}
	return fmt.Sprintf("| %s | %s | %s |", name, grain, cmp.Or(key, "–"))
}
