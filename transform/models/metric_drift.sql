-- relation: metric_drift (view)
-- doc: One row per conversation that is in the reporting export, too: first response and first close, ours beside the export's, in seconds. A workspace's dataset names its columns itself: where it has none called time_to_first_response_seconds or time_to_first_close_seconds, what is made of it is null.
-- key: conversation_id
-- column conversation_id: The conversation.
-- column export_rows: Rows that the export has of it; of several the greatest time is taken.
-- column first_response_ours_calendar: Ours: time_to_first_response_calendar of conversation_metrics.
-- column first_response_ours_office: Ours without the time outside the office hours: time_to_first_response_office.
-- column first_response_export: The export's time to first response, in seconds, as a number of whatever precision it has; null where it tells none, or no number.
-- column first_response_drift: Ours by the calendar minus the export's; null without either.
-- column first_close_ours_calendar: Ours: time_to_first_close of conversation_metrics.
-- column first_close_ours_office: Ours without the time outside the office hours: time_to_first_close_office.
-- column first_close_export: The export's time to first close, in seconds; null where it tells none, or no number.
-- column first_close_drift: Ours by the calendar minus the export's; null without either.
-- column agrees: Neither drift is more than a second; null where there is nothing to compare.
WITH export AS (
  SELECT conversation_id, count(*) AS export_rows,
         max(try_cast(time_to_first_response_seconds AS DOUBLE)) AS first_response_export, max(try_cast(time_to_first_close_seconds AS DOUBLE)) AS first_close_export
  FROM (
    -- The first row is of no table: it names the columns that a dataset may not have, which are null then.
    SELECT NULL::VARCHAR AS conversation_id, NULL::VARCHAR AS time_to_first_response_seconds, NULL::VARCHAR AS time_to_first_close_seconds
    UNION ALL BY NAME
    SELECT * FROM {schema}.reporting_conversation
  ) WHERE conversation_id IS NOT NULL GROUP BY conversation_id
), compared AS (
  SELECT m.conversation_id, e.export_rows,
         m.time_to_first_response_calendar AS first_response_ours_calendar, m.time_to_first_response_office AS first_response_ours_office, e.first_response_export,
         m.time_to_first_response_calendar - e.first_response_export AS first_response_drift,
         m.time_to_first_close AS first_close_ours_calendar, m.time_to_first_close_office AS first_close_ours_office, e.first_close_export,
         m.time_to_first_close - e.first_close_export AS first_close_drift
  FROM {models}.conversation_metrics m JOIN export e ON e.conversation_id = m.conversation_id
)
SELECT *, greatest(abs(first_response_drift), abs(first_close_drift)) <= 1 AS agrees
FROM compared
