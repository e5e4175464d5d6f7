package queries_test

import (
	"slices"
	"strings"
	"testing"

	"aqueduck/docs/queries"
)

// zone is the time zone of the warehouse.
const zone = "'Australia/Adelaide'"

// asOf is the newest moment that the data knows of.
const asOf = "(SELECT max(synced_to) FROM _sync.freshness)"

// spoken has every message of conversations that are still there, from the stored tables alone.
const spoken = `WITH spoken AS (
	SELECT id AS conversation_id, created_at AS said_at, source_author_type AS author_type, source_author_id AS author_id, false AS agent, true AS opening FROM conversations
	UNION ALL
	SELECT p.conversation_id, p.created_at, p.author_type, p.author_id, coalesce(p.from_ai_agent, false) OR coalesce(p.is_ai_answer, false), false
	FROM conversation_parts p WHERE p.conversation_id IN (SELECT id FROM conversations) AND (p.part_type = 'comment' OR p.part_type = 'quick_reply' AND p.author_type IN ('user', 'lead')
		OR p.part_type IN ('assignment', 'assign_and_reopen', 'close', 'open', 'snoozed') AND p.author_type = 'admin' AND NOT coalesce(p.from_ai_agent, false) AND NOT coalesce(p.is_ai_answer, false)
			AND (coalesce(p.text, '') <> '' OR coalesce(p.redacted, false)))
) `

