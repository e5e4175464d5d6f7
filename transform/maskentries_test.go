package transform

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"aqueduck/schemas"
)

// TestANamedEntryIsMaskedInItsRowAndInItsColumn names one member of an object whose members are rows. One of them has a column, too.
func TestANamedEntryIsMaskedInItsRowAndInItsColumn(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	record := `{"id": 1, "attributes": {"_title_": "Help", "n": 7, "o": {"p": "x", "q": "y"}, "f.g": "z"}}`
	hash := func(text string) string { return Hash(key, text) }
	for _, tt := range []struct {
		name       string
		hash, drop []string
		title      any
		entries    []string
	}{
		{name: "hash", hash: []string{"attributes._title_"}, title: hash("Help"), entries: []string{`_title_="` + hash("Help") + `"`, "n=7", `o={"p":"x","q":"y"}`, `f.g="z"`}},
		{name: "drop", drop: []string{"attributes._title_"}, entries: []string{"n=7", `o={"p":"x","q":"y"}`, `f.g="z"`}},
		{name: "a column's name", drop: []string{"title"}, entries: []string{"n=7", `o={"p":"x","q":"y"}`, `f.g="z"`}},
		{name: "a part of an entry", hash: []string{"attributes.o.p"}, title: "Help", entries: []string{`_title_="Help"`, "n=7", `o={"p":"` + hash("x") + `","q":"y"}`, `f.g="z"`}},
		{name: "a name with a dot", drop: []string{"attributes.f.g"}, title: "Help", entries: []string{`_title_="Help"`, "n=7", `o={"p":"x","q":"y"}`}},
		{name: "one hashed, one dropped", hash: []string{"attributes.n"}, drop: []string{"attributes._title_"}, entries: []string{`n="` + hash("7") + `"`, `o={"p":"x","q":"y"}`, `f.g="z"`}},
		{name: "all hashed, one dropped", hash: []string{"thing_attributes.value"}, drop: []string{"attributes.n"}, title: hash("Help"),
			entries: []string{`_title_="` + hash("Help") + `"`, `o={"p":"` + hash("x") + `","q":"` + hash("y") + `"}`, `f.g="` + hash("z") + `"`}},
		{name: "all dropped", drop: []string{"thing_attributes.value"}},
	} {
		s := attributeStream()
		read := newTestDecoder(t, s, Options{Hash: tt.hash, Drop: tt.drop, HashKey: key}).appendAll(record).takeRows()
		stored := newTestDecoder(t, s, Options{}).appendAll(record).takeRows()
		maskRows(s, stored, allMaskRules(t, s, tt.hash, tt.drop), key)
		for how, rows := range map[string]map[string][]map[string]any{"read": read, "stored": stored} {
			var entries []string
			for _, row := range rows["thing_attributes"] {
				entries = append(entries, fmt.Sprint(row["name"], "=", cmp.Or(row["value"], row["_extra"])))
			}
			if diff := gocmp.Diff(tt.entries, entries); diff != "" || rows["things"][0]["title"] != tt.title {
				t.Errorf("%s, %s: title %v, entries (-want +got):\n%s", tt.name, how, rows["things"][0]["title"], diff)
			}
		}
	}
}

// TestADroppedObjectOfAnEntryIsNotMissed drops an object inside each entry. No batch may say that an answer omits it.
func TestADroppedObjectOfAnEntryIsNotMissed(t *testing.T) {
	t.Parallel()
	s := attributeStream()
	s.Children[0].Columns[2] = newColumn("more", schemas.JSON)
	for name, want := range map[string]int{"": 1, "thing_attributes.more": 0} {
		policy, err := newPolicy(s, Options{Drop: strings.Fields(name)})
		if err != nil {
			t.Fatal(err)
		}
		plans, err := compilePlans(s, policy)
		if err != nil || len(plans[1].table.Groups) != want {
			t.Errorf("drop %q: %v, groups %+v", name, err, plans[1].table.Groups)
		}
	}
}
