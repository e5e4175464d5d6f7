package queries_test

// wroteFirst has the first message of the contact of each conversation in which a contact wrote.
const wroteFirst = spoken + `, wrote AS (SELECT conversation_id, min(said_at) AS since FROM spoken WHERE author_type IN ('user', 'lead') GROUP BY 1) `

// talksOfCompanies has each company with each conversation that one of its people is in, or that is filed under it.
const talksOfCompanies = `WITH talks AS (
	SELECT p.company_id, c.conversation_id FROM conversation_contacts c JOIN contact_identity i ON i.contact_id = c.contact_id JOIN contact_companies p ON p.contact_id = i.current_contact_id
	UNION SELECT company_id, id FROM conversations WHERE company_id IS NOT NULL
) `

// ticketMoves has what the parts of tickets say: each change of state with the time since which the one before lasted.
const ticketMoves = `WITH moves AS (
	SELECT p.ticket_id, p.created_at AS moved_at, previous_ticket_state AS before, p.ticket_state AS after, coalesce(lag(p.created_at) OVER (PARTITION BY ticket_id ORDER BY p.created_at, length(p.id), p.id), t.created_at) AS since
	FROM ticket_parts p JOIN tickets t ON t.id = p.ticket_id WHERE p.ticket_state IS NOT NULL AND p.ticket_state IS DISTINCT FROM previous_ticket_state
), stays AS (
	SELECT ticket_id, sum(date_diff('second', since, moved_at)) FILTER (before = 'waiting_on_customer') AS waited, count(*) FILTER (before = 'resolved') AS left_resolved, max(moved_at) FILTER (after = 'resolved') AS resolved_at
	FROM moves GROUP BY 1
), answers AS (
	SELECT ticket_id, min(created_at) AS answered_at FROM ticket_parts WHERE author_type = 'admin' AND NOT coalesce(from_ai_agent, false) AND NOT coalesce(is_ai_answer, false)
		AND (part_type = 'comment' OR part_type IN ('assignment', 'assign_and_reopen', 'close', 'open', 'snoozed') AND (coalesce(text, '') <> '' OR coalesce(redacted, false))) GROUP BY 1
) `

