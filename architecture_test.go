package aqueduck

import (
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	architecturePage    = "docs/architecture.md"
	architecturePicture = "docs/img/architecture.svg"
)

// declaredPackage is a package of ours as its files declare it.
type declaredPackage struct {
	sentence string                     // the first one of its comment, without its name
	names    map[string]map[string]bool // what each file declares: f, T, T.m
}

// isTest says whether a file is compiled for tests only.
func isTest(file string) bool { return strings.HasSuffix(file, "_test.go") }

// onlyTests says whether nothing is declared but in tests.
func (p declaredPackage) onlyTests() bool {
	for file, names := range p.names {
		if !isTest(file) && len(names) > 0 {
			return false
		}
	}
	return true
}

// declaredPackages are all packages of the module, by their directories.
func declaredPackages() (map[string]declaredPackage, error) {
	all := map[string]declaredPackage{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.Contains(file, "testdata") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(file))
		p, known := all[dir]
		if !known {
			p.names = map[string]map[string]bool{}
		}
		if text := parsed.Doc.Text(); text != "" && !isTest(file) {
			p.sentence = new(doc.Package).Synopsis(text)
			if words := strings.SplitN(p.sentence, " ", 3); len(words) == 3 && (words[0] == "Package" || words[0] == "Command") {
				p.sentence = words[2]
			}
		}
		p.names[filepath.Base(file)] = declaredNames(parsed)
		all[dir] = p
		return nil
	})
	return all, err
}

// declaredNames are the functions, methods, types, variables and constants of a file.
func declaredNames(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				of, _, _ := strings.Cut(strings.Trim(types.ExprString(d.Recv.List[0].Type), "*"), "[")
				name = of + "." + name
			}
			names[name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}

var (
	codeSpan     = regexp.MustCompile("`([^`\n]+)`")
	fileAndNames = regexp.MustCompile(`^([\w./-]+\.go): (.+)$`)
	ofPackage    = regexp.MustCompile(`^([a-z]\w*)\.([A-Z]\w*(?:\.\w+)?)$`)
	ofType       = regexp.MustCompile(`^[A-Z]\w*\.\w+$`)
	pathOfOurs   = regexp.MustCompile(`^(?:cmd|docs|extract|internal|load|schemas|tools|transform)(?:/[\w.-]+)*/?$|^\w+\.(?:go|md)$`)
	crashPoint   = regexp.MustCompile(`^[a-z]+-[a-z]+$`)
)

// wrongSpan says what a piece of code on the page names that is not there; "" where all is.
func wrongSpan(span string, packages map[string]declaredPackage, points []string) string {
	switch {
	case fileAndNames.MatchString(span):
		m := fileAndNames.FindStringSubmatch(span)
		for name := range strings.SplitSeq(m[2], ", ") {
			if !packages[path.Dir(m[1])].names[path.Base(m[1])][name] {
				return m[1] + " declares no " + name
			}
		}
	case ofPackage.MatchString(span):
		m := ofPackage.FindStringSubmatch(span)
		for dir, p := range packages {
			if path.Base(dir) == m[1] && p.declaresName(m[2]) {
				return ""
			}
		}
		return "no package " + m[1] + " declares " + m[2]
	case ofType.MatchString(span):
		for _, p := range packages {
			if p.declaresName(span) {
				return ""
			}
		}
		return "no package declares " + span
	case crashPoint.MatchString(span) && !slices.Contains(points, span):
		return "there is no crash point " + span
	case pathOfOurs.MatchString(span):
		if _, err := os.Stat(span); err != nil {
			return "there is no " + span
		}
	}
	return ""
}

// declaresName says whether any file of the package has a name.
func (p declaredPackage) declaresName(name string) bool {
	for _, names := range p.names {
		if names[name] {
			return true
		}
	}
	return false
}

