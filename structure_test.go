package aqueduck

import (
	"strings"
	"testing"

	"aqueduck/tools/structure"
)

// The limits of a package. Tests and what they need are not counted.
const (
	mostLines   = 4000
	mostFiles   = 40
	mostMethods = 40 // of a type
	mostOneWord = 25 // percent of functions, methods and types that are not exported
	mostOften   = 10 // names that functions, methods and types have five times or more
)

// A newcomer reads one file after the other where they do not need each other in a circle, and a package that is small. The tags are
// those of the Makefile: `go test` has just built the packages with them.
func TestPackagesStaySmallAndTheirFilesInOrder(t *testing.T) {
	packages, err := structure.Packages(".", "duckdb_arrow")
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 30 {
		t.Fatalf("%d packages: not all were found", len(packages))
	}
	for _, p := range packages {
		if n := p.Lines(); n > mostLines {
			t.Errorf("%s has %d lines; %d is the most", p.Dir, n, mostLines)
		}
		if n := p.Files(); n > mostFiles {
			t.Errorf("%s has %d files; %d is the most", p.Dir, n, mostFiles)
		}
		for name, n := range p.Methods() {
			if n > mostMethods {
				t.Errorf("%s.%s has %d methods; %d is the most", p.Dir, name, n, mostMethods)
			}
		}
		if circle := p.LargestCircle().Files; len(circle)*3 > p.Files() {
			t.Errorf("%s: %d of %d files need each other in a circle, a third is the most: %s", p.Dir, len(circle), p.Files(), strings.Join(circle, " "))
		}
	}
}

// TestNamesSayVerbAndObject: a name of one word says little, and a name that stands everywhere says nothing.
func TestNamesSayVerbAndObject(t *testing.T) {
	t.Parallel()
	n, err := structure.Measure(".")
	if err != nil {
		t.Fatal(err)
	}
	if n.Unexported < 1000 {
		t.Fatalf("%d names: not all were found", n.Unexported)
	}
	if share := 100 * n.OneWord / n.Unexported; share >= mostOneWord {
		t.Errorf("%d %% of what is not exported has a name of one word; less than %d %% is wanted", share, mostOneWord)
	}
	if often := n.DefinedOften(); len(often) > mostOften {
		t.Errorf("%d names are defined five times or more; %d is the most: %s", len(often), mostOften, strings.Join(often, " "))
	}
}
