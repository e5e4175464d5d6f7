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
