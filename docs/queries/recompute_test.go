package queries_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// zone is the time zone of the warehouse.
const zone = "'Australia/Adelaide'"

// asOf is the newest moment that the data knows of.
const asOf = "(SELECT max(synced_to) FROM _sync.freshness)"

// spoken has every message of conversations that are still there, from the stored tables alone.
const spoken = `WITH spoken AS (
	SELECT id AS conversation_id, created_at AS said_at, source_author_type AS author_type, source_author_id AS author_id, false AS agent, true AS opening, '' AS part_id FROM conversations
	UNION ALL
	SELECT p.conversation_id, p.created_at, p.author_type, p.author_id, coalesce(p.from_ai_agent, false) OR coalesce(p.is_ai_answer, false), false, p.id
	FROM conversation_parts p WHERE p.conversation_id IN (SELECT id FROM conversations) AND (p.part_type = 'comment' OR p.part_type = 'quick_reply' AND p.author_type IN ('user', 'lead')
		OR p.part_type IN ('assignment', 'assign_and_reopen', 'close', 'open', 'snoozed') AND p.author_type = 'admin' AND NOT coalesce(p.from_ai_agent, false) AND NOT coalesce(p.is_ai_answer, false)
			AND (coalesce(p.text, '') <> '' OR coalesce(p.redacted, false)))
) `

// turns has each turn of a contact with its first message and the kind of what ended it: an answer, or a close without words.
const turns = spoken + `, events AS (
	SELECT conversation_id, said_at, part_id, CASE WHEN author_type IN ('user', 'lead') THEN 'contact' WHEN author_type = 'admin' AND NOT agent THEN 'human' ELSE 'other' END AS kind FROM spoken
	UNION ALL
	SELECT p.conversation_id, p.created_at, p.id, 'close' FROM conversation_parts p ANTI JOIN spoken s ON s.conversation_id = p.conversation_id AND s.part_id = p.id
	WHERE p.part_type = 'close' AND p.conversation_id IN (SELECT id FROM conversations)
), numbered AS (
	SELECT *, count(*) FILTER (kind <> 'contact') OVER (PARTITION BY conversation_id ORDER BY said_at, length(part_id), part_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS turn FROM events
), turns AS (
	SELECT conversation_id, turn, min(said_at) FILTER (kind = 'contact') AS asked_at, max(said_at) FILTER (kind <> 'contact') AS ended_at, max(kind) FILTER (kind <> 'contact') AS ended_by
	FROM numbered GROUP BY ALL HAVING asked_at IS NOT NULL
) `

// thisWeek is the first day of the week that the newest data is in.
const thisWeek = "date_trunc('week', " + asOf + " AT TIME ZONE " + zone + ")"

// weekOfTeammate counts the conversations that a teammate wrote in, in the week so many weeks before the running one.
func weekOfTeammate(back int) string {
	return fmt.Sprintf("count(DISTINCT CASE WHEN monday = %s - INTERVAL %d DAY THEN conversation_id END)", thisWeek, 7*back)
}

// isInLastYear says that a time is in the running month of the warehouse's calendar, or in one of the eleven before it.
func isInLastYear(at string) string {
	return "date_diff('month', " + at + " AT TIME ZONE " + zone + ", " + asOf + " AT TIME ZONE " + zone + ") BETWEEN 0 AND 11"
}

