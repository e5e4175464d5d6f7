package queries_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aqueduck/schemas"
	"aqueduck/transform/compat"
	"aqueduck/transform/models"
)

// TestNoSQLOfOursReadsADeprecatedView: contacts_raw and the like are views in the workspace's schema for one more version. What the program runs itself
// names the tables of the raw schema, so that nothing of it breaks without the views.
func TestNoSQLOfOursReadsADeprecatedView(t *testing.T) {
	t.Parallel()
	c, err := schemas.Builtin()
	must(t, err)
	raw, named := c.RawNames(), 0
	isOld := func(name string) bool { return slices.Contains(raw, name) || slices.Contains(raw, name+"_all") }
	check := func(where string, r schemas.Relation) {
		t.Helper()
		for _, source := range r.Sources() {
			if !source.Model && !source.Raw && isOld(source.Name) {
				t.Errorf("%s reads {schema}.%s: write {raw}.%[2]s", where, source.Name)
			}
			if source.Raw && !slices.Contains(raw, source.Name) {
				t.Errorf("%s reads {raw}.%s, which is no table of the raw schema", where, source.Name)
			} else if source.Raw {
				named++
			}
		}
	}
	all, err := models.Builtin()
	must(t, err)
	views, err := compat.Views(func(string) bool { return true })
	must(t, err)
	for _, s := range c.Streams() {
		if s.PublishAs != "" {
			relations, err := c.Relations(s.PublishAs)
			must(t, err)
			all = append(all, relations...)
		}
		if s.Read.Over != nil {
			check(s.Read.Over.View, schemas.Relation{SQL: s.Read.Over.SQL})
		}
		if s.Persons != nil {
			check("persons of "+s.Name, schemas.Relation{SQL: s.Persons.Deleted + "\n" + s.Persons.Merged})
		}
	}
	for _, r := range slices.Concat(all, views) {
		check(r.Name, r)
	}
	if named < 20 || len(raw) < 10 {
		t.Errorf("%d names of %d tables of the raw schema: the test does not find them", named, len(raw))
	}
	joins, err := os.ReadFile("joins.sql")
	must(t, err)
	texts := map[string]string{"joins.sql": string(joins)}
	for _, q := range allQueries(t) {
		texts[q.Name] = q.SQL
	}
	for where, text := range texts {
		for _, name := range regexp.MustCompile(`\w+`).FindAllString(strings.ToLower(text), -1) {
			if isOld(name) {
				t.Errorf("%s names %s", where, name)
			}
		}
	}
}