// crashPoints are the places where a test may kill the process.
func crashPoints() (points []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "internal/crash/crash.go", nil, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is {
			points = append(points, strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`))
		}
		return true
	})
	return points, nil
}

// TestTheArchitecturePageNamesWhatIsThere holds each file, function and crash point that the page names to the code.
func TestTheArchitecturePageNamesWhatIsThere(t *testing.T) {
	text, err := os.ReadFile(architecturePage)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := declaredPackages()
	if err != nil {
		t.Fatal(err)
	}
	points, err := crashPoints()
	if err != nil || len(points) < 30 {
		t.Fatal(len(points), err)
	}
	functions := 0
	for n, line := range strings.Split(string(text), "\n") {
		for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
			if wrong := wrongSpan(span[1], packages, points); wrong != "" {
				t.Errorf("%s:%d: %s", architecturePage, n+1, wrong)
			}
			if fileAndNames.MatchString(span[1]) {
				functions++
			}
		}
	}
	if functions < 60 {
		t.Errorf("%d places with file and function were found: the page has lost some, or says them otherwise", functions)
	}
	for _, point := range points {
		if !strings.Contains(string(text), "`"+point+"`") {
			t.Errorf("%s does not say what a kill at %s leaves", architecturePage, point)
		}
	}
	read, _, _ := strings.Cut(string(text), "\n## The packages\n") // their table is for looking up
	if lines := strings.Count(read, "\n"); lines >= 200 {
		t.Errorf("%s has %d lines above its table of packages: a newcomer reads fewer than 200", architecturePage, lines)
	}
	for n, line := range strings.Split(read, "\n") {
		if width := utf8.RuneCountInString(line); width > 125 && !strings.HasPrefix(line, "|") {
			t.Errorf("%s:%d: %d characters in a line of text", architecturePage, n+1, width)
		}
	}
}

// TestThePagesForContributorsNameWhatIsThere holds files, directories and functions of their two pages to the code.
func TestThePagesForContributorsNameWhatIsThere(t *testing.T) {
	packages, err := declaredPackages()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, page := range []string{"CONTRIBUTING.md", "AGENTS.md"} {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(text), "\n") {
			for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
				if !fileAndNames.MatchString(span[1]) && !pathOfOurs.MatchString(span[1]) {
					continue
				}
				named++
				if wrong := wrongSpan(span[1], packages, nil); wrong != "" {
					t.Errorf("%s:%d: %s", page, n+1, wrong)
				}
			}
		}
	}
	if named < 40 {
		t.Errorf("%d places were found: the pages have lost some, or say them otherwise", named)
	}
}

// TestTheArchitecturePageHasEveryPackage compares its table with the comments of the packages. Those that hold nothing but tests are
// left out. With -update it writes the table.
func TestTheArchitecturePageHasEveryPackage(t *testing.T) {
	const head = "| package | what it is for |\n|---|---|\n"
	packages, err := declaredPackages()
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		p := packages[dir]
		if p.onlyTests() {
			continue
		}
		fmt.Fprintf(&table, "| `%s` | %s |\n", dir, p.sentence)
	}
	text, err := os.ReadFile(architecturePage)
	if err != nil {
		t.Fatal(err)
	}
	before, rows, found := strings.Cut(string(text), head)
	if !found {
		t.Fatalf("%s has no table of packages", architecturePage)
	}
	if *update {
		if err := os.WriteFile(architecturePage, []byte(before+head+table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for line := range strings.SplitSeq(table.String(), "\n") {
		if !strings.Contains(rows, line) {
			t.Errorf("%s lacks this row; go test -run %s -update . writes it\n%s", architecturePage, t.Name(), line)
		}
	}
	if rows != table.String() {
		t.Errorf("%s has other packages, or more after its table, than the code: go test -run %s -update . writes it", architecturePage, t.Name())
	}
}

// TestTheArchitecturePictureNamesPackagesThatAreThere reads the picture. A text of class p is the name of a package, below the one that
// the group around it says by data-under.
func TestTheArchitecturePictureNamesPackagesThatAreThere(t *testing.T) {
	packages, err := declaredPackages()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(architecturePicture)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	named := 0
	var under []string
	isName := false
	for d := xml.NewDecoder(file); ; {
		part, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch part := part.(type) {
		case xml.StartElement:
			base := ""
			if len(under) > 0 {
				base = under[len(under)-1]
			}
			if below := xmlAttribute(part, "data-under"); below != "" {
				base = below
			}
			under = append(under, base)
			isName = slices.Contains(strings.Fields(xmlAttribute(part, "class")), "p")
		case xml.EndElement:
			under, isName = under[:len(under)-1], false
		case xml.CharData:
			for _, name := range strings.Fields(string(part)) {
				if !isName {
					break
				}
				named++
				if p, there := packages[path.Join(under[len(under)-1], name)]; !there || p.onlyTests() {
					t.Errorf("%s names the package %s, which is not there", architecturePicture, path.Join(under[len(under)-1], name))
				}
			}
		}
	}
	if named < 40 {
		t.Errorf("%d packages were found in %s", named, architecturePicture)
	}
}

// xmlAttribute gives the value of an attribute, "" where it is not given.
func xmlAttribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
