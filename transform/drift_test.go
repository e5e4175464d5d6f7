package transform

import (
	"slices"
	"testing"
)

// TestT122UndeclaredFieldsAreReportedOnce, each with its path and the type of its first value that is not null.
func TestT122UndeclaredFieldsAreReportedOnce(t *testing.T) {
	t.Parallel()
	d, err := NewDecoder(thingStream(), Options{APIVersion: "2.17"})
	if err != nil {
		t.Fatal(err)
	}
	add := func(record string) []SchemaDrift {
		if err := d.Append([]byte(record), Meta{}); err != nil {
			t.Fatal(err)
		}
		batches := d.Take()
		for _, b := range batches {
			b.Rows.Release()
		}
		return batches[0].SchemaDrift
	}
	if got := add(`{"id":"1","odd":null}`); len(got) != 0 {
		t.Errorf("a field that is null: %v", got)
	}
	want := []SchemaDrift{{"things", "", "odd", "double"}, {"things", "", "place.more", "object"}, {"thing_tags", "", "colour", "text"}, {"things", "i", "i", "text"}}
	if got := add(`{"id":"1","odd":1.5,"place":{"more":{"x":1}},"tags":{"data":[{"id":"7","colour":"red"}]},"i":"many"}`); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := add(`{"id":"2","odd":"text","place":{"more":[]},"i":"few"}`); len(got) != 0 {
		t.Errorf("told twice: %v", got)
	}
}
