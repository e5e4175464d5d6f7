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

	"aqueduck/internal/emulator/api"
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
	for _, r := range api.Routes {
		missing[r.Method+" "+braces.ReplaceAllString(r.Path, "{}")] = true
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

// documented are the endpoints of sections 4.1 to 4.11, each path with its methods.
const documented = `
	/admins/activity_logs GET
	/articles/{} GET
	/calls GET
	/calls/search POST
	/calls/{} GET
	/calls/{}/recording GET
	/calls/{}/transcript GET
	/companies/search POST
	/companies/{}/contacts GET
	/contacts GET POST
	/contacts/activities GET
	/contacts/bulk POST PUT
	/contacts/bulk/delete POST
	/contacts/bulk/{} GET
	/contacts/deleted GET
	/contacts/find_by_external_id/{} GET
	/contacts/merge POST
	/contacts/merge/preview POST
	/contacts/search POST
	/contacts/{} DELETE GET PUT
	/contacts/{}/companies POST
	/contacts/{}/subscriptions/{} DELETE
	/conversations GET
	/conversations/search POST
	/conversations/{} GET PUT
	/conversations/{}/hitl_events GET
	/conversations/{}/parts POST
	/conversations/{}/reply POST
	/data_attributes GET
	/data_connectors/{}/versions GET
	/data_connectors/{}/versions/{} GET PATCH
	/dynamic_contents GET POST
	/dynamic_contents/{} DELETE GET PUT
	/export/reporting_data/enqueue POST
	/export/reporting_data/get_datasets GET
	/export/reporting_data/{} GET
	/folders GET POST
	/folders/{} DELETE GET PUT
	/internal_articles GET POST
	/internal_articles/search GET
	/internal_articles/{} DELETE GET PUT
	/jobs/status/{} GET
	/messages POST
	/news/news_items POST
	/news/newsfeeds GET
	/notes/{} DELETE
	/segments GET
	/tickets POST
	/tickets/enqueue POST
	/tickets/{} PUT
	/tickets/{}/reply POST
	/visitors/convert POST
`

// Section 4: every endpoint of the document is served.
func TestContract4EveryEndpointOfTheDocumentIsServed(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(strings.TrimSpace(documented)) {
		path, methods, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, method := range strings.Fields(methods) {
			if r, _, _ := api.FindRoute(method, strings.ReplaceAll(path, "{}", "x")); r == nil || braces.ReplaceAllString(r.Path, "{}") != path {
				t.Errorf("%s %s is served by %v", method, path, r)
			}
		}
	}
}
