package structure

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Numbers are the measures of a tree of Go files. All but TestLines are about code without tests.
type Numbers struct {
	Lines, BlankLines, CommentLines int // a line of comment has nothing else
	TestLines                       int
	Files                           int
	PackageLines                    map[string]int // by the directory of the package
	FileLines                       map[string]int // by the path of the file
	Functions                       []Function
	Names                           int            // functions, methods, types, variables and constants of packages
	Exported                        int            // of Names, without methods of unexported types
	Documented                      int            // of Exported, with a comment on the name or its group
	Interfaces                      int            // types declared as interfaces
	Duplicates                      int            // pairs of places with six equal lines or more
	Unexported, OneWord             int            // functions, methods and types that are not exported; those of one word among them
	Defined                         map[string]int // how often a function, a method or a type has a name
}

// Function is a function or a method with a body. Functions inside it belong to it.
type Function struct {
	Name       string
	Lines      int // from func to the closing brace
	Complexity int // one more than its ifs, fors, cases, && and ||
}

// Measure reads all Go files below root, whatever their build tags. It skips testdata, vendor, other modules, and directories with names that
// begin with a dot or an underscore.
func Measure(root string) (Numbers, error) {
	n := Numbers{PackageLines: map[string]int{}, FileLines: map[string]int{}, Defined: map[string]int{}}
	var codes []codeLines
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != root && passedOver(file) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.HasSuffix(file, "_test.go") {
			n.TestLines += bytes.Count(text, []byte("\n"))
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		c, err := n.addFile(filepath.ToSlash(dir), file, text)
		codes = append(codes, c)
		return err
	})
	n.Duplicates = countDuplicates(codes)
	return n, err
}

// passedOver reports whether a directory is none of the module's packages.
func passedOver(dir string) bool {
	name := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_'
}

// addFile counts a file, and returns its lines for the comparison with others.
func (n *Numbers) addFile(dir, name string, text []byte) (codeLines, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	lines := bytes.Count(text, []byte("\n"))
	n.Files++
	n.Lines += lines
	n.PackageLines[dir] += lines
	n.FileLines[name] = lines
	all := newLines(text, fset, file)
	n.BlankLines += countTrue(all.blank)
	n.CommentLines += countTrue(all.comment)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			n.countName(d.Name, d.Doc, d.Recv == nil || ast.IsExported(receiverName(d)))
			n.countWords(d.Name.Name)
			if d.Body != nil {
				span := fset.Position(d.End()).Line - fset.Position(d.Pos()).Line + 1
				n.Functions = append(n.Functions, Function{Name: dir + "." + d.Name.Name, Lines: span, Complexity: countBranches(d)})
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				n.countSpec(spec, d.Doc)
			}
		}
	}
	return all.codeOnly(), nil
}

// countSpec counts the names of a type, a variable or a constant. A comment above their group counts for each.
func (n *Numbers) countSpec(spec ast.Spec, group *ast.CommentGroup) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		n.countName(spec.Name, cmp.Or(spec.Doc, spec.Comment, group), true)
		n.countWords(spec.Name.Name)
		if _, is := spec.Type.(*ast.InterfaceType); is {
			n.Interfaces++
		}
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			n.countName(id, cmp.Or(spec.Doc, spec.Comment, group), true)
		}
	}
}

// countName counts one name. Methods of unexported types are not exported.
func (n *Numbers) countName(id *ast.Ident, doc *ast.CommentGroup, reachable bool) {
	n.Names++
	if id.IsExported() && reachable {
		n.Exported++
		if doc != nil {
			n.Documented++
		}
	}
}

// countWords counts the name of a function, a method or a type, but for those that Go itself gives.
func (n *Numbers) countWords(name string) {
	if name == "main" || name == "init" || name == "_" {
		return
	}
	n.Defined[name]++
	if !ast.IsExported(name) {
		n.Unexported++
		if strings.ToLower(name) == name && !strings.Contains(name, "_") {
			n.OneWord++
		}
	}
}

// DefinedOften are the names that functions, methods and types have five times or more, in order.
func (n Numbers) DefinedOften() (names []string) {
	for name, times := range n.Defined {
		if times >= 5 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// countBranches returns the cyclomatic complexity of a function.
func countBranches(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// Quantile returns the number that a share of the functions do not exceed; of selects the number.
func (n Numbers) Quantile(share float64, of func(Function) int) int {
	if len(n.Functions) == 0 {
		return 0
	}
	var all []int
	for _, f := range n.Functions {
		all = append(all, of(f))
	}
	slices.Sort(all)
	return all[min(int(share*float64(len(all))), len(all)-1)]
}

// LongerThan counts the functions with more lines.
func (n Numbers) LongerThan(lines int) (count int) {
	for _, f := range n.Functions {
		if f.Lines > lines {
			count++
		}
	}
	return count
}

// BiggestPackage returns the package with most lines.
func (n Numbers) BiggestPackage() (dir string, lines int) {
	for d, l := range n.PackageLines {
		if l > lines || l == lines && d < dir {
			dir, lines = d, l
		}
	}
	return dir, lines
}
