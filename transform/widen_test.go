package transform

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"aqueduck/schemas"
)

// TestT176AValueHasOneSpellingInAColumnThatHasWidened writes values in the spellings of sources, to columns that got their types
// in every possible order. A value that a narrower type can hold is spelled as that type spells it, any other as sent, except for
// numbers, which JSON can write in several ways.
func TestT176AValueHasOneSpellingInAColumnThatHasWidened(t *testing.T) {
	t.Parallel()
	types := map[string][]schemas.Type{"bool": {schemas.Bool}, "bool int": {schemas.Bool, schemas.Int}, "bool int double": {schemas.Bool, schemas.Int, schemas.Double},
		"int": {schemas.Int}, "int double": {schemas.Int, schemas.Double}, "double": {schemas.Double}, "": nil}
	for _, c := range []struct{ was, sent, want string }{
		{"bool", `true`, "true"}, {"bool", `"true"`, "true"}, {"bool", `1`, "1"}, {"bool", `1.50`, "1.5"}, {"bool", `"1.50"`, "1.50"}, {"bool", `"x"`, "x"},
		{"bool int", `true`, "1"}, {"bool int", `"false"`, "0"}, {"bool int", `1`, "1"}, {"bool int", `1.0`, "1"}, {"bool int", `"1"`, "1"}, {"bool int", `"1.0"`, "1"},
		{"bool int", `"01"`, "01"}, {"bool int", `"1.50"`, "1.50"}, {"bool int", `1.50`, "1.5"}, {"bool int double", `"1.50"`, "1.5"}, {"bool int double", `true`, "1"},
		{"int", `true`, "true"}, {"int", `-0`, "0"}, {"int", `1e2`, "100"}, {"int", `9007199254740993`, "9007199254740993"},
		{"int", `123456789012345678901234567890`, "123456789012345678901234567890"}, {"int double", `9007199254740993`, "9007199254740993"},
		{"double", `2`, "2"}, {"double", `2.0`, "2"}, {"double", `"2.0"`, "2"}, {"double", `1e20`, "1e+20"}, {"double", `9007199254740993`, "9007199254740992"},
		{"double", `0.1`, "0.1"}, {"double", `1e-5`, "1e-05"}, {"double", `"v2.0"`, "v2.0"}, {"double", `" 2"`, " 2"}, {"", `1.50`, "1.50"}, {"", `true`, "true"},
	} {
		s := &schemas.Stream{Name: "s", Table: "s", Key: []string{"id"}, Columns: []schemas.Column{
			{Name: "id", From: []string{"id"}, Type: schemas.Text}, {Name: "v", From: []string{"v"}, Type: schemas.Text, NarrowerTypes: types[c.was]}}}
		if got := newTestDecoder(t, s, Options{}).appendAll(`{"id":"1","v":` + c.sent + `}`).onlyRow()["v"]; got != c.want {
			t.Errorf("%s in a column that was %q is %v, want %s", c.sent, c.was, got, c.want)
		}
		if c.was == "" {
			continue
		}
		if got, ok := SpellValue(tableColumns(s.Columns)[1], []byte(c.sent)); !ok || got != c.want {
			t.Errorf("%s, put in later into a column that was %q, is %v, want %s", c.sent, c.was, got, c.want)
		}
	}
	for _, raw := range []string{`null`, `{}`, `[1]`} {
		if got, ok := SpellValue(Column{Type: schemas.Text, NarrowerTypes: types["int"]}, []byte(raw)); ok {
			t.Errorf("%s is %q", raw, got)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		v := math.Float64frombits(random.Uint64())
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		text := string(appendDouble(nil, v))
		if back, err := strconv.ParseFloat(text, 64); err != nil || back != v {
			t.Fatalf("%v is spelled %s, which is %v", v, text, back)
		}
	}
}
