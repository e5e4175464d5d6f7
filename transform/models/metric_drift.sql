-- relation: metric_drift (view)
-- doc: One row per conversation, source and measure: our value beside the source's, and why they differ. The source is the conversation's own statistics, or the reporting export whose dataset has columns time_to_first_response_seconds and time_to_first_close_seconds. Values are seconds, from the start of the conversation for moments; counts for assignments and reopens. Columns that end in _office need warehouse.office_hours.
-- key: conversation_id, source, measure
-- column conversation_id: Id of the conversation.
-- column source: statistics, of the conversation; export, of the reporting data.
-- column measure: first_contact_reply, first_response, first_assignment, last_assignment, first_close, last_close, time_to_first_close, time_to_last_close, median_reply_time, handling_time, assignments or reopens.
-- column ours: Our value, from conversation_metrics; null without one.
-- column ours_office: The same in office seconds, where we have it; null without warehouse.office_hours.
-- column theirs: The source's value; null without one. Of several rows of an export the longest time.
-- column drift: Ours minus theirs; null without one of them.
-- column agrees: The drift is at most a second, and 0 for counts. False if only one of the two has a value.
-- column why: Reason, null if they agree - capped, office hours, from creation, ai agent, words, redacted, snooze, imported, quick reply, close, outbound or other. docs/numbers.md explains each.
WITH export AS (
  SELECT conversation_id,
         max(try_cast(time_to_first_response_seconds AS DOUBLE)) AS first_response, max(try_cast(time_to_first_close_seconds AS DOUBLE)) AS first_close
  FROM (
    -- The first row is of no table: it names the columns that a dataset may not have, which are null then.
    SELECT NULL::VARCHAR AS conversation_id, NULL::VARCHAR AS time_to_first_response_seconds, NULL::VARCHAR AS time_to_first_close_seconds
    UNION ALL BY NAME
    SELECT * FROM {schema}.reporting_conversation
  ) WHERE conversation_id IS NOT NULL GROUP BY conversation_id
), answers AS (
  SELECT conversation_id, created_at, bool_or(part_type IN ('close', 'open', 'snoozed')) AS added, bool_or(redacted) AS redacted
  FROM {schema}.conversation_parts WHERE author_type = 'admin' AND part_type <> 'note' GROUP BY ALL
), agents AS (
  SELECT conversation_id, epoch(min(created_at)) AS signed FROM {schema}.conversation_parts
  WHERE author_type = 'admin' AND part_type <> 'note' AND (from_ai_agent OR is_ai_answer) GROUP BY ALL
), choices AS (
  SELECT DISTINCT conversation_id, created_at FROM {schema}.conversation_parts WHERE part_type = 'quick_reply' AND author_type IN ('user', 'lead')
), closes AS (
  SELECT DISTINCT conversation_id FROM {models}.reply_pairs WHERE closed_at IS NOT NULL
), snoozes AS (
  SELECT DISTINCT conversation_id FROM {models}.state_intervals WHERE reopened AND state = 'snoozed'
), metrics AS (
  SELECT m.*, coalesce(c.source_author_type, 'user') NOT IN ('user', 'lead') AS outbound, a.added, a.redacted, z.conversation_id IS NOT NULL AS snoozed,
         g.signed, q.conversation_id IS NOT NULL AS chosen, x.conversation_id IS NOT NULL AS ended, m.first_contact_reply_at < m.created_at AS imported,
         epoch(m.first_contact_reply_at) AS wrote, epoch(m.created_at) AS began, c.statistics_count_conversation_parts IS NOT NULL AS told, COLUMNS('^statistics_')
  FROM {models}.conversation_metrics m JOIN {schema}.conversations c ON c.id = m.conversation_id
  LEFT JOIN answers a ON a.conversation_id = m.conversation_id AND a.created_at = m.first_human_response_at
  LEFT JOIN agents g ON g.conversation_id = m.conversation_id
  LEFT JOIN choices q ON q.conversation_id = m.conversation_id AND q.created_at = m.first_contact_reply_at
  LEFT JOIN closes x ON x.conversation_id = m.conversation_id
  LEFT JOIN snoozes z ON z.conversation_id = m.conversation_id
), measured AS (
  SELECT conversation_id, 'statistics' AS source, outbound, added, redacted, snoozed, signed, chosen, ended, imported, wrote, began, parts_capped, unnest([
    {'measure': 'first_contact_reply', 'ours': epoch(first_contact_reply_at) - began, 'office': NULL::DOUBLE, 'created': NULL::DOUBLE, 'theirs': epoch(statistics_first_contact_reply_at) - began},
    {'measure': 'first_response', 'ours': epoch(first_human_response_at) - began, 'office': NULL, 'created': NULL, 'theirs': epoch(statistics_first_admin_reply_at) - began},
    {'measure': 'first_assignment', 'ours': epoch(first_assignment_at) - began, 'office': NULL, 'created': NULL, 'theirs': epoch(statistics_first_assignment_at) - began},
    {'measure': 'last_assignment', 'ours': epoch(last_assignment_at) - began, 'office': NULL, 'created': NULL, 'theirs': epoch(statistics_last_assignment_at) - began},
    {'measure': 'first_close', 'ours': epoch(first_close_at) - began, 'office': NULL, 'created': NULL, 'theirs': epoch(statistics_first_close_at) - began},
    {'measure': 'last_close', 'ours': epoch(last_close_at) - began, 'office': NULL, 'created': NULL, 'theirs': epoch(statistics_last_close_at) - began},
    {'measure': 'time_to_first_close', 'ours': time_to_first_close, 'office': time_to_first_close_office, 'created': time_to_first_close_from_creation, 'theirs': statistics_time_to_first_close},
    {'measure': 'time_to_last_close', 'ours': time_to_last_close, 'office': time_to_last_close_office, 'created': time_to_last_close_from_creation, 'theirs': statistics_time_to_last_close},
    {'measure': 'median_reply_time', 'ours': median_reply_time, 'office': median_reply_time_office, 'created': NULL, 'theirs': statistics_median_time_to_reply},
    {'measure': 'handling_time', 'ours': handling_time, 'office': NULL, 'created': NULL, 'theirs': statistics_handling_time},
    {'measure': 'assignments', 'ours': assignments, 'office': NULL, 'created': NULL, 'theirs': statistics_count_assignments},
    {'measure': 'reopens', 'ours': reopens, 'office': NULL, 'created': NULL, 'theirs': statistics_count_reopens}], recursive := true)
  FROM metrics WHERE told
  UNION ALL
  SELECT e.conversation_id, 'export', outbound, added, redacted, snoozed, signed, chosen, ended, imported, wrote, began, parts_capped, unnest([
    {'measure': 'first_response', 'ours': time_to_first_response_calendar::DOUBLE, 'office': time_to_first_response_office::DOUBLE, 'created': time_to_first_response_from_creation::DOUBLE, 'theirs': e.first_response},
    {'measure': 'first_close', 'ours': time_to_first_close, 'office': time_to_first_close_office, 'created': time_to_first_close_from_creation, 'theirs': e.first_close}], recursive := true)
  FROM metrics m JOIN export e ON e.conversation_id = m.conversation_id
), compared AS (
  SELECT *, ours - theirs AS drift, coalesce(abs(ours - theirs) <= CASE WHEN measure IN ('assignments', 'reopens') THEN 0 ELSE 1 END, false) AS agrees
  FROM measured WHERE theirs IS NOT NULL OR source = 'statistics' AND ours IS NOT NULL
)
SELECT conversation_id, source, measure, ours, office AS ours_office, theirs, drift, agrees,
       CASE WHEN agrees THEN NULL WHEN parts_capped THEN 'capped' WHEN abs(office - theirs) <= 1 THEN 'office hours' WHEN abs(created - theirs) <= 1 THEN 'from creation'
            WHEN measure = 'first_response' AND least(abs(signed - began - theirs), abs(signed - wrote - theirs)) <= 1 THEN 'ai agent'
            WHEN measure = 'first_response' AND added THEN 'words' WHEN measure = 'first_response' AND redacted THEN 'redacted'
            WHEN measure = 'reopens' AND snoozed THEN 'snooze'
            WHEN imported AND measure IN ('first_contact_reply', 'first_response', 'time_to_first_close', 'time_to_last_close', 'median_reply_time') THEN 'imported'
            WHEN chosen AND measure IN ('first_contact_reply', 'first_response', 'time_to_first_close', 'time_to_last_close', 'median_reply_time') THEN 'quick reply'
            WHEN ended AND measure = 'median_reply_time' THEN 'close'
            WHEN outbound AND measure NOT IN ('assignments', 'reopens', 'first_assignment', 'last_assignment', 'first_close', 'last_close') THEN 'outbound' ELSE 'other' END AS why
FROM compared
