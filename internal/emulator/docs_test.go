package emulator

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeSpans = regexp.MustCompile("`([^`]+)`")
	testNames = regexp.MustCompile("`(Test[^`]*)`")
	braces    = regexp.MustCompile(`\{[^}]*\}`)
	sections  = regexp.MustCompile(`^(none|\d+(\.\d+)?(, \d+(\.\d+)?)*)$`)
)

// The table of endpoints in docs/emulator.md has every route once and nothing else, with sections and tests; every test that the
// document names is there.
func TestTheDocumentNamesEveryEndpointAndItsTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	missing, tests := map[string]bool{}, testsHere(t)
	for _, r := range routes {
		missing[r.method+" "+braces.ReplaceAllString(r.path, "{}")] = true
	}
	_, table, found := strings.Cut(string(text), "| request | section | what it answers | test |\n|---|---|---|---|\n")
	if !found {
		t.Fatal("there is no table of endpoints")
	}
	for _, line := range strings.Split(table[:strings.Index(table, "\n\n")], "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 4 || !sections.MatchString(cells[1]) || !strings.Contains(cells[3], "`Test") {
			t.Errorf("a row without its sections or its test: %s", line)
			continue
		}
		method := ""
		for _, span := range codeSpans.FindAllStringSubmatch(cells[0], -1) {
			one := braces.ReplaceAllString(span[1], "{}")
			if before, _, has := strings.Cut(one, " "); has {
				method = before
			} else {
				one = method + " " + one
			}
			if !missing[one] {
				t.Errorf("%s is no route, or is there twice", span[1])
			}
			delete(missing, one)
		}
	}
	for one := range missing {
		t.Errorf("the document does not tell of %s", one)
	}
	for _, name := range testNames.FindAllStringSubmatch(string(text), -1) {
		if !tests[name[1]] {
			t.Errorf("there is no %s", name[1])
		}
	}
}

// testsHere are the names of the tests of this directory.
func testsHere(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil {
				names[f.Name.Name] = true
			}
		}
	}
	return names
}
