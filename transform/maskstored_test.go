package transform

import (
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/maskrule"
)

// TestAHashLeavesWhetherThereIsAText has a text, its plain text and whether there is one: what a hash replaces, and what is dropped.
func TestAHashLeavesWhetherThereIsAText(t *testing.T) {
	t.Parallel()
	record := `{"id":"1","body":"<p>Ann</p>"}`
	key := []byte("a key")
	hashed := newTestDecoder(t, thingStream(), Options{Hash: []string{"body"}, HashKey: key}).appendAll(record).onlyRow()
	if hashed["body"] != Hash(key, "<p>Ann</p>") || hashed["has_words"] != true {
		t.Errorf("hashed: %v", hashed)
	}
	if dropped := newTestDecoder(t, thingStream(), Options{Drop: []string{"body"}}).appendAll(record).onlyRow(); dropped["body"] != nil || dropped["has_words"] != nil {
		t.Errorf("dropped: %v", dropped)
	}
	for _, hash := range []bool{true, false} {
		touched := false
		for _, p := range maskRulesFor(t, thingStream(), "body", hash) {
			touched = touched || p.Column == "has_words"
		}
		if touched == hash {
			t.Errorf("hash %t: a stored has_words is emptied: %t", hash, touched)
		}
	}
}

// TestStoredJSONIsMaskedAsAReadingMasksIt compares the masking of a stored text with that of a record which is read with the same names.
func TestStoredJSONIsMaskedAsAReadingMasksIt(t *testing.T) {
	t.Parallel()
	s := &schemas.Stream{Name: "things", Table: "things", Key: []string{"id"}, Columns: []schemas.Column{newColumn("id", schemas.Text), newColumn("more", schemas.JSON),
		newColumn("body", schemas.Text), {Name: "text", From: []string{"body"}, Type: schemas.Text, As: "plain_text"}}}
	record := `{"id": 1, "body": "<b>Ann</b>", "more": {"a": "x\u00e4", "b": {"c": [{"d": 1, "e": "y"}, {"d": "1"}]}, "f.g": "z", "n": null}, "nick": {"a": "x", "name": "Ann"}}`
	key := []byte("key")
	for _, tt := range []struct{ hash, drop []string }{
		{hash: []string{"more"}}, {hash: []string{"more.a", "more.b.c.d"}}, {hash: []string{"more.b"}, drop: []string{"more.a"}}, {drop: []string{"more.b.c.d", "more.f.g"}},
		{hash: []string{"more.f.g", "more.n", "_extra.nick"}}, {hash: []string{"_extra.nick.name"}, drop: []string{"_extra.nick.a"}}, {drop: []string{"_extra.nick", "more"}}, {hash: []string{"body"}},
	} {
		read := newTestDecoder(t, s, Options{Hash: tt.hash, Drop: tt.drop, HashKey: key}).appendAll(record).takeRows()["things"][0]
		stored := newTestDecoder(t, s, Options{}).appendAll(record).takeRows()["things"][0]
		var rules []maskrule.Rule
		for _, name := range tt.hash {
			rules = append(rules, maskRulesFor(t, s, name, true)...)
		}
		for _, name := range tt.drop {
			rules = append(rules, maskRulesFor(t, s, name, false)...)
		}
		for _, column := range []string{"more", "_extra"} {
			var own []maskrule.Rule
			for _, p := range maskrule.Simplify(rules) {
				if p.Column == column {
					own = append(own, p)
				}
			}
			want, _ := read[column].(string)
			got, _ := stored[column].(string)
			if len(own) > 0 {
				got = MaskJSON(own, key)(got)
			}
			if got != want {
				t.Errorf("%v: %s is\n%s, read it is\n%s", tt, column, got, want)
			}
		}
		for _, p := range rules {
			if p.Column == "text" && (p.From != "body" || !p.Hash || read["text"] != Hash(key, stored["body"].(string))) {
				t.Errorf("the text is masked by %+v, read it is %v", p, read["text"])
			}
		}
	}
}

// TestAValueIsNeitherHashedTwiceNorFromAMaskedPart has rules for rows that were stored with other rules: what a later mask does with them, and
// what of it is removed because its hash cannot be computed.
func TestAValueIsNeitherHashedTwiceNorFromAMaskedPart(t *testing.T) {
	t.Parallel()
	key := []byte("key")
	s := attributeStream()
	record := `{"id": 1, "attributes": {"_title_": "Help", "o": [{"p": "x", "q": "y"}]}}`
	value := `[{"p":"x","q":"y"}]`
	hash := func(text string) string { return `"` + Hash(key, text) + `"` }
	for _, tt := range []struct {
		name          string
		before, after maskNamed
		whole, entry  any
	}{
		{"a part of one of all", maskNamed{hash: []string{"_extra.attributes.o.p"}}, maskNamed{hash: []string{"_extra.attributes.*"}}, `{"_title_":` + hash("Help") + `}`, nil},
		{"a dropped part of one of all", maskNamed{drop: []string{"attributes.o.p"}}, maskNamed{hash: []string{"thing_attributes.value"}}, `{"_title_":` + hash("Help") + `}`, nil},
		{"a part of the one", maskNamed{hash: []string{"attributes.o.p"}}, maskNamed{hash: []string{"attributes.o"}}, `{"_title_":"Help"}`, nil},
		{"one of all", maskNamed{hash: []string{"attributes.o"}}, maskNamed{hash: []string{"thing_attributes.value"}}, `{"_title_":` + hash("Help") + `,"o":` + hash(value) + `}`, hash(value)},
		{"the same by another name", maskNamed{hash: []string{"title"}}, maskNamed{hash: []string{"attributes._title_"}}, `{"_title_":` + hash("Help") + `,"o":` + value + `}`, value},
		{"a part of what is hashed", maskNamed{hash: []string{"thing_attributes.value"}}, maskNamed{hash: []string{"attributes.o.p"}}, `{"_title_":` + hash("Help") + `,"o":` + hash(value) + `}`, hash(value)},
		{"what is hashed is dropped", maskNamed{hash: []string{"thing_attributes.value"}}, maskNamed{drop: []string{"attributes.o"}}, `{"_title_":` + hash("Help") + `}`, "no row"},
	} {
		rows := newTestDecoder(t, s, Options{}).appendAll(record).takeRows()
		before := allMaskRules(t, s, tt.before.hash, tt.before.drop)
		maskRows(s, rows, before, key)
		maskRows(s, rows, maskrule.After(maskrule.Simplify(allMaskRules(t, s, tt.after.hash, tt.after.drop)), before), key)
		entry := any("no row")
		for _, row := range rows["thing_attributes"] {
			if row["name"] == "o" {
				entry = row["value"]
			}
		}
		if whole := rows["things"][0]["attributes"]; whole != tt.whole || entry != tt.entry {
			t.Errorf("%s: %v and %v, want %v and %v", tt.name, whole, entry, tt.whole, tt.entry)
		}
	}
}

// maskNamed are names of hash and drop.
type maskNamed struct{ hash, drop []string }
