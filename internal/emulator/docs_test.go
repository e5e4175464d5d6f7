package emulator_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/internal/emulator"
	"aqueduck/internal/emulator/api"
	"aqueduck/internal/emulator/api/fault"
	"aqueduck/internal/emulator/apiversion"
)

var (
	braces   = regexp.MustCompile(`\{[^}]*\}`)
	sections = regexp.MustCompile(`^(none|\d+(\.\d+)?(, \d+(\.\d+)?)*)$`)
)

const (
	endpointsPage = "../../docs/internals/emulator-endpoints.md"
	controlsPage  = "../../docs/internals/emulator-controls.md"
)

// comparePage compares a page with the generated text; -update writes it.
func comparePage(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		failOn(t, os.WriteFile(file, []byte(want), 0o644))
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != want {
		t.Errorf("make docs would change %s: %v", file, err)
	}
}

// TestThePageOfEndpointsHasEveryRouteAndItsTests holds the page to the routes of the server: each appears once, with existing sections and
// tests.
func TestThePageOfEndpointsHasEveryRouteAndItsTests(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	page.WriteString(endpointsIntro)
	routes, tests := routesByName(), testsHere(t)
	for _, e := range endpointRows {
		var requests, names, since, scopes []string
		for _, name := range strings.Fields(e.routes) {
			r, found := routes[name]
			if !found {
				t.Fatalf("%s is no route, or is in two rows", name)
			}
			delete(routes, name)
			requests = append(requests, "`"+r.Method+" "+r.Path+"`")
			names = append(names, "`"+name+"`")
			since = appendNew(since, sinceWord(r.Since))
			if r.Scope != "" {
				scopes = appendNew(scopes, "`"+r.Scope+"`")
			}
		}
		fmt.Fprintf(&page, "| %s | %s | %s | %s | %s | %s | %s |\n", strings.Join(requests, ", "), strings.Join(names, ", "), strings.Join(since, ", "),
			strings.Join(scopes, ", "), e.section, e.answers, linkTests(t, tests, e.section, e.tests))
	}
	for name := range routes {
		t.Errorf("the page has no row for the route %s", name)
	}
	page.WriteString(rulesIntro)
	for _, r := range ruleRows {
		fmt.Fprintf(&page, "| %s | %s | %s |\n", r.about, r.section, linkTests(t, tests, r.section, r.tests))
	}
	comparePage(t, endpointsPage, page.String())
}

const (
	endpointsIntro = `# Endpoints of the emulator

` + "`make docs`" + ` writes this page from the server's routes and from ` + "`internal/emulator/endpoints_test.go`" + `. The [emulator](../emulator.md) answers 404 to
every other request. "Route" is the name that knobs such as ` + "`Unavailable`" + ` use. "From" is the first API version that has the endpoint; "later" is the version after 2.16.
Versions up to 2.16 have these endpoints too, unless the knob ` + "`LaterOnly`" + ` removes them. "Section" is the section of the API's document.

| request | route | from | scope | section | what it answers | tests |
|---|---|---|---|---|---|---|
`
	rulesIntro = `
## Rules that hold for several endpoints

| rule | section | tests |
|---|---|---|
`
)

func routesByName() map[string]api.Route {
	routes := map[string]api.Route{}
	for _, r := range api.Routes {
		routes[r.Name] = r
	}
	return routes
}

func appendNew(words []string, word string) []string {
	if slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// sinceWord returns the page's word for the version that added a route.
func sinceWord(v apiversion.Version) string {
	switch v {
	case apiversion.V214:
		return "2.14"
	case apiversion.V215:
		return "2.15"
	case apiversion.V216:
		return "2.16"
	case apiversion.AfterStable:
		return "later"
	}
	return "all"
}

// linkTests fails for sections and tests that do not exist.
func linkTests(t *testing.T, tests map[string]bool, section, names string) string {
	t.Helper()
	if !sections.MatchString(section) || names == "" {
		t.Errorf("a row without its section or its test: %s %s", section, names)
	}
	var all []string
	for _, name := range strings.Fields(names) {
		if !tests[name] {
			t.Errorf("there is no %s", name)
		}
		all = append(all, "`"+name+"`")
	}
	return strings.Join(all, ", ")
}

// TestThePageOfControlsHasEveryOperationKnobAndFault generates the three lists.
func TestThePageOfControlsHasEveryOperationKnobAndFault(t *testing.T) {
	t.Parallel()
	comparePage(t, controlsPage, controlsIntro+emulator.OperationTable()+knobsIntro+emulator.KnobTable()+faultsIntro+fault.ChaosHelp+"\n```\n")
}

const (
	controlsIntro = `# Operations, knobs and faults of the emulator

` + "`make docs`" + ` writes this page. The [emulator](../emulator.md#operations) explains how to send an operation and how to turn a knob.

## Operations

Parameters in brackets are optional.

`
	knobsIntro = `
## Knobs

0 and "" are the defaults. [Where the API's document is silent](emulator-choices.md) says what each knob changes. Some knobs are for faults instead:

- ` + "`Unavailable`" + ` answers 403 because the plan lacks an endpoint, ` + "`Forbidden`" + ` because the token lacks a scope.
- ` + "`RevokeAt`" + ` answers 401 from that request on.
- ` + "`EmptyLists`" + ` empties every list.
- ` + "`Export.File`" + ` makes archives that are defective or unusual.

` + "`GET /_emulator/knobs`" + ` shows durations in nanoseconds.

` + "`Forms`" + ` sends good answers in another shape: another value, another place, or no value. The records themselves and the oracle stay the same:

` + "```" + `
{"Forms": [{"Of": "conversations.get", "Path": "teammates.teammates", "To": "teammates.admins"},
           {"Of": "contacts", "ID": "6ad72ca5bcf7e51bbb763532", "Path": "avatar", "As": "{\"type\":\"avatar\",\"image_url\":null}"},
           {"Of": "tickets.search", "Path": "$.pages.next", "As": "absent"}]}
` + "```" + `

`
	faultsIntro = `
## Faults

` + "```" + `
`
)

// testsHere returns the names of the tests of this directory.
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

// documentedEndpoints are the endpoints of sections 4.1 to 4.11, each path with its methods.
const documentedEndpoints = `
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
	for line := range strings.Lines(strings.TrimSpace(documentedEndpoints)) {
		path, methods, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, method := range strings.Fields(methods) {
			if r, _, _ := api.FindRoute(method, strings.ReplaceAll(path, "{}", "x")); r == nil || braces.ReplaceAllString(r.Path, "{}") != path {
				t.Errorf("%s %s is served by %v", method, path, r)
			}
		}
	}
}