// recomputedWhole are saved queries of which every column is computed in another way: from stored tables, without models.
var recomputedWhole = map[string]string{
	"ai_agent_sources": `SELECT s.content_type, s.title, count(DISTINCT s.conversation_id), count(DISTINCT s.locale) FROM conversations c JOIN conversation_content_sources s ON s.conversation_id = c.id
		GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT 20`,
	"ai_alone_by_channel": wroteFirst + `SELECT source_type, count(*), sum(CASE WHEN state = 'closed' THEN 1 ELSE 0 END)::BIGINT, count(ai_agent_rating), round(avg(CASE WHEN ai_agent_rating > 3 THEN 100 WHEN ai_agent_rating > 0 THEN 0 END), 1)
		FROM wrote w JOIN conversations c ON c.id = w.conversation_id WHERE EXISTS (FROM spoken s WHERE s.conversation_id = c.id AND s.agent AND s.said_at >= w.since)
		AND NOT EXISTS (FROM spoken s WHERE s.conversation_id = c.id AND s.author_type = 'admin' AND NOT s.agent AND NOT s.opening AND s.said_at >= w.since) GROUP BY 1`,
	"articles_by_views": `SELECT id, title, views, conversations, reactions, happy_reaction_percentage, sad_reaction_percentage FROM articles WHERE state = 'published' ORDER BY views DESC, id LIMIT 20`,
	"articles_in_ai_answers": `WITH addresses AS (SELECT id, url FROM articles UNION SELECT article_id, url FROM article_translations),
		used AS (SELECT DISTINCT a.id, c.id AS conversation_id, c.ai_agent_resolution_state AS outcome FROM addresses a JOIN conversation_content_sources s ON s.url = a.url JOIN conversations c ON c.id = s.conversation_id)
		SELECT a.id, a.title, a.views, count(*), count(CASE WHEN outcome LIKE '%\_resolution' ESCAPE '\' THEN 1 END), round(avg(CASE WHEN outcome LIKE '%\_resolution' ESCAPE '\' THEN 100 ELSE 0 END), 1)
		FROM used u JOIN articles a ON a.id = u.id GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1 LIMIT 20`,
	"articles_by_reactions": `SELECT id, title, reactions, views, round(100 * reactions / nullif(views, 0), 1), CASE WHEN reactions > 0 THEN happy_reaction_percentage END, CASE WHEN reactions > 0 THEN sad_reaction_percentage END
		FROM articles WHERE state = 'published' ORDER BY reactions DESC, id LIMIT 20`,
	"articles_untranslated": `WITH offered AS (SELECT locale FROM help_center_locales UNION SELECT t.locale FROM article_translations t WHERE t.state = 'published')
		SELECT locale, (SELECT count(*) FROM articles a WHERE state = 'published' AND EXISTS (FROM article_translations t WHERE t.article_id = a.id AND t.locale = offered.locale AND t.state = 'published')),
		(SELECT count(*) FROM articles a WHERE state = 'published' AND NOT EXISTS (FROM article_translations t WHERE t.article_id = a.id AND t.locale = offered.locale AND t.state = 'published')) FROM offered`,
	"calls_by_direction": `WITH told AS (SELECT direction, date_diff('second', initiated_at, answered_at) AS rang, date_diff('second', answered_at, ended_at) AS talked, EXISTS (FROM call_transcripts t WHERE t.call_id = calls.id AND answered_at IS NOT NULL
			AND (t.transcript_text IS NOT NULL OR EXISTS (FROM call_transcript_lines l WHERE l.call_id = calls.id))) AS written FROM calls)
		SELECT direction, count(*), count(rang), round(count(rang) * 100 / count(*), 1), round(sum(talked) / count(talked) / 60, 1), round(quantile_cont(talked, 0.5) / 60, 1), round(quantile_cont(rang, 0.5), 1),
		sum(written::INTEGER), round(100 * sum(written::INTEGER) / nullif(count(rang), 0), 1) FROM told GROUP BY 1`,
	"calls_transcribed": `SELECT call_type, coalesce((SELECT transcript_status FROM call_transcripts t WHERE t.call_id = c.id), 'no transcript'), count(*), count(*) FILTER (id IN (SELECT call_id FROM call_recordings)),
		round(sum(CASE WHEN id IN (SELECT call_id FROM call_recordings) THEN date_diff('second', answered_at, ended_at) END) / 3600.0, 1) FROM calls c GROUP BY 1, 2`,
	"companies_by_size": `WITH known AS (SELECT monthly_spend, (SELECT count(*) FROM contact_companies p WHERE p.company_id = c.id AND p.contact_id IN (SELECT id FROM contacts)) AS n FROM companies c)
		SELECT CASE WHEN n > 99 THEN '5 more' WHEN n > 9 THEN '4 up to 99' WHEN n > 1 THEN '3 up to nine' WHEN n > 0 THEN '2 one' ELSE '1 nobody' END, count(*), sum(n), sum(monthly_spend) FROM known GROUP BY 1`,
	"companies_by_spend": talksOfCompanies + `SELECT id, name, plan_name, monthly_spend, (SELECT count(*) FROM contact_companies p WHERE p.company_id = c.id AND p.contact_id IN (SELECT id FROM contacts)),
		(SELECT count(*) FROM talks t WHERE t.company_id = c.id AND t.conversation_id IN (SELECT id FROM conversations)) FROM companies c ORDER BY monthly_spend DESC NULLS LAST, id LIMIT 20`,
	"contacts_by_last_visit": `SELECT CASE WHEN hours IS NULL THEN '6 never seen' WHEN hours >= 24 * 365 THEN '5 longer ago' WHEN hours >= 24 * 30 THEN '4 within a year' WHEN hours >= 24 * 7 THEN '3 within a month' WHEN hours >= 24 THEN '2 within a week'
		ELSE '1 within a day' END, count(*), sum(CASE role WHEN 'user' THEN 1 ELSE 0 END)::BIGINT FROM (SELECT role, (epoch(` + asOf + `) - epoch(last_seen_at)) / 3600 AS hours FROM contacts) GROUP BY 1`,
	"contacts_by_merges": `SELECT 1 + merged, count(*) FROM (SELECT (SELECT count(*) FROM contact_identity m WHERE m.current_contact_id = c.contact_id AND m.contact_id <> c.contact_id) AS merged
		FROM contact_identity c WHERE c.current_contact_id = c.contact_id) GROUP BY 1`,
	"contacts_merged_into": `WITH RECURSIVE steps AS (SELECT id, inactive_since AS moved_at, merged_into_id AS target FROM contact_lifecycle WHERE merged_into_id IS NOT NULL
			UNION ALL SELECT s.id, s.moved_at, l.merged_into_id FROM steps s JOIN contact_lifecycle l ON l.id = s.target WHERE l.merged_into_id IS NOT NULL),
		ends AS (SELECT * FROM steps WHERE NOT EXISTS (FROM contact_lifecycle l WHERE l.id = steps.target AND l.merged_into_id IS NOT NULL))
		SELECT id, moved_at, target, (SELECT lifecycle FROM contact_identity WHERE contact_id = target), 1 + (SELECT count(*) FROM ends x WHERE x.target = ends.target) FROM ends ORDER BY moved_at DESC, id LIMIT 20`,
	"contacts_by_tag": `SELECT coalesce((SELECT name FROM tags WHERE tags.id = t.tag_id), tag_id), count(*), round(count(*) * 100.0 / (SELECT count(*) FROM contacts), 1) FROM contact_tags t WHERE contact_id IN (SELECT id FROM contacts)
		GROUP BY tag_id ORDER BY 2 DESC, 1 LIMIT 20`,
	"contacts_reachable_by_email": reachable,
	"conversations_by_channel":    `SELECT source_type, count(*), round(count(*) * 100.0 / (SELECT count(*) FROM conversations), 1), count(*) FILTER (rating > 0), round(sum(rating) / count(rating), 2) FROM conversations GROUP BY 1`,
	"data_rows": `SELECT schema, stream, outcome, records, rows, rejected, requests FROM _sync.stream_runs r
		WHERE NOT EXISTS (FROM _sync.stream_runs n WHERE n.schema = r.schema AND n.stream = r.stream AND n.started_at > r.started_at)`,
	"demo_1_lives": `SELECT i.lifecycle, count(*) FILTER (coalesce(a.role, l.role) = 'user'), count(*) FILTER (coalesce(a.role, l.role) = 'lead'), count(*)
		FROM contact_identity i LEFT JOIN contacts_all a ON a.id = i.contact_id LEFT JOIN contact_lifecycle l ON l.id = i.contact_id GROUP BY 1`,
	"demo_2_countries": `SELECT location_country, count(*), round((SELECT count(*) FROM contact_tags t JOIN contacts x ON x.id = t.contact_id WHERE x.location_country IS NOT DISTINCT FROM c.location_country) / count(*), 2)
		FROM contacts c GROUP BY location_country ORDER BY 2 DESC, 1 LIMIT 5`,
	"demo_3_changes": `SELECT CASE WHEN lifecycle <> 'active' THEN lifecycle WHEN date_diff('second', created_at, read_at) < 6 * 3600 THEN 'created' ELSE 'changed' END, count(*) FROM contacts_all, (SELECT ` + asOf + ` AS read_at)
		WHERE date_diff('second', CASE WHEN lifecycle = 'active' THEN updated_at ELSE inactive_since END, read_at) < 6 * 3600 GROUP BY 1`,
	"segments_by_size": `SELECT s.name, s.person_type, s.member_count, s.member_count - (SELECT d.member_count FROM segments_daily d WHERE d.id = s.id ORDER BY snapshot_date LIMIT 1),
		(SELECT min(snapshot_date) FROM segments_daily d WHERE d.id = s.id) FROM segments s ORDER BY 3 DESC, 1 LIMIT 20`,
	"tickets_by_duration": ticketMoves + `, told AS (SELECT t.*, coalesce(ticket_state_category, ticket_state->>'$') AS state, a.answered_at, s.resolved_at, s.left_resolved, CASE WHEN coalesce(ticket_state_category, ticket_state->>'$') = 'waiting_on_customer'
			THEN coalesce(s.waited, 0) + epoch(` + asOf + `) - epoch(coalesce((SELECT max(moved_at) FROM moves m WHERE m.ticket_id = t.id), t.created_at)) ELSE s.waited END AS waited
		FROM tickets t LEFT JOIN answers a ON a.ticket_id = t.id LEFT JOIN (SELECT * FROM stays
			WHERE (SELECT part_count FROM tickets WHERE id = ticket_id) <= (SELECT count(*) FROM ticket_parts p WHERE p.ticket_id = stays.ticket_id)) s ON s.ticket_id = t.id)
		SELECT coalesce(ticket_type_name, 'no type'), count(*), round(median(date_diff('second', created_at, answered_at)) / 3600, 1), count(*) FILTER (state = 'resolved'),
		round(median(CASE WHEN state = 'resolved' THEN date_diff('second', created_at, resolved_at) END) / 86400, 1), count(waited), round(quantile_cont(waited, 0.5) / 86400, 1), count(*) FILTER (left_resolved > 0) FROM told GROUP BY 1`,
}

// reachable counts the contacts who may get emails: nothing of what the source knows of the address speaks against it.
const reachable = `SELECT role, count(*), count(email), sum(may::INTEGER)::BIGINT, sum((may AND last_email_opened_at IS NOT NULL)::INTEGER)::BIGINT FROM (SELECT *, email IS NOT NULL
	AND NOT coalesce(unsubscribed_from_emails, false) AND NOT coalesce(has_hard_bounced, false) AND NOT coalesce(marked_email_as_spam, false) AS may FROM contacts) GROUP BY 1`