// recomputed are some columns of saved queries, computed in another way: from stored tables, without models.
var recomputed = map[string]struct{ columns, by string }{
	"conversations_by_hour": {"hour_of_day, on_weekdays + at_weekends", spoken + `SELECT extract('hour' FROM said_at AT TIME ZONE ` + zone + `), count(*) FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1`},
	"people_with_most_conversations": {"contact_id, conversations, messages", spoken + `SELECT i.current_contact_id, count(DISTINCT s.conversation_id) AS n, count(*) FROM spoken s, contact_identity i
		WHERE s.author_type IN ('user', 'lead') AND i.contact_id = s.author_id GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1 LIMIT 20`},
	"tickets_open_longest": {"id", `SELECT id FROM tickets WHERE open AND NOT coalesce(ticket_state_category = 'resolved', ticket_state->>'$' = 'resolved', false) ORDER BY created_at, id LIMIT 20`},
	"reviews_by_scorecard": {"scorecard, work_of, reviewed, with_a_verdict, passed", `SELECT name, reviewed_teammate_type, count(*) FILTER (review_status <> 'unreviewed'),
		count(*) FILTER (review_status <> 'unreviewed' AND passed IS NOT NULL), coalesce(sum(CASE WHEN review_status <> 'unreviewed' AND passed THEN 1 ELSE 0 END), 0)
		FROM conversation_scorecards WHERE conversation_id IN (SELECT id FROM conversations) GROUP BY 1, 2`},
	"owned_by_team":    {"sum(in_charge_now)", `SELECT count(*) FROM conversations WHERE state <> 'closed' AND (coalesce(team_assignee_id, '0') <> '0' OR coalesce(admin_assignee_id, '0') <> '0')`},
	"csat_by_teammate": {"sum(requested), sum(answered)", `SELECT count(*), count(rating) FROM conversations WHERE coalesce(rating::VARCHAR, rating_created_at::VARCHAR, rating_teammate_type, rating_contact_id) IS NOT NULL`},
	"backlog_by_age": {"sum(conversations), max(oldest_days), sum(sent_and_unanswered), sum(conversations) + sum(sent_and_unanswered)", `SELECT count(*) FILTER (NOT unanswered), round(max(age) FILTER (NOT unanswered) / 86400, 1), count(*) FILTER (unanswered), count(*)
		FROM (SELECT epoch(` + asOf + `) - epoch(created_at) AS age, state = 'open' AND source_author_type NOT IN ('user', 'lead') AND NOT EXISTS (FROM conversation_parts p WHERE p.conversation_id = c.id
			AND (p.state IS NOT NULL OR p.part_type IN ('close', 'snoozed', 'open', 'assign_and_reopen') OR p.part_type IN ('comment', 'quick_reply') AND p.author_type IN ('user', 'lead'))) AS unanswered
			FROM conversations c WHERE state IN ('open', 'snoozed'))`},
	"sla_by_team": {"sum(conversations), sum(met), sum(missed)", `SELECT count(*), count(*) FILTER (sla_status = 'hit'), count(*) FILTER (sla_status = 'missed') FROM conversations WHERE coalesce(sla_name, sla_status) IS NOT NULL`},
	"contacts_deleted_by_month": {"sum(contacts), sum(permanently_deleted), sum(to_be_deleted), sum(deleted)",
		`SELECT count(*), count(*) FILTER (lifecycle = 'permanently_deleted'), count(*) FILTER (lifecycle = 'pending_deletion'), count(*) FILTER (lifecycle = 'deleted')
		FROM contact_identity WHERE lifecycle LIKE '%delet%' AND (since IS NULL OR ` + isInLastYear("since") + `)`},
	"conversations_by_tag": {"tag, conversations, closed", `SELECT (SELECT any_value(name) FROM (SELECT tag_id, name FROM conversation_tags UNION SELECT tag_id, name FROM conversation_part_tags) x WHERE x.tag_id = g.tag_id), count(DISTINCT conversation_id),
			(SELECT count(*) FROM conversations c WHERE c.state = 'closed' AND (c.id IN (SELECT conversation_id FROM conversation_tags y WHERE y.tag_id = g.tag_id) OR c.id IN (SELECT conversation_id FROM conversation_part_tags y WHERE y.tag_id = g.tag_id)))
		FROM (SELECT tag_id, conversation_id FROM conversation_part_tags UNION ALL SELECT tag_id, conversation_id FROM conversation_tags) g WHERE conversation_id IN (SELECT id FROM conversations)
		GROUP BY tag_id ORDER BY 2 DESC, 1, tag_id LIMIT 20`},
	"ai_deflection_by_month": {"sum(closed_conversations), sum(answered_by_a_human), sum(answered_by_the_ai_agent_alone), sum(resolved_by_the_ai_agent_alone), sum(abandoned_with_the_ai_agent_alone)", spoken + `, first AS (SELECT conversation_id, min(said_at) AS said_at FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1),
		who AS (SELECT f.conversation_id, coalesce(bool_or(s.author_type = 'admin' AND NOT s.agent), false) AS human, coalesce(bool_or(s.agent), false) AS ai
			FROM first f LEFT JOIN spoken s ON s.conversation_id = f.conversation_id AND s.said_at >= f.said_at AND NOT s.opening AND s.author_type NOT IN ('user', 'lead') GROUP BY 1)
		SELECT count(*), count(*) FILTER (human), count(*) FILTER (ai AND NOT human), count(CASE WHEN ai AND NOT human AND ai_agent_resolution_state LIKE '%\_resolution' ESCAPE '\' THEN 1 END),
			count(CASE WHEN ai AND NOT human AND ai_agent_resolution_state = 'abandoned' THEN 1 END) FROM who JOIN conversations c ON c.id = who.conversation_id WHERE c.state = 'closed' AND ` + isInLastYear("c.created_at")},
	"ai_agent_resolution": {"sum(involved), sum(resolved), sum(passed_to_the_team)", `SELECT count(*) FILTER (ai_agent_participated OR ai_agent_resolution_state IS NOT NULL),
		count(*) FILTER (ai_agent_resolution_state LIKE '%\_resolution' ESCAPE '\'), count(*) FILTER (ai_agent_resolution_state IN ('escalated', 'routed_to_team')) FROM conversations WHERE ` + isInLastYear("created_at")},
	"teammates_by_work": {"sum(messages), sum(notes), sum(closes)", spoken + `SELECT (SELECT count(*) FROM spoken WHERE author_type = 'admin' AND NOT agent AND NOT opening AND (said_at AT TIME ZONE ` + zone + `)::DATE > (` + asOf + ` AT TIME ZONE ` + zone + `)::DATE - 30),
		count(*) FILTER (part_type = 'note'), count(*) FILTER (part_type = 'close') FROM conversation_parts WHERE conversation_id IN (SELECT id FROM conversations) AND author_type = 'admin'
		AND NOT coalesce(from_ai_agent, false) AND NOT coalesce(is_ai_answer, false) AND (created_at AT TIME ZONE ` + zone + `)::DATE > (` + asOf + ` AT TIME ZONE ` + zone + `)::DATE - 30`},
	"service_levels":   {"sum(met), sum(missed)", `SELECT count(*) FILTER (sla_status = 'hit'), count(*) FILTER (sla_status = 'missed') FROM conversations`},
	"ratings_by_month": {"sum(ratings), sum(with_remark)", `SELECT count(rating), count(*) FILTER (rating_remark IS NOT NULL) FROM conversations WHERE rating > 0 AND (rating_created_at IS NULL OR ` + isInLastYear("rating_created_at") + `)`},
	"data_drift": {"any_value(conversations) FILTER (source = 'statistics' AND measure = 'first_close'), any_value(differ) FILTER (source = 'statistics' AND measure = 'first_close')",
		`SELECT count(*), count(*) FILTER (abs(coalesce(epoch(c.statistics_first_close_at), 0) - coalesce(epoch(p.at), 0)) > 1) FROM conversations c LEFT JOIN (SELECT conversation_id, min(created_at) AS at
		FROM conversation_parts WHERE part_type = 'close' GROUP BY 1) p ON p.conversation_id = c.id WHERE c.statistics_count_conversation_parts IS NOT NULL AND coalesce(c.statistics_first_close_at, p.at) IS NOT NULL`},
	"replies_by_week": {"sum(conversations), sum(by_a_human), sum(by_a_bot_alone), sum(by_nobody)", spoken + `, wrote AS (
		SELECT conversation_id, min(said_at) AS since FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1
	), answered AS (
		SELECT w.conversation_id, coalesce(bool_or(s.author_type = 'admin' AND NOT s.agent AND NOT s.opening AND s.said_at >= w.since), false) AS human, coalesce(bool_or((s.agent OR s.author_type IN ('bot', 'team')) AND NOT s.opening AND s.said_at >= w.since), false) AS bot
		FROM wrote w JOIN spoken s USING (conversation_id) GROUP BY 1
	) SELECT count(*), count(*) FILTER (human), count(*) FILTER (bot AND NOT human), count(*) FILTER (NOT bot AND NOT human)
		FROM answered a JOIN conversations c ON c.id = a.conversation_id WHERE date_diff('week', c.created_at AT TIME ZONE ` + zone + `, ` + asOf + ` AT TIME ZONE ` + zone + `) BETWEEN 1 AND 12`},
	"replies_by_team": {"sum(answers)", turns + `SELECT count(*) FROM turns WHERE ended_by = 'human'`},
	"replies_by_who": {"sum(waits), sum(waits) FILTER (answered_by = 'human'), sum(waits) FILTER (answered_by = 'nobody, it was closed'), sum(waits) FILTER (answered_by = 'nobody yet')",
		turns + `SELECT count(*), count(*) FILTER (ended_by = 'human'), count(*) FILTER (ended_by = 'close'), nullif(count(*) FILTER (ended_by IS NULL), 0) FROM turns`},
	"office_hours_by_team_and_week": {"sum(answers)", turns + `SELECT count(*) FROM turns WHERE ended_by = 'human' AND date_trunc('week', asked_at AT TIME ZONE ` + zone + `) > ` + thisWeek + ` - INTERVAL 28 DAY`},
	"workload_by_teammate": {"sum(replies), sum(closes)", spoken + `, days AS (SELECT DISTINCT workload_date AS day FROM models.admin_workload ORDER BY 1 DESC LIMIT 14)
		SELECT (SELECT count(*) FROM spoken WHERE author_type = 'admin' AND NOT agent AND NOT opening AND (said_at AT TIME ZONE ` + zone + `)::DATE IN (FROM days)), count(*) FROM conversation_parts
		WHERE conversation_id IN (SELECT id FROM conversations) AND part_type = 'close' AND author_type = 'admin' AND NOT coalesce(from_ai_agent, false) AND NOT coalesce(is_ai_answer, false)
		AND (created_at AT TIME ZONE ` + zone + `)::DATE IN (FROM days)`},
	"reviews_by_teammate": {"sum(reviewed), sum(passed)", `SELECT count(*) FILTER (review_status <> 'unreviewed'), count(*) FILTER (review_status <> 'unreviewed' AND passed)
		FROM conversation_scorecards WHERE conversation_id IN (SELECT id FROM conversations)`},
	"consultations_by_outcome": {"outcome, consultations, sent, sent_with_changes", `WITH ended AS (
		SELECT conversation_id, hitl_cycle_id, max(outcome) AS outcome, max(sent_text) AS sent, bool_or(coalesce(payload_truncated, false)) AS cut, arg_min(draft, created_at) AS first_draft FROM hitl_events GROUP BY 1, 2)
		SELECT outcome, count(*), count(CASE WHEN NOT cut AND first_draft IS NOT NULL THEN sent END), count(CASE WHEN NOT cut AND sent IS DISTINCT FROM first_draft AND first_draft IS NOT NULL THEN sent END) FROM ended GROUP BY 1`},
	"data_as_of": {"stream, synced_to, hours_before_publish, hours_before_publish BETWEEN 0 AND 24", `SELECT stream, synced_to, round(date_diff('millisecond', synced_to, (SELECT max(published_at) FROM _sync.freshness)) / 3600000, 1), true
		FROM _sync.checkpoints c SEMI JOIN _sync.freshness f USING (schema, stream) QUALIFY row_number() OVER (PARTITION BY schema, stream ORDER BY seq DESC) = 1`},
	"conversations_by_length": {"length[1], conversations, messages", spoken + `SELECT CASE WHEN n < 2 THEN '1' WHEN n < 5 THEN '2' WHEN n < 10 THEN '3' WHEN n < 50 THEN '4' ELSE '5' END, count(*), sum(n)
		FROM (SELECT count(*) AS n FROM spoken GROUP BY conversation_id) GROUP BY 1`},
	"ai_alone_longest": {"id, messages, by_the_contact", spoken + `SELECT conversation_id, count(*), count(*) FILTER (author_type IN ('user', 'lead')) FROM spoken GROUP BY 1
		HAVING min(said_at) FILTER (author_type IN ('user', 'lead')) IS NOT NULL AND max(said_at) FILTER (agent) >= min(said_at) FILTER (author_type IN ('user', 'lead'))
			AND coalesce(max(said_at) FILTER (author_type = 'admin' AND NOT agent AND NOT opening) < min(said_at) FILTER (author_type IN ('user', 'lead')), true) ORDER BY 2 DESC, 1 LIMIT 20`},
	"conversations_by_company_size": {"sum(companies), sum(conversations)", `SELECT (SELECT count(*) FROM companies), count(*) FROM (
		SELECT p.company_id, c.conversation_id FROM conversation_contacts c JOIN contact_identity i ON i.contact_id = c.contact_id JOIN contact_companies p ON p.contact_id = i.current_contact_id
		WHERE c.conversation_id IN (SELECT id FROM conversations) UNION SELECT company_id, id FROM conversations WHERE company_id IS NOT NULL) WHERE company_id IN (SELECT id FROM companies)`},
	"conversations_by_team": {"conversations, open", `SELECT count(*), sum(CASE WHEN state = 'open' THEN 1 ELSE 0 END) FROM conversations GROUP BY CASE WHEN team_assignee_id <> '0' THEN team_assignee_id END`},
	"conversations_waiting": {"id", `SELECT id FROM conversations WHERE open AND waiting_since <= ` + asOf + ` ORDER BY waiting_since, id LIMIT 20`},
	"teammates_actions":     {"sum(actions)", `SELECT count(*) FROM admin_activity_logs`},
	"tickets_by_state":      {"sum(tickets), sum(open)", `SELECT count(*), count(*) FILTER (open) FROM tickets`},
	"tickets_by_age": {"state, tickets, open, under_a_week, oldest_days", `SELECT ticket_state_category, count(*), count(*) FILTER (open), sum(CASE WHEN ` + asOf + ` - created_at < INTERVAL 7 DAY THEN 1 ELSE 0 END),
		round((epoch(` + asOf + `) - epoch(min(created_at))) / 86400, 1) FROM tickets WHERE ticket_state_category <> 'resolved' GROUP BY 1`},
	"teammates_by_week": {"admin, four_weeks, running_week, last_week, week_before, three_weeks_ago", spoken + `, told AS (SELECT author_id, conversation_id, date_trunc('week', said_at AT TIME ZONE ` + zone + `) AS monday FROM spoken WHERE author_type = 'admin' AND NOT agent AND NOT opening)
		SELECT (SELECT name FROM models.teammates WHERE admin_id = author_id), count(DISTINCT conversation_id), ` + weekOfTeammate(0) + `, ` + weekOfTeammate(1) + `, ` + weekOfTeammate(2) + `, ` + weekOfTeammate(3) + `
		FROM told WHERE monday > ` + thisWeek + ` - INTERVAL 28 DAY GROUP BY author_id`},
	"backlog_by_day":      {"max(backlog_date)", `SELECT (max(_synced_at) AT TIME ZONE ` + zone + `)::DATE FROM conversations`},
	"calls_by_teammate":   {"sum(calls)", `SELECT count(*) FROM calls`},
	"contacts_by_country": {"sum(contacts)", `SELECT sum(n) FROM (SELECT count(*) AS n FROM contacts GROUP BY location_country ORDER BY 1 DESC LIMIT 20)`},
}

