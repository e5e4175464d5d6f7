package schemas_test

import (
	"io/fs"
	"os"
	"testing"

	"aqueduck/schemas"
)

// TestAChangedCatalogueChangesNoOther changes a stream of one catalogue of the built-in streams: another one has it as its file says.
func TestAChangedCatalogueChangesNoOther(t *testing.T) {
	t.Parallel()
	first, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	changed, _ := first.Stream("contacts")
	size := changed.Read.Page.Size
	changed.Read.Page.Size, changed.History = size+1, !changed.History
	second, err := schemas.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := second.Stream("contacts"); s.Read.Page.Size != size || s.History == changed.History {
		t.Errorf("a page of another catalogue has %d records, history %t", s.Read.Page.Size, s.History)
	}
}

// TestTheBuiltInStreamsHaveNoMistakes reads their files as those of a user, with every check.
func TestTheBuiltInStreamsHaveNoMistakes(t *testing.T) {
	t.Parallel()
	dir := os.DirFS(".")
	names, err := fs.Glob(dir, "*.yaml")
	if err != nil || len(names) < 40 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	var files []schemas.File
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, schemas.File{Name: name, Text: text, Dir: dir})
	}
	empty := new(schemas.Catalogue)
	if err := empty.AddFiles(files...); err != nil {
		t.Error(err)
	}
}
