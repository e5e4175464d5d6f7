-- relation: conversation_metrics (view)
-- doc: One row per conversation, with times and durations from its stored parts. If parts_capped is true, early parts may be missing, and with them the first events. The source's own statistics are columns of conversations, and are never mixed in.
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column created_date: Day of its start, in the time zone of the warehouse.
-- column first_contact_reply_at: First message of the contact. In a conversation that a lead or user began it is the first message, otherwise the earliest comment by one. Redacted messages count, and those of a lead who was merged later. Null if the contact never wrote.
-- column first_human_response_at: Earliest comment, or assignment with a body, by an admin who is not a bot, also by a deleted admin. Notes and the first message of the conversation do not count. Null without one. If bodies are dropped, only comments count.
-- column first_ai_response_at: Earliest comment by the AI agent or by a bot, or with an answer of the AI agent; null without one.
-- column first_assignment_at: First part that assigns or unassigns; null without one.
-- column last_assignment_at: Last part that assigns or unassigns; null without one.
-- column assignments: Number of parts that assign or unassign a team, an admin, a bot or both; 0 without any.
-- column first_close_at: First close by any author: a close by a bot before any human speaks counts. Null without one.
-- column last_close_at: Last close. An assignment that skips reopening is not a close.
-- column first_admin_close_at: First close by an admin; null if only bots or contacts closed it.
-- column reopens: Number of times that it became open after a close; 0 without any. An assignment that skips reopening on a closed conversation does not count.
-- column time_to_first_response_calendar: Seconds from created_at to first_human_response_at; null without a response.
-- column time_to_first_response_office: Office seconds from created_at to first_human_response_at; null without a response or office hours.
-- column time_to_first_close: Seconds from first_contact_reply_at to first_close_at, as in the source's own statistics. Null without one of them, and if it was closed before the contact wrote.
-- column time_to_first_close_office: time_to_first_close in office seconds; null without office hours.
-- column time_to_first_close_from_creation: Seconds from created_at to first_close_at; null if it was never closed.
-- column time_to_last_close: Seconds from first_contact_reply_at to last_close_at, as in the source's own statistics. Null without one of them, and if it was closed before the contact wrote.
-- column time_to_last_close_office: time_to_last_close in office seconds; null without office hours.
-- column time_to_last_close_from_creation: Seconds from created_at to last_close_at; null if it was never closed.
-- column waits: Number of waits of the contact in reply_pairs; 0 without any.
-- column answered_waits: Number of those that a human, the AI agent or a workflow answered.
-- column median_reply_time: Median of reply_time_calendar over the answered waits, in whole seconds; null without any.
-- column median_reply_time_office: Median of reply_time_office over the answered waits, in whole seconds; null without office hours.
-- column waiting_since: Start of the contact's open turn; null if the workspace spoke last, and after a close.
-- column handling_time: Sum of the seconds from each assigning part to the next close or the next part that assigns or unassigns; null without such an ended interval.
-- column rating_requested: The contact was asked for a rating, given or not; null if it was not asked for.
-- column satisfied: The rating is 4 or 5, which is a convention; null without a rating.
-- column parts_stored: Number of stored parts; 0 without any.
-- column parts_reported: Number of parts by the source's count; null if the source does not send it.
-- column parts_capped: True if parts are missing that the API no longer sends: it sends the newest 500. Null if the source does not send the number of parts.
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