// replayed are saved queries of which every column is counted in Go, from the rows of stored tables.
var replayed = map[string]func(*replay) []string{
	"conversations_by_day":      (*replay).conversationsByDay,
	"calls_by_week":             (*replay).callsByWeek,
	"contacts_by_week":          (*replay).contactsByWeek,
	"contacts_by_cohort":        (*replay).contactsByCohort,
	"reopens_by_month":          (*replay).reopensByMonth,
	"resolved_at_first_contact": (*replay).resolvedAtFirstContact,
}

// notRecomputed are the saved queries without another way of counting, each with the reason.
var notRecomputed = map[string]string{
	"data_personal": "TestPersonalDataIsFoundByItsValuesToo looks for values of persons in the file instead",
}

// TestSavedQueriesAgreeWithAnotherWayOfCounting compares the answer of each saved query with that of other SQL over the stored tables, or with what
// Go counts in their rows.
func TestSavedQueriesAgreeWithAnotherWayOfCounting(t *testing.T) {
	t.Parallel()
	s := openPublishedFile(t)
	r, left := loadReplay(t, s), maps.Clone(notRecomputed)
	for _, q := range allQueries(t) {
		columns, want := "*", []string(nil)
		some, isSome := recomputed[q.Name]
		by, isWhole := recomputedWhole[q.Name]
		count, isReplayed := replayed[q.Name]
		switch {
		case isSome:
			columns, want = some.columns, s.queryRows(some.by)
		case isWhole:
			want = s.queryRows(by)
		case isReplayed:
			want = count(r)
		case left[q.Name] != "":
			delete(left, q.Name)
			continue
		default:
			t.Errorf("%s is not computed in another way: add it to recomputed, recomputedWhole or replayed", q.Name)
			continue
		}
		got := s.queryRows("SELECT " + columns + " FROM (" + strings.TrimSuffix(strings.TrimSpace(q.SQL), ";") + ")")
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %s\ngot\n  %s\nby another way\n  %s", q.Name, columns, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
	}
	if n := len(recomputed) + len(recomputedWhole) + len(replayed) + len(notRecomputed); n != len(allQueries(t)) || len(left) > 0 {
		t.Errorf("%d ways of counting for %d queries; without a query: %v", n, len(allQueries(t)), left)
	}
}
