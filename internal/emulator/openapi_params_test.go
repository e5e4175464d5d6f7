package emulator_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// routeCode is what the code of the package api says about a function or a table: what it calls, and which parameters of a query it reads.
type routeCode struct {
	calls  map[string]bool
	params map[string]string // name to the type of its value
}

// queryParameters returns for each route the parameters of the query that its code reads, with their types.
func queryParameters(t *testing.T) map[string]map[string]string {
	t.Helper()
	code, routes := map[string]*routeCode{}, map[string]*routeCode{}
	paths, err := filepath.Glob("api/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatalf("the code of the routes: %v", err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				code[f.Name.Name] = readCode(f.Body)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if row, ok := n.(*ast.CompositeLit); ok {
				if name := fieldText(row, "Name"); name != "" && fieldText(row, "Method") != "" {
					routes[name] = readCode(row)
				}
			}
			return true
		})
	}
	all := map[string]map[string]string{}
	for name, row := range routes {
		all[name] = map[string]string{}
		reached := map[string]bool{}
		var walk func(c *routeCode)
		walk = func(c *routeCode) {
			maps.Copy(all[name], c.params)
			for _, called := range slices.Sorted(maps.Keys(c.calls)) {
				if next := code[called]; next != nil && !reached[called] {
					reached[called] = true
					walk(next)
				}
			}
		}
		walk(row)
	}
	return all
}

// fieldText returns the text of a field of a composite literal.
func fieldText(row *ast.CompositeLit, name string) string {
	for _, e := range row.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok && key.Name == name {
				return literalText(pair.Value)
			}
		}
	}
	return ""
}

func literalText(e ast.Expr) string {
	if text, ok := e.(*ast.BasicLit); ok && text.Kind == token.STRING {
		s, _ := strconv.Unquote(text.Value)
		return s
	}
	return ""
}

// readCode reads which functions some code names, and which parameters of the query it reads: by q.Query.Get, by positiveParam and what
// calls it, or compared with true.
func readCode(node ast.Node) *routeCode {
	c := &routeCode{map[string]bool{}, map[string]string{}}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			c.calls[n.Name] = true
		case *ast.BinaryExpr:
			if call, ok := n.X.(*ast.CallExpr); ok && literalText(n.Y) == "true" && len(call.Args) == 1 && isQueryGet(call) {
				c.params[literalText(call.Args[0])] = "boolean"
			}
		case *ast.CallExpr:
			c.readCall(n)
		}
		return true
	})
	delete(c.params, "")
	return c
}

func isQueryGet(call *ast.CallExpr) bool {
	get, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || get.Sel.Name != "Get" {
		return false
	}
	of, ok := get.X.(*ast.SelectorExpr)
	return ok && of.Sel.Name == "Query"
}

func (c *routeCode) readCall(call *ast.CallExpr) {
	note := func(name, kind string) {
		if _, known := c.params[name]; !known || kind == "integer" {
			c.params[name] = kind
		}
	}
	if isQueryGet(call) {
		note(literalText(call.Args[0]), "string")
		return
	}
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		switch f.Sel.Name {
		case "positiveParam":
			note(literalText(call.Args[0]), "integer")
		case "perPage":
			note("per_page", "integer")
		}
	case *ast.Ident:
		if f.Name == "asked" && len(call.Args) == 1 {
			note(literalText(call.Args[0]), "boolean")
		}
	}
}
