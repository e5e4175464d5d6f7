package aqueduck

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/errors.md as the code has it")

// classes are what kinds of errors there are, who acts, and the exit code that they end a run with.
var classes = []struct{ name, meaning, act, exit string }{
	{"transient", "the API or the network fails for a while", "nobody: the next run continues", "1"},
	{"auth", "the API refuses the token", "give a valid token", "4"},
	{"plan", "the workspace's plan does not include it", "buy the feature, or remove the stream from the pipeline", "1 at first, then 0"},
	{"scope", "the token has no right to read it", "give the token the right, or remove the stream", "1 at first, then 0"},
	{"not_found", "this API version does not have it", "set another `api_version`, or remove the stream", "1 at first, then 0"},
	{"version", "it needs an older or newer API version", "set another `api_version`", "1 at first, then 0"},
	{"config", "`pipelines.yaml`, a stream file, a variable or a directory is wrong", "correct what the message names", "3"},
	{"usage", "the command line is wrong", "see `--help`", "2"},
	{"query", "DuckDB cannot answer a statement", "correct the statement", "1"},
	{"data", "received or stored data is wrong", "check what the message names before you accept it", "1, 3 or 6"},
	{"source", "the API's answers contradict each other, or never end", "ask the API's support; received records are stored, the watermark stays", "1"},
	{"disk", "the disk is full or fails", "free space, then run the same command again", "1"},
	{"busy", "another run writes the warehouse", "wait until it ends", "5"},
	{"freshness", "a freshness SLA is breached", "see the cause: `status`", "6"},
	{"interrupted", "somebody stopped the run", "run the same command: it continues", "129, 130, 143"},
	{"bug", "a bug in the program", "run it again, and report the error", "70"},
}

// TestThePageOfErrorsIsUpToDate holds docs/errors.md to the code: each error has a class that the page explains, and a next step.
func TestThePageOfErrorsIsUpToDate(t *testing.T) {
	told, err := errorsOfTheCode()
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	page.WriteString(`# Errors

Every error has one form: its class, what happened where and why, and the next step.

` + "```" + `
error[auth] read one record of contacts to identify the workspace: POST /contacts/search: 401 unauthorized: Access Token Invalid (request_id 8f0c…)
     next: set a token that is valid for this workspace, and the address of its region, then run the same command again; no watermark moved
` + "```" + `

The class says who acts. Alerts, ` + "`" + `status` + "`" + `, ` + "`" + `runs` + "`" + ` and the JSON of a run have it too. After every error:

- Committed data is safe. A watermark advances only together with its rows.
- Readers keep their file until a new one is complete.
- An error of the API has its ` + "`" + `request_id` + "`" + `.

| class | what it is | who acts, and how | exit code |
|---|---|---|---|
`)
	for _, c := range classes {
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", c.name, c.meaning, c.act, c.exit)
	}
	page.WriteString("\nThe tables below are made from the code. Where they say \"in the message\", the next step depends on the cause, and the error prints it. Mistakes in `pipelines.yaml` and stream files come with line, column and excerpt; `aqueduck check` lists all of them at once.\n")
	for _, c := range classes {
		if len(told[c.name]) == 0 {
			continue
		}
		fmt.Fprintf(&page, "\n## %s\n\n| message (… stands for names, numbers and causes) | next step |\n|---|---|\n", c.name)
		for _, e := range told[c.name] {
			if e.next == "…" {
				e.next = "in the message"
			}
			fmt.Fprintf(&page, "| %s | %s |\n", e.what, e.next)
		}
		delete(told, c.name)
	}
	for class, list := range told {
		t.Errorf("class %q of %q is not explained", class, list[0].what)
	}
	if *update {
		if err := os.WriteFile("docs/errors.md", []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("docs/errors.md")
	if err != nil || string(text) != page.String() {
		t.Errorf("docs/errors.md is not what the code says (%v): make docs writes it", err)
	}
}

// documentedError is an error as the code makes it.
type documentedError struct{ what, next string }

// errorsOfTheCode gives, by class, what every Problem that the code makes says.
func errorsOfTheCode() (map[string][]documentedError, error) {
	r := errorReader{sentinels: map[string]string{}, problems: map[string][]documentedError{}}
	var files []*ast.File
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		files = append(files, file)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		r.of = f.Name.Name
		ast.Inspect(f, r.noteSentinel)
	}
	for _, f := range files {
		r.of = f.Name.Name
		ast.Inspect(f, r.noteAlias)
	}
	for _, f := range files {
		r.of = f.Name.Name
		ast.Inspect(f, r.noteProblem)
	}
	for class := range r.problems {
		slices.SortFunc(r.problems[class], func(a, b documentedError) int { return strings.Compare(a.what+a.next, b.what+b.next) })
		r.problems[class] = slices.Compact(r.problems[class])
	}
	return r.problems, nil
}

// errorReader collects what is said.
type errorReader struct {
	of        string            // the package that is being read
	sentinels map[string]string // texts of errors by the names of their variables, package.Name
	cause     string            // what the case that is being read is about
	problems  map[string][]documentedError
}

func (r *errorReader) noteSentinel(n ast.Node) bool {
	if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
		if call, ok := v.Values[0].(*ast.CallExpr); ok && len(call.Args) == 1 && identifierOf(call.Fun) == "New" {
			r.sentinels[r.of+"."+v.Names[0].Name] = messageTemplate(call.Args[0])
		}
	}
	return true
}

