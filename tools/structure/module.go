package structure

import (
	"bytes"
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
)

// Package is a type-checked package without its tests.
type Package struct {
	Dir   string // from the root of the module, with slashes
	fset  *token.FileSet
	files []*ast.File
	info  *types.Info
}

// listedPackage is a package in the output of the Go tool.
type listedPackage struct {
	ImportPath, Export, Dir string
	GoFiles, CgoFiles       []string
	Module                  *struct{ Main bool }
}

// Packages type-checks all packages of the module at root, built with tags; "" leaves the tags to GOFLAGS. Imports come from the compiler's
// cache, or are compiled first.
func Packages(root, tags string) ([]Package, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	ours, exports, err := listPackages(root, tags)
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	from := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	var all []Package
	for _, l := range ours {
		dir, err := filepath.Rel(root, l.Dir)
		if err != nil {
			return nil, err
		}
		p := Package{Dir: filepath.ToSlash(dir), fset: fset, info: &types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}}
		for _, name := range slices.Concat(l.GoFiles, l.CgoFiles) {
			f, err := parser.ParseFile(fset, filepath.Join(l.Dir, name), nil, 0)
			if err != nil {
				return nil, err
			}
			p.files = append(p.files, f)
		}
		check := types.Config{Importer: from, FakeImportC: true}
		if _, err := check.Check(l.ImportPath, fset, p.files, p.info); err != nil {
			return nil, fmt.Errorf("type-check %s: %w", l.ImportPath, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// listPackages asks the Go tool for the packages of the module, and for the export data of each package that they import.
func listPackages(root, tags string) (ours []listedPackage, exports map[string]string, err error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Export,Dir,GoFiles,CgoFiles,Module"}
	if tags != "" {
		args = append(args, "-tags="+tags)
	}
	tool := exec.Command("go", append(args, "./...")...)
	tool.Dir = root
	var said bytes.Buffer
	tool.Stderr = &said
	out, err := tool.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list in %s: %w\n%s", root, err, said.String())
	}
	exports = map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listedPackage
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return ours, exports, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("read what go list says: %w", err)
		}
		exports[l.ImportPath] = l.Export
		if l.Module != nil && l.Module.Main && len(l.GoFiles)+len(l.CgoFiles) > 0 {
			ours = append(ours, l)
		}
	}
}

// Files returns the number of files of the package.
func (p *Package) Files() int { return len(p.files) }

// Lines returns the number of lines of the package.
func (p *Package) Lines() (n int) {
	for _, f := range p.files {
		n += p.linesOf(f)
	}
	return n
}

func (p *Package) linesOf(f *ast.File) int { return p.fset.File(f.Pos()).LineCount() }

// Methods returns the number of methods of each type.
func (p *Package) Methods() map[string]int {
	count := map[string]int{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if fn, is := d.(*ast.FuncDecl); is && fn.Recv != nil {
				count[receiverName(fn)]++
			}
		}
	}
	return count
}

// receiverName returns the name of a method's type.
func receiverName(method *ast.FuncDecl) string {
	name, _, _ := strings.Cut(strings.Trim(types.ExprString(method.Recv.List[0].Type), "*()"), "[")
	return name
}
