package aqueduck

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The limits of a package. Tests and what they need are not counted.
const (
	mostLines   = 4000
	mostFiles   = 40
	mostMethods = 40 // of a type
)

// checkedPackage is a package of ours as the compiler sees it, without its tests.
type checkedPackage struct {
	dir   string // from the root of the module
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// checkedPackages are all packages of ours. They are built with the tags of the Makefile, as `go test` has just built them.
var checkedPackages = sync.OnceValues(func() ([]checkedPackage, error) {
	list := exec.Command("go", "list", "-tags=duckdb_arrow", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,CgoFiles,Module", "./...")
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	type listed struct {
		ImportPath, Export, Dir string
		GoFiles                 []string
		Module                  *struct{ Main bool }
	}
	exports := map[string]string{}
	var ours []listed
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		if l.Module != nil && l.Module.Main {
			ours = append(ours, l)
		}
	}
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []checkedPackage
	for _, l := range ours {
		dir, err := filepath.Rel(root, l.Dir)
		if err != nil {
			return nil, err
		}
		p := checkedPackage{dir: filepath.ToSlash(dir), fset: fset, info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
		for _, name := range l.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, 0)
			if err != nil {
				return nil, err
			}
			p.files = append(p.files, f)
		}
		if _, err := (&types.Config{Importer: from}).Check(l.ImportPath, fset, p.files, p.info); err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
})

// name is the file's name of a position.
func (p *checkedPackage) name(at token.Pos) string {
	return filepath.Base(p.fset.Position(at).Filename)
}

// lines counts the lines of the package.
func (p *checkedPackage) lines() (n int) {
	for _, f := range p.files {
		n += p.fset.File(f.Pos()).LineCount()
	}
	return n
}

// methods counts the methods of each type.
func (p *checkedPackage) methods() map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, is := d.(*ast.FuncDecl); is && fn.Recv != nil {
				count[strings.Trim(types.ExprString(fn.Recv.List[0].Type), "*")]++
			}
		}
	}
	return count
}

// uses says for each file which others of its package it needs: a function, a method, a field, a type, a variable or a constant of.
func (p *checkedPackage) uses() map[string]map[string]bool {
	needs := map[string]map[string]bool{}
	for _, f := range p.files {
		needs[p.name(f.Pos())] = map[string]bool{}
	}
	for id, obj := range p.info.Uses {
		if obj.Pkg() == nil || !obj.Pos().IsValid() {
			continue
		}
		from, to := p.name(id.Pos()), p.name(obj.Pos())
		if _, ours := needs[to]; ours && from != to && filepath.Dir(p.fset.Position(obj.Pos()).Filename) == filepath.Dir(p.fset.Position(id.Pos()).Filename) {
			needs[from][to] = true
		}
	}
	return needs
}

// largestCircle is the largest set of files in which each one needs each other, by whatever way.
func largestCircle(needs map[string]map[string]bool) []string {
	reach := map[string]map[string]bool{}
	for from := range needs {
		reach[from] = map[string]bool{}
		for next := []string{from}; len(next) > 0; next = next[1:] {
			for to := range needs[next[0]] {
				if !reach[from][to] {
					reach[from][to] = true
					next = append(next, to)
				}
			}
		}
	}
	var largest []string
	for from := range needs {
		var circle []string
		for to := range reach[from] {
			if reach[to][from] {
				circle = append(circle, to)
			}
		}
		if len(circle) > len(largest) {
			largest = circle
		}
	}
	slices.Sort(largest)
	return largest
}

// A newcomer reads one file after the other where they do not need each other in a circle, and a package that is small.
func TestPackagesStaySmallAndTheirFilesInOrder(t *testing.T) {
	packages, err := checkedPackages()
	if err != nil {
		t.Fatal(err)
	}
	if len(packages) < 30 {
		t.Fatalf("%d packages: not all were found", len(packages))
	}
	for _, p := range packages {
		if n := p.lines(); n > mostLines {
			t.Errorf("%s has %d lines; %d is the most", p.dir, n, mostLines)
		}
		if n := len(p.files); n > mostFiles {
			t.Errorf("%s has %d files; %d is the most", p.dir, n, mostFiles)
		}
		for name, n := range p.methods() {
			if n > mostMethods {
				t.Errorf("%s.%s has %d methods; %d is the most", p.dir, name, n, mostMethods)
			}
		}
		if circle := largestCircle(p.uses()); len(circle)*3 > len(p.files) {
			t.Errorf("%s: %d of %d files need each other in a circle, a third is the most: %s", p.dir, len(circle), len(p.files), strings.Join(circle, " "))
		}
	}
}