// noteAlias is a sentinel of another package under a name of this one.
func (r *errorReader) noteAlias(n ast.Node) bool {
	if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == 1 && len(v.Values) == 1 {
		if text, ok := r.sentinels[r.qualifiedName(v.Values[0])]; ok {
			r.sentinels[r.of+"."+v.Names[0].Name] = text
		}
	}
	return true
}

func (r *errorReader) qualifiedName(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return identifierOf(s.X) + "." + s.Sel.Name
	}
	return r.of + "." + identifierOf(e)
}

func (r *errorReader) noteProblem(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CaseClause:
		r.cause = ""
		for _, e := range n.List {
			if call, ok := e.(*ast.CallExpr); ok && identifierOf(call.Fun) == "Is" {
				r.cause = r.sentinels[r.qualifiedName(call.Args[1])]
			}
		}
	case *ast.AssignStmt:
		if len(n.Lhs) == 2 && len(n.Rhs) == 2 && identifierOf(n.Lhs[0]) == "Class" && identifierOf(n.Lhs[1]) == "Next" {
			class, _ := strconv.Unquote(wordingOf(n.Rhs[0]))
			r.problems[class] = append(r.problems[class], documentedError{"the request to the API, and its answer", messageTemplate(n.Rhs[1])})
		}
	case *ast.CompositeLit:
		if identifierOf(n.Type) != "Problem" {
			return true
		}
		var class string
		s := documentedError{what: "…", next: "…"}
		for _, e := range n.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			switch identifierOf(pair.Key) {
			case "Class":
				class, _ = strconv.Unquote(wordingOf(pair.Value))
			case "What":
				s.what = messageTemplate(pair.Value)
			case "Next":
				s.next = messageTemplate(pair.Value)
			}
		}
		if s.what == "…" && r.cause != "" {
			s.what = r.cause + "…"
		}
		if class != "" && s.what != "…" {
			r.problems[class] = append(r.problems[class], s)
		}
	}
	return true
}

func identifierOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

func wordingOf(e ast.Expr) string {
	if lit, ok := e.(*ast.BasicLit); ok {
		return lit.Value
	}
	return ""
}

var verb = regexp.MustCompile(`"?%[-+# 0-9.]*[a-zA-Z]"?`)

// messageTemplate is a text of the code with … for what only a run knows.
func messageTemplate(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return strings.ReplaceAll(text, "|", "\\|")
		}
	case *ast.BinaryExpr:
		return strings.ReplaceAll(messageTemplate(e.X)+messageTemplate(e.Y), "……", "…")
	case *ast.CallExpr:
		if identifierOf(e.Fun) == "Sprintf" && len(e.Args) > 0 {
			return strings.ReplaceAll(verb.ReplaceAllString(messageTemplate(e.Args[0]), "…"), "……", "…")
		}
	}
	return "…"
}