// recomputed are some columns of saved queries, computed in another way: from stored tables, without models.
var recomputed = map[string]struct{ columns, by string }{
	"conversations_by_hour": {"hour_of_day, on_weekdays + at_weekends", spoken + `SELECT extract('hour' FROM said_at AT TIME ZONE ` + zone + `), count(*) FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1`},
	"conversations_by_day": {"conversations, by_contacts + by_bots + by_teammates + by_campaigns + automated + other",
		`SELECT count(*), count(*) FROM conversations GROUP BY (created_at AT TIME ZONE ` + zone + `)::DATE ORDER BY (created_at AT TIME ZONE ` + zone + `)::DATE DESC LIMIT 30`},
	"people_with_most_conversations": {"contact_id, conversations, messages", spoken + `SELECT i.current_contact_id, count(DISTINCT s.conversation_id) AS n, count(*) FROM spoken s, contact_identity i
		WHERE s.author_type IN ('user', 'lead') AND i.contact_id = s.author_id GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT 20`},
	"tickets_open_longest": {"id", `SELECT id FROM tickets WHERE open AND NOT coalesce(ticket_state_category = 'resolved', ticket_state->>'$' = 'resolved', false) ORDER BY created_at, id LIMIT 20`},
	"reviews_by_scorecard": {"scorecard, work_of, reviewed, with_a_verdict, passed", `SELECT name, reviewed_teammate_type, count(*) FILTER (review_status <> 'unreviewed'),
		count(*) FILTER (review_status <> 'unreviewed' AND passed IS NOT NULL), coalesce(sum(CASE WHEN review_status <> 'unreviewed' AND passed THEN 1 ELSE 0 END), 0)
		FROM conversation_scorecards WHERE conversation_id IN (SELECT id FROM conversations) GROUP BY 1, 2`},
	"owned_by_team":    {"sum(in_charge_now)", `SELECT count(*) FROM conversations WHERE coalesce(team_assignee_id, '0') <> '0' OR coalesce(admin_assignee_id, '0') <> '0'`},
	"csat_by_teammate": {"sum(requested), sum(answered)", `SELECT count(*), count(rating) FROM conversations WHERE coalesce(rating::VARCHAR, rating_created_at::VARCHAR, rating_teammate_type, rating_contact_id) IS NOT NULL`},
	"backlog_by_age": {"sum(conversations), max(oldest_days)", `SELECT count(*), round(max(epoch(` + asOf + `) - epoch(created_at)) / 86400, 1) FROM conversations c WHERE state IN ('open', 'snoozed')
		AND NOT (state = 'open' AND source_author_type NOT IN ('user', 'lead') AND NOT EXISTS (FROM conversation_parts p WHERE p.conversation_id = c.id
			AND (p.state IS NOT NULL OR p.part_type IN ('close', 'snoozed', 'open', 'assign_and_reopen') OR p.part_type IN ('comment', 'quick_reply') AND p.author_type IN ('user', 'lead'))))`},
	"sla_by_team": {"sum(conversations), sum(met), sum(missed)", `SELECT count(*), count(*) FILTER (sla_status = 'hit'), count(*) FILTER (sla_status = 'missed') FROM conversations WHERE coalesce(sla_name, sla_status) IS NOT NULL`},
	"contacts_deleted_by_month": {"sum(contacts), sum(permanently_deleted), sum(to_be_deleted), sum(deleted)",
		`SELECT sum(n), sum(p), sum(t), sum(d) FROM (SELECT count(*) AS n, count(*) FILTER (lifecycle = 'permanently_deleted') AS p, count(*) FILTER (lifecycle = 'pending_deletion') AS t, count(*) FILTER (lifecycle = 'deleted') AS d
		FROM contact_identity WHERE lifecycle LIKE '%delet%' GROUP BY date_trunc('month', since AT TIME ZONE ` + zone + `) ORDER BY date_trunc('month', since AT TIME ZONE ` + zone + `) DESC NULLS LAST LIMIT 12)`},
	"conversations_by_tag": {"tag, conversations", `SELECT (SELECT any_value(name) FROM (SELECT tag_id, name FROM conversation_tags UNION SELECT tag_id, name FROM conversation_part_tags) x WHERE x.tag_id = g.tag_id), count(DISTINCT conversation_id)
		FROM (SELECT tag_id, conversation_id FROM conversation_part_tags UNION ALL SELECT tag_id, conversation_id FROM conversation_tags) g WHERE conversation_id IN (SELECT id FROM conversations)
		GROUP BY tag_id ORDER BY 2 DESC, 1, tag_id LIMIT 20`},
	"ai_deflection_by_month": {"sum(closed_conversations), sum(answered_by_a_human), sum(answered_by_the_ai_agent_alone)", spoken + `, first AS (SELECT conversation_id, min(said_at) AS said_at FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1),
		who AS (SELECT f.conversation_id, coalesce(bool_or(s.author_type = 'admin' AND NOT s.agent), false) AS human, coalesce(bool_or(s.agent), false) AS ai
			FROM first f LEFT JOIN spoken s ON s.conversation_id = f.conversation_id AND s.said_at >= f.said_at AND NOT s.opening AND s.author_type NOT IN ('user', 'lead') GROUP BY 1)
		SELECT sum(n), sum(h), sum(a) FROM (SELECT count(*) AS n, count(*) FILTER (human) AS h, count(*) FILTER (ai AND NOT human) AS a
			FROM who JOIN conversations c ON c.id = who.conversation_id WHERE c.state = 'closed' GROUP BY date_trunc('month', c.created_at AT TIME ZONE ` + zone + `)
			ORDER BY date_trunc('month', c.created_at AT TIME ZONE ` + zone + `) DESC LIMIT 12)`},
	"ai_agent_resolution": {"sum(involved), sum(resolved), sum(passed_to_the_team)", `SELECT sum(i), sum(r), sum(p) FROM (SELECT count(*) FILTER (ai_agent_participated OR ai_agent_resolution_state IS NOT NULL) AS i,
		count(*) FILTER (ai_agent_resolution_state LIKE '%\_resolution' ESCAPE '\') AS r, count(*) FILTER (ai_agent_resolution_state IN ('escalated', 'routed_to_team')) AS p
		FROM conversations GROUP BY date_trunc('month', created_at AT TIME ZONE ` + zone + `) ORDER BY date_trunc('month', created_at AT TIME ZONE ` + zone + `) DESC LIMIT 12)`},
	"teammates_by_work": {"sum(messages), sum(notes), sum(closes)", spoken + `SELECT (SELECT count(*) FROM spoken WHERE author_type = 'admin' AND NOT agent AND NOT opening AND (said_at AT TIME ZONE ` + zone + `)::DATE > (` + asOf + ` AT TIME ZONE ` + zone + `)::DATE - 30),
		count(*) FILTER (part_type = 'note'), count(*) FILTER (part_type = 'close') FROM conversation_parts WHERE conversation_id IN (SELECT id FROM conversations) AND author_type = 'admin'
		AND NOT coalesce(from_ai_agent, false) AND NOT coalesce(is_ai_answer, false) AND (created_at AT TIME ZONE ` + zone + `)::DATE > (` + asOf + ` AT TIME ZONE ` + zone + `)::DATE - 30`},
	"service_levels": {"sum(met), sum(missed)", `SELECT count(*) FILTER (sla_status = 'hit'), count(*) FILTER (sla_status = 'missed') FROM conversations`},
	"ratings_by_month": {"sum(ratings), sum(with_remark)", `SELECT sum(n), sum(r) FROM (SELECT count(rating) AS n, count(*) FILTER (rating IS NOT NULL AND rating_remark IS NOT NULL) AS r FROM conversations WHERE rating > 0
		GROUP BY date_trunc('month', rating_created_at AT TIME ZONE ` + zone + `) ORDER BY date_trunc('month', rating_created_at AT TIME ZONE ` + zone + `) DESC NULLS LAST LIMIT 12)`},
	"backlog_by_day":      {"max(backlog_date)", `SELECT (max(_synced_at) AT TIME ZONE ` + zone + `)::DATE FROM conversations`},
	"calls_by_teammate":   {"sum(calls)", `SELECT count(*) FROM calls`},
	"contacts_by_country": {"sum(contacts)", `SELECT sum(n) FROM (SELECT count(*) AS n FROM contacts GROUP BY location_country ORDER BY 1 DESC LIMIT 20)`},
}

// TestSavedQueriesAgreeWithAnotherWayOfCounting compares the answers of saved queries with those of other SQL over the stored tables.
func TestSavedQueriesAgreeWithAnotherWayOfCounting(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	all := allQueries(t)
	for name, r := range recomputed {
		i := slices.IndexFunc(all, func(q queries.Query) bool { return q.Name == name })
		if i < 0 {
			t.Errorf("no query is called %s", name)
			continue
		}
		got := s.queryRows("SELECT " + r.columns + " FROM (" + strings.TrimSuffix(strings.TrimSpace(all[i].SQL), ";") + ")")
		want := s.queryRows(r.by)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s\ngot\n  %s\nby another way\n  %s", name, r.columns, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
}
