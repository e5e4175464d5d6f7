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
	mostMethods = 40  // of a type
	mostInFile  = 400 // lines
	mostInFunc  = 60  // lines, from func to the closing brace
	mostOneWord = 25  // percent of functions, methods and types that are not exported
	mostOften   = 10  // names that functions, methods and types have five times or more
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

// TestFilesAndFunctionsStayShort: a function fits a screen, and a file is read in one go. Tests are not counted.
func TestFilesAndFunctionsStayShort(t *testing.T) {
	t.Parallel()
	n, err := structure.Measure(".")
	if err != nil {
		t.Fatal(err)
	}
	if n.Files < 300 || len(n.Functions) < 3000 {
		t.Fatalf("%d files with %d functions: not all were found", n.Files, len(n.Functions))
	}
	for file, lines := range n.FileLines {
		if lines > mostInFile {
			t.Errorf("%s has %d lines; %d is the most", file, lines, mostInFile)
		}
	}
	for _, f := range n.Functions {
		if f.Lines > mostInFunc {
			t.Errorf("%s has %d lines; %d is the most", f.Name, f.Lines, mostInFunc)
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
