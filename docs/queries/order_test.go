package queries_test

import (
	"slices"
	"strings"
	"testing"
)

// orders are the orders in which people expect the answers of saved queries, over the columns of the answer. Whatever these leave open is a tie, which may come in any order.
var orders = map[string]string{
	"month_date DESC NULLS LAST":             "ai_agent_resolution ai_deflection_by_month contacts_by_cohort contacts_deleted_by_month ratings_by_month reopens_by_month",
	"week_date DESC":                         "calls_by_week contacts_by_week replies_by_week",
	"created_date DESC":                      "conversations_by_day",
	"backlog_date DESC":                      "backlog_by_day",
	"week_date DESC, answers DESC, team":     "office_hours_by_team_and_week",
	"conversations DESC, content_type,title": "ai_agent_sources",
	"handled_alone DESC, channel":            "ai_alone_by_channel",
	"messages DESC, id":                      "ai_alone_longest",
	"reactions DESC, article_id":             "articles_by_reactions",
	"views DESC, id":                         "articles_by_views",
	"ai_conversations DESC, article_id":      "articles_in_ai_answers",
	"articles DESC, locale":                  "articles_untranslated",
	// The names of the groups begin with their number.
	"left(age, 1)::INTEGER":                         "backlog_by_age",
	"left(people, 1)::INTEGER":                      "companies_by_size",
	"left(last_seen, 1)::INTEGER":                   "contacts_by_last_visit",
	"left(employees, 1)::INTEGER":                   "conversations_by_company_size",
	"left(length, 1)::INTEGER":                      "conversations_by_length",
	"ids":                                           "contacts_by_merges",
	"hour_of_day":                                   "conversations_by_hour",
	"calls DESC, direction":                         "calls_by_direction",
	"calls DESC, admin":                             "calls_by_teammate",
	"call_type, calls DESC, transcript":             "calls_transcribed",
	"monthly_spend DESC, id":                        "companies_by_spend",
	"consultations DESC, outcome":                   "consultations_by_outcome",
	"contacts DESC, country":                        "contacts_by_country demo_2_countries",
	"contacts DESC, tag":                            "contacts_by_tag",
	"merged_at DESC, contact_id":                    "contacts_merged_into",
	"contacts DESC, role":                           "contacts_reachable_by_email",
	"contacts DESC, lifecycle":                      "demo_1_lives",
	"contacts DESC, what":                           "demo_3_changes",
	"conversations DESC, channel":                   "conversations_by_channel resolved_at_first_contact",
	"conversations DESC, tag":                       "conversations_by_tag",
	"conversations DESC, team":                      "conversations_by_team owned_by_team",
	"conversations DESC, team, sla_name":            "sla_by_team",
	"conversations DESC, sla_name":                  "service_levels",
	"conversations DESC, admin":                     "teammates_by_work",
	"conversations DESC, messages DESC, contact_id": "people_with_most_conversations",
	"hours_waited DESC":                             "conversations_waiting",
	"answered DESC, rated":                          "csat_by_teammate",
	"schema, synced_to NULLS FIRST, stream":         "data_as_of",
	"source, measure":                               "data_drift",
	"schema, table_name":                            "data_personal",
	"schema, stream":                                "data_rows",
	"team = 'no team', median_minutes, team":        "replies_by_team",
	"waits DESC, answered_by":                       "replies_by_who",
	"chosen DESC, scorecard, work_of":               "reviews_by_scorecard",
	"reviewed DESC, teammate":                       "reviews_by_teammate",
	"members DESC, name":                            "segments_by_size",
	"actions DESC, activity_type":                   "teammates_actions",
	"four_weeks DESC, admin":                        "teammates_by_week",
	"tickets DESC, state":                           "tickets_by_age",
	"tickets DESC, ticket_type":                     "tickets_by_duration",
	"ticket_type, category, tickets DESC, state":    "tickets_by_state",
	"days_open DESC":                                "tickets_open_longest",
	"replies DESC, admin":                           "workload_by_teammate",
}

// TestSavedQueriesAnswerInTheOrderThatPeopleExpect sorts each answer again, by its own values.
func TestSavedQueriesAnswerInTheOrderThatPeopleExpect(t *testing.T) {
	t.Parallel()
	s, expected := openPublishedFile(t), map[string]string{}
	for order, names := range orders {
		for _, name := range strings.Fields(names) {
			expected[name] = order
		}
	}
	for _, q := range allQueries(t) {
		order := expected[q.Name]
		if order == "" {
			t.Errorf("%s has no expected order: add it to orders", q.Name)
			continue
		}
		delete(expected, q.Name)
		moved := s.queryRows("WITH answer AS MATERIALIZED (" + strings.TrimSuffix(strings.TrimSpace(q.SQL), ";") + "), placed AS (SELECT *, row_number() OVER () AS place FROM answer)" +
			" SELECT * FROM placed QUALIFY row_number() OVER (ORDER BY " + order + ", place) <> place ORDER BY place")
		if len(moved) > 0 {
			t.Errorf("%s is not in the order %s: these rows belong elsewhere\n  %s", q.Name, order, strings.Join(moved, "\n  "))
		}
	}
	if len(expected) > 0 {
		t.Errorf("there are no such queries: %v", expected)
	}
}

// TestTicketNumbersSortAsNumbers: the API sends them as text, in which 10 comes before 9.
func TestTicketNumbersSortAsNumbers(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	sorted := func(by string) []string { return s.queryRows("SELECT number FROM tickets ORDER BY " + by) }
	if got, want := sorted("ticket_number"), sorted("length(number), number"); !slices.Equal(got, want) || slices.Equal(got, sorted("number")) {
		t.Errorf("by ticket_number: %v, want %v", got, want)
	}
}
