package dictionary

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"aqueduck/internal/goldentest"
	"aqueduck/internal/sandbox"
	"aqueduck/schemas"
)

// TestThePageOfChangesHasTheTables checks that the section Tables of the change log lists what the dictionary has.
func TestThePageOfChangesHasTheTables(t *testing.T) {
	t.Parallel()
	const file, begin, end = "../../CHANGELOG.md", "### Tables\n", "### Changes\n"
	catalogue, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d, err := NewDictionary(t.Context(), catalogue, nil, sandbox.Program{})
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	list.WriteString("\nAll that streams give, with the number of columns; `aqueduck streams --markdown` tells each column.\n\n| stream | tables |\n|---|---|\n")
	line := func(name string, tables []DictionaryTable) {
		var parts []string
		for _, table := range tables {
			if !table.Internal {
				parts = append(parts, fmt.Sprintf("`%s` %d", table.Name, len(table.Columns)))
			}
		}
		if len(parts) > 0 {
			fmt.Fprintf(&list, "| %s | %s |\n", name, strings.Join(parts, ", "))
		}
	}
	for _, s := range d.Streams {
		line("`"+s.Stream+"`", s.Tables)
	}
	line("models", d.Models)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no section between %q and %q", file, begin, end)
	}
	goldentest.Compare(t, file, head+begin+list.String()+"\n"+end+tail)
}
