-- relation: ticket_cycle (view)
-- doc: One row per ticket: its time in each state, its first response and its resolution, from its parts. Only ended stays in a state count: the current one started at state_since. Columns that end in _office need warehouse.office_hours.
-- key: ticket_id
-- column ticket_id: Id of the ticket.
-- column state: Current state - submitted, in_progress, waiting_on_customer or resolved; others may come.
-- column state_since: Start of the current state, from its parts; its creation if no part changed the state, or older imported parts did.
-- column created_date: Day of creation.
-- column first_human_response_at: Earliest comment from created_at on, or words with an assignment, a close, a snooze or a reopening, by an admin who is not the AI agent. Notes do not count, redacted parts do. Null without one. If texts are dropped, only comments count.
-- column time_to_first_response_calendar: Seconds from created_at to first_human_response_at; null without a response.
-- column time_to_first_response_office: Office seconds from created_at to first_human_response_at; null without a response, and without warehouse.office_hours.
-- column submitted_seconds: Seconds in state submitted, over ended stays; null without any, and if parts are missing.
-- column in_progress_seconds: Seconds in state in_progress; null as submitted_seconds.
-- column waiting_on_customer_seconds: Seconds in state waiting_on_customer; null as submitted_seconds.
-- column resolved_seconds: Seconds in state resolved until a reopening; null as submitted_seconds.
-- column state_changes: Number of changes of state; 0 without any.
-- column reopens: Number of times that it left state resolved.
-- column first_resolved_at: First time it entered state resolved; null if it never did, and if it began there.
-- column resolved_at: Last time it entered state resolved; null if it is in another state now.
-- column resolved_date: Day of resolved_at.
-- column time_to_resolution_calendar: Seconds from created_at to resolved_at; null if it is not resolved.
-- column time_to_resolution_office: Office seconds from created_at to resolved_at; null if it is not resolved, and without warehouse.office_hours.
-- column parts_stored: Number of stored parts; 0 without any.
-- column parts_reported: Number of parts by the source's count.
-- column parts_capped: True if parts are missing that the API no longer sends: it sends the newest 500, and counts and first times are of the stored parts. Null if the source does not send the number of parts.
WITH moves AS (
  -- Imported parts are older than the ticket: no stay starts before it.
  SELECT p.ticket_id, p.previous_ticket_state, p.ticket_state, greatest(p.created_at, t.created_at) AS created_at,
         row_number() OVER ticket AS number, lead(greatest(p.created_at, t.created_at)) OVER ticket AS until
  FROM {schema}.ticket_parts p JOIN {schema}.tickets t ON t.id = p.ticket_id
  WHERE p.ticket_state IS NOT NULL AND p.previous_ticket_state IS DISTINCT FROM p.ticket_state
  WINDOW ticket AS (PARTITION BY p.ticket_id ORDER BY p.created_at, length(p.id), p.id) -- ids are numbers as text
), stays AS (
  SELECT ticket_id, ticket_state AS state, (epoch(until) - epoch(created_at))::BIGINT AS seconds, created_at AS moved_at,
         previous_ticket_state = 'resolved' AS reopened
  FROM moves
  UNION ALL
  SELECT t.id, m.previous_ticket_state, (epoch(m.created_at) - epoch(t.created_at))::BIGINT, NULL, false
  FROM {schema}.tickets t JOIN moves m ON m.ticket_id = t.id AND m.number = 1
), states AS (
  SELECT ticket_id, max(moved_at) AS state_since, count(moved_at) AS state_changes, count(*) FILTER (reopened) AS reopens,
         sum(seconds) FILTER (state = 'submitted')::BIGINT AS submitted_seconds,
         sum(seconds) FILTER (state = 'in_progress')::BIGINT AS in_progress_seconds,
         sum(seconds) FILTER (state = 'waiting_on_customer')::BIGINT AS waiting_on_customer_seconds,
         sum(seconds) FILTER (state = 'resolved')::BIGINT AS resolved_seconds,
         min(moved_at) FILTER (state = 'resolved') AS first_resolved_at, max(moved_at) FILTER (state = 'resolved') AS last_resolved_at
  FROM stays GROUP BY ticket_id
), said AS (
  SELECT p.ticket_id, count(*) AS parts_stored,
         min(p.created_at) FILTER (p.created_at >= t.created_at AND author_type = 'admin' AND NOT coalesce(from_ai_agent, false) AND NOT coalesce(is_ai_answer, false)
           AND (part_type = 'comment' OR part_type IN ('assignment', 'assign_and_reopen', 'close', 'open', 'snoozed') AND (has_words OR redacted))) AS first_human_response_at
  FROM {schema}.ticket_parts p JOIN {schema}.tickets t ON t.id = p.ticket_id GROUP BY p.ticket_id
), cycle AS (
  SELECT t.*, coalesce(t.ticket_state_category, CASE WHEN json_type(t.ticket_state) = 'VARCHAR' THEN t.ticket_state->>'$' END) AS state,
         m.* EXCLUDE (ticket_id), p.first_human_response_at, coalesce(p.parts_stored, 0) AS parts_stored,
         t.part_count > greatest(coalesce(p.parts_stored, 0), 500) AS parts_capped, NOT coalesce(coalesce(p.parts_stored, 0) < t.part_count, false) AS whole
  FROM {schema}.tickets t LEFT JOIN states m ON m.ticket_id = t.id LEFT JOIN said p ON p.ticket_id = t.id
), ended AS (
  SELECT *, CASE WHEN state = 'resolved' THEN last_resolved_at END AS resolved_at FROM cycle
)
SELECT e.id AS ticket_id, e.number, e.ticket_number, e.category, e.ticket_type_id, e.ticket_type_name, e.admin_assignee_id, e.team_assignee_id,
       e.state, coalesce(e.state_since, e.created_at) AS state_since, e.created_at, timezone({timezone}, e.created_at)::DATE AS created_date,
       e.first_human_response_at,
       (epoch(e.first_human_response_at) - epoch(e.created_at))::BIGINT AS time_to_first_response_calendar,
       (answered.open_before + least(epoch(e.first_human_response_at), epoch(answered.ends_at)) - epoch(answered.opens_at)
         - opened.open_before - least(epoch(e.created_at), epoch(opened.ends_at)) + epoch(opened.opens_at))::BIGINT AS time_to_first_response_office,
       CASE WHEN e.whole THEN e.submitted_seconds END AS submitted_seconds,
       CASE WHEN e.whole THEN e.in_progress_seconds END AS in_progress_seconds,
       CASE WHEN e.whole THEN e.waiting_on_customer_seconds END AS waiting_on_customer_seconds,
       CASE WHEN e.whole THEN e.resolved_seconds END AS resolved_seconds,
       coalesce(e.state_changes, 0) AS state_changes, coalesce(e.reopens, 0) AS reopens,
       e.first_resolved_at, e.resolved_at, timezone({timezone}, e.resolved_at)::DATE AS resolved_date,
       (epoch(e.resolved_at) - epoch(e.created_at))::BIGINT AS time_to_resolution_calendar,
       (solved.open_before + least(epoch(e.resolved_at), epoch(solved.ends_at)) - epoch(solved.opens_at)
         - opened.open_before - least(epoch(e.created_at), epoch(opened.ends_at)) + epoch(opened.opens_at))::BIGINT AS time_to_resolution_office,
       e.parts_stored, e.part_count AS parts_reported, e.parts_capped
FROM ended e
ASOF LEFT JOIN {models}.office_hours opened ON e.created_at >= opened.opens_at
ASOF LEFT JOIN {models}.office_hours answered ON e.first_human_response_at >= answered.opens_at
ASOF LEFT JOIN {models}.office_hours solved ON e.resolved_at >= solved.opens_at
