package queries_test

import (
	"slices"
	"strings"
	"testing"
)

// firstTries are what an analyst writes who knows the names and comments of relations, and not the pages: a saved query, columns of its answer, and SQL that gives the same.
var firstTries = map[string][2]string{
	"csat_by_teammate":              {"sum(answered), round(sum(answered * percent_satisfied) / sum(answered))", `SELECT count(satisfied), round(100 * avg(satisfied::INTEGER)) FROM models.csat`},
	"contacts_by_merges":            {"sum((ids - 1) * people)", `SELECT count(*) FROM contacts_all WHERE lifecycle = 'merged'`},
	"reopens_by_month":              {"sum(reopened)", `SELECT count(*) FROM models.conversation_metrics WHERE reopens > 0 AND created_date >= (SELECT min(month_date) FROM answer)`},
	"conversations_by_tag":          {"tag, on_the_conversation", `SELECT name, count(DISTINCT conversation_id) FROM conversation_tags WHERE conversation_id IN (SELECT id FROM conversations) AND name IN (SELECT tag FROM answer) GROUP BY ALL UNION ALL SELECT tag, 0 FROM answer WHERE on_the_conversation = 0`},
	"calls_by_direction":            {"direction, mean_minutes", `SELECT direction, round(avg(talk_time) / 60, 1) FROM models.calls_with_parts GROUP BY ALL`},
	"articles_by_reactions":         {"title, reactions", `SELECT title, reactions FROM articles WHERE state = 'published' ORDER BY reactions DESC, id LIMIT 20`},
	"tickets_by_age":                {"state, tickets", `SELECT state, count(*) FROM models.ticket_cycle WHERE state <> 'resolved' GROUP BY ALL`},
	"contacts_deleted_by_month":     {"sum(contacts)", `SELECT count(*) FROM contacts_deleted WHERE deleted_at IS NULL OR timezone(` + zone + `, deleted_at) >= (SELECT min(month_date) FROM answer)`},
	"conversations_by_company_size": {"sum(conversations)", `SELECT sum(conversations)::HUGEINT FROM models.company_overview`},
	"ai_alone_longest":              {"id, messages", `SELECT conversation_id, count(*) FROM models.conversation_messages JOIN models.first_contact_resolution USING (conversation_id) WHERE resolved_by = 'ai' GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 20`},
	"contacts_by_week":              {"sum(contacts)", `SELECT count(*) FROM contact_activities WHERE event_type = 'contact.created' AND timezone(` + zone + `, created_at) >= (SELECT min(week_date) FROM answer)`},
	"office_hours_by_team_and_week": {"sum(answers)", `SELECT count(*) FROM models.reply_pairs WHERE answered_by = 'human' AND asked_date >= (SELECT min(week_date) FROM answer)`},
}

// TestAnAnalystsFirstTryAgreesWithTheSavedQuery asks twelve questions twice.
func TestAnAnalystsFirstTryAgreesWithTheSavedQuery(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	for _, q := range allQueries(t) {
		try, is := firstTries[q.Name]
		if !is {
			continue
		}
		answer := "WITH answer AS (" + strings.TrimSuffix(strings.TrimSpace(q.SQL), ";") + ") "
		got, want := s.queryRows(answer+"SELECT "+try[0]+" FROM answer"), s.queryRows(answer+try[1])
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s\n  %s\nfirst try\n  %s", q.Name, try[0], strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}
