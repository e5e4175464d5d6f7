package docs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDecisionsAreNumberedWithoutGapsAndListedInTheirIndex reads the pages in the order of their names: each has the next number in its name
// and title, and one line in the index.
func TestDecisionsAreNumberedWithoutGapsAndListedInTheirIndex(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("decisions/[0-9]*.md")
	must(t, err)
	var want []string
	for i, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		number, name := fmt.Sprintf("%04d", i+1), filepath.Base(file)
		heading, _, _ := strings.Cut(string(text), "\n")
		title, found := strings.CutPrefix(heading, "# "+number+". ")
		if !found || !strings.HasPrefix(name, number+"-") {
			t.Fatalf("%s begins with %q: decision %s comes next, in its name and in its title", file, heading, number)
		}
		want = append(want, fmt.Sprintf("- [%s](%s) %s", number, name, title))
	}
	index, err := os.ReadFile("decisions/README.md")
	must(t, err)
	got := regexp.MustCompile(`(?m)^- .*$`).FindAllString(string(index), -1)
	if list := strings.Join(want, "\n"); strings.Join(got, "\n") != list {
		t.Errorf("docs/decisions/README.md must list\n%s", list)
	}
}
