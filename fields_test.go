package aqueduck

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unitless are the types of which a name alone does not say enough: numbers and times have a unit, a truth has a meaning, a map has keys.
var unitless = []string{"bool", "float64", "int", "int32", "int64", "time.Duration", "time.Time", "uint64"}

// TestFieldsSayWhatTheyHold: an exported field of an exported type that is a number, a time, a truth or a map has a comment, or its type's
// names it.
func TestFieldsSayWhatTheyHold(t *testing.T) {
	t.Parallel()
	looked := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for of, fields := range exportedStructs(file) {
			for _, field := range fields {
				_, isMap := field.Type.(*ast.MapType)
				if field.Doc != nil || field.Comment != nil || !isMap && !slices.Contains(unitless, types.ExprString(field.Type)) {
					continue
				}
				for _, name := range field.Names {
					looked++
					if name.IsExported() && !strings.Contains(strings.ToLower(of), strings.ToLower(name.Name)) {
						t.Errorf("%s: say what %s holds: its unit, its keys, or when it is true", fset.Position(name.Pos()), name.Name)
					}
				}
			}
		}
		return nil
	})
	if err != nil || looked == 0 {
		t.Fatal(looked, err)
	}
}

// exportedStructs gives the fields of each exported struct of a file, by the comment of its type.
func exportedStructs(file *ast.File) map[string][]*ast.Field {
	all := map[string][]*ast.Field{}
	for _, decl := range file.Decls {
		general, _ := decl.(*ast.GenDecl)
		if general == nil {
			continue
		}
		for _, spec := range general.Specs {
			if one, ok := spec.(*ast.TypeSpec); ok && one.Name.IsExported() {
				if s, ok := one.Type.(*ast.StructType); ok {
					doc := general.Doc.Text() + one.Doc.Text()
					all[doc] = append(all[doc], s.Fields.List...)
				}
			}
		}
	}
	return all
}
