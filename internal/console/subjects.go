package console

import (
	"slices"
	"strings"
)

// subjects are what relations and saved queries are about, in the order of the page, with the beginnings of their names. The longest beginning counts.
var subjects = []struct {
	name   string
	begins []string
}{
	{"Contacts", []string{"contact", "people", "deleted_contact", "lifecycle", "demo_"}},
	{"Companies", []string{"compan"}},
	{"Segments and tags", []string{"segment", "tags"}},
	{"Conversations", []string{"conversation", "deleted_conversation", "side_conversation", "handling_", "backlog", "state_interval"}},
	{"Answers and service levels", []string{"repl", "reopen", "resolved", "first_contact", "sla", "service_level", "office_hours", "owned", "assign", "metric_drift"}},
	{"Ratings and reviews", []string{"csat", "rating", "qa", "review"}},
	{"Tickets", []string{"ticket"}},
	{"Calls", []string{"call"}},
	{"AI agent", []string{"ai_", "hitl", "consultation", "content_snippet", "data_connector", "assigned_bot"}},
	{"Help center and news", []string{"article", "collection", "help_center", "internal_article", "folder", "news"}},
	{"Teammates and teams", []string{"admin", "team", "away", "workload"}},
	{"Exports of reports", []string{"reporting_"}},
	{"Settings of the workspace", []string{"data_attribute", "conversation_data_attribute", "subscription", "dynamic_content", "macro", "brand"}},
	{"The warehouse itself", []string{"data_as_of", "data_drift", "data_personal", "data_rows"}},
}

// otherSubject is what the relations of other streams are about.
const otherSubject = "Others"

// subjectOf returns what a relation or a saved query is about, by its name.
func subjectOf(name string) string {
	found, longest := otherSubject, 0
	for _, s := range subjects {
		for _, begin := range s.begins {
			if strings.HasPrefix(name, begin) && len(begin) > longest {
				found, longest = s.name, len(begin)
			}
		}
	}
	return found
}

// subjectGroup has what is about one subject.
type subjectGroup[T any] struct {
	About string
	All   []T
}

// groupBySubject groups things in the order of the subjects; others come last.
func groupBySubject[T any](all []T, name func(T) string) (groups []subjectGroup[T]) {
	for _, s := range subjects {
		groups = append(groups, subjectGroup[T]{About: s.name})
	}
	groups = append(groups, subjectGroup[T]{About: otherSubject})
	for _, one := range all {
		about := subjectOf(name(one))
		i := slices.IndexFunc(groups, func(g subjectGroup[T]) bool { return g.About == about })
		groups[i].All = append(groups[i].All, one)
	}
	return slices.DeleteFunc(groups, func(g subjectGroup[T]) bool { return len(g.All) == 0 })
}

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
