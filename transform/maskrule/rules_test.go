package maskrule

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestSimplifiedRulesMaskEachValueOnce has, for each rule that goes, one that covers it. A hash of a hash would be another value.
func TestSimplifiedRulesMaskEachValueOnce(t *testing.T) {
	t.Parallel()
	body := Rule{Table: "parts", Column: "body", Hash: true}
	for name, tt := range map[string]struct{ rules, want []Rule }{
		"a rule of two names":                {[]Rule{body, body}, []Rule{body}},
		"two columns":                        {[]Rule{body, {Table: "parts", Column: "text"}}, []Rule{body, {Table: "parts", Column: "text"}}},
		"the same column of two tables":      {[]Rule{body, {Table: "notes", Column: "body", Hash: true}}, []Rule{body, {Table: "notes", Column: "body", Hash: true}}},
		"a field in a masked column":         {[]Rule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j"}}, []Rule{{Table: "a", Column: "j"}}},
		"two fields of a column":             {[]Rule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j", Path: []string{"y"}}}, []Rule{{Table: "a", Column: "j", Path: []string{"x"}}, {Table: "a", Column: "j", Path: []string{"y"}}}},
		"a hashed column that is also empty": {[]Rule{body, {Table: "parts", Column: "body"}}, []Rule{{Table: "parts", Column: "body"}}},
		"deleted rows":                       {[]Rule{body, {Table: "parts", Rows: true}, {Table: "parts", Rows: true}}, []Rule{{Table: "parts", Rows: true}}},
	} {
		if diff := cmp.Diff(tt.want, Simplify(tt.rules)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestAnEarlierMaskIsNotAppliedAgain has rules for rows that were stored with an earlier rule.
func TestAnEarlierMaskIsNotAppliedAgain(t *testing.T) {
	t.Parallel()
	all, one := Rule{Table: "a", Column: "j", Hash: true}, Rule{Table: "a", Column: "j", Hash: true, KeyColumn: "name", Key: "x"}
	part := Rule{Table: "a", Column: "j", Path: []string{"p"}, Hash: true}
	with := func(p Rule, set func(p *Rule)) Rule {
		set(&p)
		return p
	}
	partly := func(p *Rule) { p.Partly = true }
	hashed := with(all, func(p *Rule) { p.Hashed = true })
	removed := with(one, func(p *Rule) { p.Hash = false })
	for name, tt := range map[string]struct {
		rule, before Rule
		want         []Rule
	}{
		"the same":                     {all, all, nil},
		"the same, in some rows":       {all, with(all, partly), []Rule{hashed}},
		"one entry of all":             {one, all, nil},
		"all entries after one":        {all, one, []Rule{hashed}},
		"another column":               {all, Rule{Table: "a", Column: "k", Hash: true}, []Rule{all}},
		"another entry":                {one, with(one, func(p *Rule) { p.Key = "y" }), []Rule{one}},
		"a part of what is hashed":     {part, all, nil},
		"what was hashed is dropped":   {removed, all, []Rule{removed}},
		"what was dropped is hashed":   {all, with(all, func(p *Rule) { p.Hash = false }), nil},
		"what lacks a part":            {all, part, []Rule{with(all, func(p *Rule) { p.Hash = false })}},
		"one entry lacks a part":       {all, with(part, func(p *Rule) { p.KeyColumn, p.Key = "name", "x" }), []Rule{hashed, with(removed, func(p *Rule) { p.Path, p.Hashed = []string{}, false })}},
		"deleted rows":                 {Rule{Table: "a", Rows: true}, Rule{Table: "a", Rows: true}, nil},
		"all rows, after those of one": {Rule{Table: "a", Rows: true}, Rule{Table: "a", Rows: true, KeyColumn: "name", Key: "x"}, []Rule{{Table: "a", Rows: true}}},
		"all rows, deleted from some":  {Rule{Table: "a", Rows: true}, Rule{Table: "a", Rows: true, Partly: true}, []Rule{{Table: "a", Rows: true}}},
		"those of one, after all":      {Rule{Table: "a", Rows: true, KeyColumn: "name", Key: "x"}, Rule{Table: "a", Rows: true}, nil},
	} {
		if diff := cmp.Diff(tt.want, After([]Rule{tt.rule}, []Rule{tt.before}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
