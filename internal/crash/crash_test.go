package crash

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// TestEveryPointIsInOneList: the tests that kill processes use these lists.
func TestEveryPointIsInOneList(t *testing.T) {
	lists := slices.Concat(Points(), ErasePoints(), RebuildPoints(), RestorePoints(), ExportPoints(), RemotePoints(), MirrorPoints())
	file, err := parser.ParseFile(token.NewFileSet(), "crash.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	places := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		places++
		if !slices.Contains(lists, name) {
			t.Errorf("%s is in no list: no test dies there", name)
		}
		return true
	})
	if places != len(lists) {
		t.Errorf("%d places, %d in the lists", places, len(lists))
	}
}
