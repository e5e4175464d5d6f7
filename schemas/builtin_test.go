package schemas_test

import (
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
