package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestAttributesHaveTheTypesOfAllTheirValues, of members with any name and with values at the ends of what types hold.
func TestAttributesHaveTheTypesOfAllTheirValues(t *testing.T) {
	t.Parallel()
	var a AttributeTypes
	for _, raw := range []string{
		`{"n":1,"b":true,"t":"x","d":1.5,"l":[1],"o":{"n":2},"nothing":null}`, `{"n":2,"b":false,"\u0062ig":9007199254740993,"edge":9007199254740992}`,
		`{"mixed":1}`, `{"mixed":"1"}`, `{"mixed":1e3}`, `{"huge":18446744073709551615,"longer":18446744073709551616,"endless":1e999,"least":-9223372036854775808,"zero":-0}`,
		`{}`, `null`, `[1]`, `"n"`, ``,
	} {
		if err := a.Add([]byte(raw)); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	var got []string
	a.Each(func(name string, types []string) { got = append(got, name+": "+strings.Join(types, " ")) })
	want := []string{"b: bool", "big: int big", "d: double", "edge: int", "endless: double", "huge: text", "l: json", "least: int big", "longer: double", "mixed: int double text",
		"n: int", "o: json", "t: text", "zero: int"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := a.Add([]byte(`{"n":`)); err == nil {
		t.Error("half an object was read")
	}
}

// TestManyAttributesKeepTheFirstNames: a record may have ids as names.
func TestManyAttributesKeepTheFirstNames(t *testing.T) {
	t.Parallel()
	a := AttributeTypes{Most: 3}
	for i := range 1000 {
		if err := a.Add(fmt.Appendf(nil, `{"%04d":1}`, 999-i)); err != nil {
			t.Fatal(err)
		}
		if len(a.types) > 2*a.Most {
			t.Fatalf("%d names are kept", len(a.types))
		}
	}
	var got []string
	a.Each(func(name string, _ []string) { got = append(got, name) })
	if want := []string{"0000", "0001", "0002"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
