-- relation: conversation_metrics (view)
-- doc: One row per conversation: what happened when, from its stored parts, and how long it took. Where parts_capped is true, earlier parts than the stored ones may be missing, and with them what came first. The source's own statistics are columns of conversations, and never mixed in.
-- key: conversation_id
-- column conversation_id: The conversation.
-- column created_date: Day on which it began, in the time zone of the warehouse.
-- column first_contact_reply_at: First message of the contact: the first one of a conversation that a lead or user began, otherwise the earliest comment by one. Redacted ones count, and those of a lead who was merged away since. Null where the contact never wrote.
-- column first_human_response_at: Earliest comment, or assignment with a body, by an admin who is not a bot, deleted since or not; notes do not count, nor does the first message of a conversation. Null where there is none. Where bodies are dropped, only comments are seen.
-- column first_ai_response_at: Earliest comment that comes from the AI agent, is an answer of it, or is by a bot.
-- column first_assignment_at: First part that assigns, or takes away.
-- column last_assignment_at: Last part that assigns, or takes away.
-- column assignments: Parts that assign a team, an admin, a bot or both, or take one away; 0 when there is none.
-- column first_close_at: First close, whoever did it: a bot that closes before any human speaks counts.
-- column last_close_at: Last close. An assignment that skips reopening is none.
-- column first_admin_close_at: First close by an admin; null where only bots or contacts closed it.
-- column reopens: Times that it became open after it was closed; an assignment that skips reopening on a closed conversation is none. 0 when that never happened.
-- column time_to_first_response_calendar: Seconds from created_at to first_human_response_at; null without one.
-- column time_to_first_response_office: The same with time outside the office hours taken out; null where there are none.
-- column time_to_first_close: Seconds from first_contact_reply_at to first_close_at, as the source's own statistics do; null without either, and where it was closed before the contact wrote.
-- column time_to_first_close_office: The same with time outside the office hours taken out; null where there are none.
-- column time_to_first_close_from_creation: Seconds from created_at to first_close_at; null where it was never closed.
-- column time_to_last_close: Seconds from first_contact_reply_at to last_close_at, as the source's own statistics do; null without either, and where it was closed before the contact wrote.
-- column time_to_last_close_office: The same with time outside the office hours taken out; null where there are none.
-- column time_to_last_close_from_creation: Seconds from created_at to last_close_at; null where it was never closed.
-- column waits: Waits of the contact, those in reply_pairs; 0 when there is none.
-- column answered_waits: Those that were answered, by a human, the AI agent or a workflow.
-- column median_reply_time: Median of reply_time_calendar over the answered waits, in seconds, rounded to whole ones; null without any.
-- column median_reply_time_office: Median of reply_time_office over the same; null where there are no office hours.
-- column waiting_since: Start of the contact's open turn; null when the workspace spoke last, and when it was closed since.
-- column handling_time: Seconds from each part that puts somebody in charge to the next close, or to the next part that assigns or takes away, summed; null when there is no such stretch that has ended.
-- column rating_requested: The contact was asked for a rating, given or not; null when it was not asked for.
-- column satisfied: The rating is 4 or 5, which is a convention; null without a rating.
-- column parts_stored: Parts that are stored; 0 when there is none.
-- column parts_reported: Parts that it has by the source's count; null where the source does not tell.
-- column parts_capped: Parts are missing that the API can no longer give: it sends the newest 500. Null where the source does not tell how many there are.
WITH parts AS (
  SELECT conversation_id, created_at, part_type, author_type,
         part_type = 'comment' AND author_type IN ('user', 'lead') AS by_contact,
         author_type = 'admin' AND NOT coalesce(from_ai_agent OR is_ai_answer, false)
           AND (part_type = 'comment' OR part_type IN ('assignment', 'assign_and_reopen') AND (body <> '' OR redacted)) AS by_human,
         part_type = 'comment' AND (from_ai_agent OR is_ai_answer OR author_type = 'bot') AS by_ai,
         assigned_to_type IS NOT NULL OR admin_assignee_id IS NOT NULL OR team_assignee_id IS NOT NULL AS assigns
  FROM {schema}.conversation_parts
), facts AS (
  SELECT conversation_id, count(*) AS parts_stored,
         min(created_at) FILTER (by_contact) AS first_contact_comment_at,
         min(created_at) FILTER (by_human) AS first_human_response_at,
         min(created_at) FILTER (by_ai) AS first_ai_response_at,
         min(created_at) FILTER (assigns) AS first_assignment_at,
         max(created_at) FILTER (assigns) AS last_assignment_at,
         count(*) FILTER (assigns) AS assignments,
         min(created_at) FILTER (part_type = 'close') AS first_close_at,
         max(created_at) FILTER (part_type = 'close') AS last_close_at,
         min(created_at) FILTER (part_type = 'close' AND author_type = 'admin') AS first_admin_close_at
  FROM parts GROUP BY conversation_id
), handled AS (
  SELECT conversation_id, sum(seconds)::BIGINT AS handling_time
  FROM (
    SELECT conversation_id, coalesce(assigned_to_type, '') <> 'nobody_admin' AND (assigned_to_type IS NOT NULL OR admin_assignee_id <> '0' OR team_assignee_id <> '0') AS begins,
           (epoch(lead(created_at) OVER ordered) - epoch(created_at))::BIGINT AS seconds
    FROM {schema}.conversation_parts
    WHERE part_type = 'close' OR assigned_to_type IS NOT NULL OR admin_assignee_id IS NOT NULL OR team_assignee_id IS NOT NULL
    WINDOW ordered AS (PARTITION BY conversation_id ORDER BY created_at, length(id), id)
  ) WHERE begins GROUP BY conversation_id
), replies AS (
  SELECT conversation_id, count(*) AS waits, count(answered_at) AS answered_waits,
         round(median(reply_time_calendar))::BIGINT AS median_reply_time, round(median(reply_time_office))::BIGINT AS median_reply_time_office,
         max(asked_at) FILTER (answered_at IS NULL AND closed_at IS NULL) AS waiting_since
  FROM {models}.reply_pairs GROUP BY conversation_id
), states AS (
  SELECT conversation_id, count(*) FILTER (reopened) AS reopens FROM {models}.state_intervals GROUP BY conversation_id
), moments AS (
  SELECT c.id AS conversation_id, c.created_at, c.state, c.admin_assignee_id, c.team_assignee_id,
         c.rating, c.rating_teammate_type, c.rating_created_at, c.rating_contact_id, c.statistics_count_conversation_parts AS parts_reported,
         least(CASE WHEN c.source_author_type IN ('user', 'lead') THEN c.created_at END, f.first_contact_comment_at) AS first_contact_reply_at,
         f.* EXCLUDE (conversation_id, first_contact_comment_at)
  FROM {schema}.conversations c LEFT JOIN facts f ON f.conversation_id = c.id
), timed AS (
  -- Seconds of office hours before each moment.
  SELECT m.*,
         a.open_before + epoch(least(m.created_at, a.ends_at)) - epoch(a.opens_at) AS began,
         b.open_before + epoch(least(m.first_human_response_at, b.ends_at)) - epoch(b.opens_at) AS responded,
         d.open_before + epoch(least(m.first_contact_reply_at, d.ends_at)) - epoch(d.opens_at) AS wrote,
         e.open_before + epoch(least(m.first_close_at, e.ends_at)) - epoch(e.opens_at) AS closed,
         g.open_before + epoch(least(m.last_close_at, g.ends_at)) - epoch(g.opens_at) AS closed_last
  FROM moments m
  ASOF LEFT JOIN {models}.office_hours a ON m.created_at >= a.opens_at
  ASOF LEFT JOIN {models}.office_hours b ON m.first_human_response_at >= b.opens_at
  ASOF LEFT JOIN {models}.office_hours d ON m.first_contact_reply_at >= d.opens_at
  ASOF LEFT JOIN {models}.office_hours e ON m.first_close_at >= e.opens_at
  ASOF LEFT JOIN {models}.office_hours g ON m.last_close_at >= g.opens_at
)
SELECT t.conversation_id, t.created_at, timezone({timezone}, t.created_at)::DATE AS created_date, t.state, t.admin_assignee_id, t.team_assignee_id,
       t.first_contact_reply_at, t.first_human_response_at, t.first_ai_response_at,
       t.first_assignment_at, t.last_assignment_at, coalesce(t.assignments, 0) AS assignments,
       t.first_close_at, t.last_close_at, t.first_admin_close_at, s.reopens,
       (epoch(t.first_human_response_at) - epoch(t.created_at))::BIGINT AS time_to_first_response_calendar,
       (responded - began)::BIGINT AS time_to_first_response_office,
       (CASE WHEN t.first_close_at >= t.first_contact_reply_at THEN epoch(t.first_close_at) - epoch(t.first_contact_reply_at) END)::BIGINT AS time_to_first_close,
       (CASE WHEN t.first_close_at >= t.first_contact_reply_at THEN closed - wrote END)::BIGINT AS time_to_first_close_office,
       (epoch(t.first_close_at) - epoch(t.created_at))::BIGINT AS time_to_first_close_from_creation,
       (CASE WHEN t.last_close_at >= t.first_contact_reply_at THEN epoch(t.last_close_at) - epoch(t.first_contact_reply_at) END)::BIGINT AS time_to_last_close,
       (CASE WHEN t.last_close_at >= t.first_contact_reply_at THEN closed_last - wrote END)::BIGINT AS time_to_last_close_office,
       (epoch(t.last_close_at) - epoch(t.created_at))::BIGINT AS time_to_last_close_from_creation,
       coalesce(r.waits, 0) AS waits, coalesce(r.answered_waits, 0) AS answered_waits, r.median_reply_time, r.median_reply_time_office, r.waiting_since,
       h.handling_time,
       CASE WHEN t.rating IS NOT NULL OR t.rating_created_at IS NOT NULL OR t.rating_teammate_type IS NOT NULL OR t.rating_contact_id IS NOT NULL THEN true END AS rating_requested,
       t.rating, t.rating >= 4 AS satisfied, t.rating_teammate_type,
       coalesce(t.parts_stored, 0) AS parts_stored, t.parts_reported, t.parts_reported > greatest(coalesce(t.parts_stored, 0), 500) AS parts_capped
FROM timed t
LEFT JOIN states s ON s.conversation_id = t.conversation_id
LEFT JOIN replies r ON r.conversation_id = t.conversation_id
LEFT JOIN handled h ON h.conversation_id = t.conversation_id
