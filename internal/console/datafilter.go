package console

import (
	"slices"
	"strings"
)

// nameFilter are the words of a filter: something matches it if it has each of them.
type nameFilter []string

func newFilter(text string) nameFilter { return strings.Fields(strings.ToLower(text)) }

// matches reports whether the texts have each word of the filter.
func (f nameFilter) matches(texts ...string) bool {
	all := strings.ToLower(strings.Join(texts, "\n"))
	return !slices.ContainsFunc(f, func(word string) bool { return !strings.Contains(all, word) })
}

// foundTable is a table that a filter lets through.
type foundTable struct {
	*Table
	Found []ColumnView // columns that match, where the table itself does not
}

// findTables returns the tables whose name and comment match, and those of which a column matches.
func (f nameFilter) findTables(all []*Table) (found []foundTable) {
	for _, t := range all {
		one := foundTable{Table: t}
		if f.matches(t.Name, t.Doc) {
			found = append(found, one)
			continue
		}
		for _, c := range t.Columns {
			if f.matches(t.Name, c.Name, c.Doc) {
				one.Found = append(one.Found, c)
			}
		}
		if len(one.Found) > 0 {
			found = append(found, one)
		}
	}
	return found
}

// findQueries returns the saved queries whose name or question matches.
func (f nameFilter) findQueries(all []savedQuery) (found []savedQuery) {
	for _, q := range all {
		if f.matches(q.Name, q.Question) {
			found = append(found, q)
		}
	}
	return found
}
