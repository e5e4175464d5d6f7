-- relation: conversation_metrics (table)
-- doc: One row per conversation, with times and durations from its stored parts. If parts_capped is true, early parts may be missing, and with them the first events. The source's own statistics are columns of conversations, and are never mixed in. Columns that end in _office need warehouse.office_hours.
-- key: conversation_id
-- changed by: conversations.id, conversation_parts.conversation_id
-- column conversation_id: Id of the conversation.
-- column created_date: Day of its start, in the time zone of the warehouse.
-- column team_assignee_id: Team in charge now, not the one that answered. As sent: nobody is 0 in newer API versions, null in older ones. assignment_intervals has the team at the time of an answer.
-- column first_contact_reply_at: Earliest message of the contact: the opening one of a conversation that a lead or user began, a comment or a quick reply. It is before created_at where older messages were imported or merged. Redacted messages count, and those of a lead who was merged later. Null if the contact never wrote.
-- column first_human_response_at: Earliest message by an admin after that of first_contact_reply_at: a comment, or words with an assignment, a close, a snooze or a reopening. Bots, the AI agent and notes do not count, deleted admins do. Null without one. If texts are dropped, only comments count.
-- column first_ai_response_at: Earliest comment by the AI agent or by a bot, or with an answer of the AI agent; null without one.
-- column first_assignment_at: First part that assigns an admin, a team or a bot; null without one.
-- column last_assignment_at: Last part that assigns an admin, a team or a bot; null without one.
-- column assignments: Number of parts that assign an admin, a team or a bot, as the source counts them; 0 without any.
-- column unassignments: Number of parts that only take an assignee away; 0 without any.
-- column first_close_at: First close by any author: a close by a bot before any human speaks counts. Null without one.
-- column last_close_at: Last close. An assignment that skips reopening is not a close.
-- column first_admin_close_at: First close by an admin; null if only bots, the AI agent or contacts closed it.
-- column reopens: Number of times that it became open or snoozed after a close; 0 without any. An assignment that skips reopening on a closed conversation does not count.
-- column time_to_first_response_calendar: Seconds from first_contact_reply_at to first_human_response_at; null without a response. Where older messages were imported, it counts from the imported one.
-- column time_to_first_response_office: time_to_first_response_calendar in office seconds; null without a response, and without warehouse.office_hours.
-- column time_to_first_response_from_creation: Seconds from created_at to first_human_response_at; null without a response. It leaves out the time before an import.
-- column time_to_first_close: Seconds from first_contact_reply_at to first_close_at, as in the source's own statistics. Null without one of them, and if it was closed before the contact wrote.
-- column time_to_first_close_office: time_to_first_close in office seconds; null without warehouse.office_hours.
-- column time_to_first_close_from_creation: Seconds from created_at to first_close_at; null if it was never closed, or before it was created.
-- column time_to_last_close: Seconds from first_contact_reply_at to last_close_at, as in the source's own statistics. Null without one of them, and if it was closed before the contact wrote.
-- column time_to_last_close_office: time_to_last_close in office seconds; null without warehouse.office_hours.
-- column time_to_last_close_from_creation: Seconds from created_at to last_close_at; null if it was never closed, or before it was created.
-- column waits: Number of waits of the contact in reply_pairs; 0 without any.
-- column answered_waits: Number of those that a human, the AI agent or a workflow answered.
-- column median_reply_time: Median of reply_time_calendar over the waits that a human answered, in whole seconds; null without any.
-- column median_reply_time_office: Median of reply_time_office over the waits that a human answered, in whole seconds; null without warehouse.office_hours.
-- column median_reply_time_any: Median of reply_time_calendar over all answered waits, in whole seconds; null without any.
-- column median_reply_time_any_office: Median of reply_time_office over all answered waits, in whole seconds; null without warehouse.office_hours.
-- column waiting_since: Start of the contact's open turn; null if the workspace spoke last, and after a close.
-- column handling_time: Seconds in which the conversation was open and assigned to an admin who is not a bot. Snoozes, queues and time after a close do not count, nor does the time that still lasts. Null without any.
-- column queued_time: Seconds in which it was open and assigned to a team, but to no admin; null without any.
-- column rating_requested: The contact was asked for a rating, given or not; null if it was not asked for.
-- column satisfied: The rating is 4 or 5, which is a convention; null without a rating.
-- column parts_stored: Number of stored parts; 0 without any.
-- column parts_reported: Number of parts by the source's count; null if the source does not send it.
-- column parts_capped: True if parts are missing that the API no longer sends: it sends the newest 500. Null if the source does not send the number of parts.
WITH parts AS (
  SELECT conversation_id, created_at, part_type, author_type = 'admin' AND NOT coalesce(from_ai_agent OR is_ai_answer, false) AS by_human,
         coalesce(assigned_to_type, '') <> 'nobody_admin' AND (assigned_to_type IS NOT NULL OR admin_assignee_id <> '0' OR team_assignee_id <> '0') AS assigns,
         assigned_to_type IS NOT NULL OR admin_assignee_id IS NOT NULL OR team_assignee_id IS NOT NULL AS moves
  FROM {schema}.conversation_parts
), facts AS (
  SELECT conversation_id, count(*) AS parts_stored,
         min(created_at) FILTER (assigns) AS first_assignment_at,
         max(created_at) FILTER (assigns) AS last_assignment_at,
         count(*) FILTER (assigns) AS assignments, count(*) FILTER (moves AND NOT coalesce(assigns, false)) AS unassignments,
         min(created_at) FILTER (part_type = 'close') AS first_close_at,
         max(created_at) FILTER (part_type = 'close') AS last_close_at,
         min(created_at) FILTER (part_type = 'close' AND by_human) AS first_admin_close_at
  FROM parts GROUP BY conversation_id
), said AS (
  SELECT conversation_id, first_words.sent_at AS first_contact_reply_at,
         min(sent_at) FILTER (author_kind = 'human' AND part_id <> 'source' AND place > first_words) AS first_human_response_at,
         min(sent_at) FILTER (part_id <> 'source' AND (author_kind = 'ai' OR author_type = 'bot')) AS first_ai_response_at
  FROM (
    -- Parts of one second are in the order of their ids, behind the first message of the conversation.
    SELECT *, {'sent_at': sent_at, 'length': CASE WHEN part_id <> 'source' THEN length(part_id) ELSE 0 END, 'part_id': part_id} AS place,
           min(CASE WHEN author_kind = 'contact' THEN place END) OVER (PARTITION BY conversation_id) AS first_words
    FROM {models}.conversation_messages
  ) GROUP BY conversation_id, first_words
), handled AS (
  -- Only the time that both an assignment and an open state have ended, or one of them.
  SELECT conversation_id, sum(seconds) FILTER (NOT admin_is_bot)::BIGINT AS handling_time, sum(seconds) FILTER (admin_id IS NULL AND admin_known)::BIGINT AS queued_time
  FROM (
    SELECT a.conversation_id, a.admin_id, a.admin_is_bot, a.admin_known,
           (epoch(least(coalesce(a.ended_at, s.ended_at), coalesce(s.ended_at, a.ended_at))) - epoch(greatest(a.began_at, s.began_at)))::BIGINT AS seconds
    FROM {models}.assignment_intervals a JOIN {models}.state_intervals s ON s.conversation_id = a.conversation_id AND s.state = 'open'
    WHERE coalesce(a.ended_at, s.ended_at) IS NOT NULL
  ) WHERE seconds > 0 GROUP BY conversation_id
), replies AS (
  SELECT conversation_id, count(*) AS waits, count(answered_at) AS answered_waits,
         round(median(reply_time_calendar) FILTER (answered_by = 'human'))::BIGINT AS median_reply_time,
         round(median(reply_time_office) FILTER (answered_by = 'human'))::BIGINT AS median_reply_time_office,
         round(median(reply_time_calendar))::BIGINT AS median_reply_time_any, round(median(reply_time_office))::BIGINT AS median_reply_time_any_office,
         max(asked_at) FILTER (answered_at IS NULL AND closed_at IS NULL) AS waiting_since
  FROM {models}.reply_pairs GROUP BY conversation_id
), states AS (
  SELECT conversation_id, count(*) FILTER (reopened) AS reopens FROM {models}.state_intervals GROUP BY conversation_id
), moments AS (
  SELECT c.id AS conversation_id, c.created_at, c.state, c.admin_assignee_id, c.team_assignee_id,
         c.rating, c.rating_teammate_type, c.rating_created_at, c.rating_contact_id, c.statistics_count_conversation_parts AS parts_reported,
         w.first_contact_reply_at, w.first_human_response_at, w.first_ai_response_at, f.* EXCLUDE (conversation_id)
  FROM {schema}.conversations c LEFT JOIN facts f ON f.conversation_id = c.id LEFT JOIN said w ON w.conversation_id = c.id
), timed AS (
  -- Seconds of office hours before each moment.
  SELECT m.*,
         b.open_before + epoch(least(m.first_human_response_at, b.ends_at)) - epoch(b.opens_at) AS responded,
         d.open_before + epoch(least(m.first_contact_reply_at, d.ends_at)) - epoch(d.opens_at) AS wrote,
         e.open_before + epoch(least(m.first_close_at, e.ends_at)) - epoch(e.opens_at) AS closed,
         g.open_before + epoch(least(m.last_close_at, g.ends_at)) - epoch(g.opens_at) AS closed_last
  FROM moments m
  ASOF LEFT JOIN {models}.office_hours b ON m.first_human_response_at >= b.opens_at
  ASOF LEFT JOIN {models}.office_hours d ON m.first_contact_reply_at >= d.opens_at
  ASOF LEFT JOIN {models}.office_hours e ON m.first_close_at >= e.opens_at
  ASOF LEFT JOIN {models}.office_hours g ON m.last_close_at >= g.opens_at
)
SELECT t.conversation_id, t.created_at, timezone({timezone}, t.created_at)::DATE AS created_date, t.state, t.admin_assignee_id, t.team_assignee_id,
       t.first_contact_reply_at, t.first_human_response_at, t.first_ai_response_at,
       t.first_assignment_at, t.last_assignment_at, coalesce(t.assignments, 0) AS assignments, coalesce(t.unassignments, 0) AS unassignments,
       t.first_close_at, t.last_close_at, t.first_admin_close_at, s.reopens,
       (epoch(t.first_human_response_at) - epoch(t.first_contact_reply_at))::BIGINT AS time_to_first_response_calendar,
       (responded - wrote)::BIGINT AS time_to_first_response_office,
       (CASE WHEN t.first_human_response_at >= t.created_at THEN epoch(t.first_human_response_at) - epoch(t.created_at) END)::BIGINT AS time_to_first_response_from_creation,
       (CASE WHEN t.first_close_at >= t.first_contact_reply_at THEN epoch(t.first_close_at) - epoch(t.first_contact_reply_at) END)::BIGINT AS time_to_first_close,
       (CASE WHEN t.first_close_at >= t.first_contact_reply_at THEN closed - wrote END)::BIGINT AS time_to_first_close_office,
       (CASE WHEN t.first_close_at >= t.created_at THEN epoch(t.first_close_at) - epoch(t.created_at) END)::BIGINT AS time_to_first_close_from_creation,
       (CASE WHEN t.last_close_at >= t.first_contact_reply_at THEN epoch(t.last_close_at) - epoch(t.first_contact_reply_at) END)::BIGINT AS time_to_last_close,
       (CASE WHEN t.last_close_at >= t.first_contact_reply_at THEN closed_last - wrote END)::BIGINT AS time_to_last_close_office,
       (CASE WHEN t.last_close_at >= t.created_at THEN epoch(t.last_close_at) - epoch(t.created_at) END)::BIGINT AS time_to_last_close_from_creation,
       coalesce(r.waits, 0) AS waits, coalesce(r.answered_waits, 0) AS answered_waits, r.median_reply_time, r.median_reply_time_office,
       r.median_reply_time_any, r.median_reply_time_any_office, r.waiting_since, h.handling_time, h.queued_time,
       CASE WHEN t.rating IS NOT NULL OR t.rating_created_at IS NOT NULL OR t.rating_teammate_type IS NOT NULL OR t.rating_contact_id IS NOT NULL THEN true END AS rating_requested,
       t.rating, t.rating >= 4 AS satisfied, t.rating_teammate_type,
       coalesce(t.parts_stored, 0) AS parts_stored, t.parts_reported, t.parts_reported > greatest(coalesce(t.parts_stored, 0), 500) AS parts_capped
FROM timed t
LEFT JOIN states s ON s.conversation_id = t.conversation_id
LEFT JOIN replies r ON r.conversation_id = t.conversation_id
LEFT JOIN handled h ON h.conversation_id = t.conversation_id
