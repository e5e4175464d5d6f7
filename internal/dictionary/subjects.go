package dictionary

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

// SubjectGroup has what is about one subject, as a heading names it.
type SubjectGroup[T any] struct {
	About string
	All   []T
}

// GroupBySubject groups relations or saved queries by what their names say that they are about, in the order of the subjects; others come last.
func GroupBySubject[T any](all []T, name func(T) string) (groups []SubjectGroup[T]) {
	for _, s := range subjects {
		groups = append(groups, SubjectGroup[T]{About: s.name})
	}
	groups = append(groups, SubjectGroup[T]{About: otherSubject})
	for _, one := range all {
		about := subjectOf(name(one))
		i := slices.IndexFunc(groups, func(g SubjectGroup[T]) bool { return g.About == about })
		groups[i].All = append(groups[i].All, one)
	}
	return slices.DeleteFunc(groups, func(g SubjectGroup[T]) bool { return len(g.All) == 0 })
}
