package transform

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSimplifiedRulesMaskEachValueOnce has, for each rule that goes, one that covers it. A hash of a hash would be another value.
func TestSimplifiedRulesMaskEachValueOnce(t *testing.T) {
	t.Parallel()
	body := MaskRule{Table: "parts", Column: "body", Hash: true}
	for name, tt := range map[string]struct{ rules, want []MaskRule }{
		"a rule of two names":                {[]MaskRule{body, body}, []MaskRule{body}},
		"two columns":                        {[]MaskRule{body, {Table: "parts", Column: "text"}}, []MaskRule{body, {Table: "parts", Column: "text"}}},
		"the same column of two tables":      {[]MaskRule{body, {Table: "notes", Column: "body", Hash: true}}, []MaskRule{body, {Table: "notes", Column: "body", Hash: true}}},
		"a field in a masked column":         {[]MaskRule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j"}}, []MaskRule{{Table: "a", Column: "j"}}},
		"two fields of a column":             {[]MaskRule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j", Path: []string{"y"}}}, []MaskRule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j", Path: []string{"y"}}}},
		"a hashed column that is also empty": {[]MaskRule{body, {Table: "parts", Column: "body"}}, []MaskRule{{Table: "parts", Column: "body"}}},
		"deleted rows":                       {[]MaskRule{body, {Table: "parts", Rows: true}, {Table: "parts", Rows: true}}, []MaskRule{{Table: "parts", Rows: true}}},
	} {
		if diff := cmp.Diff(tt.want, SimplifyRules(tt.rules)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

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
