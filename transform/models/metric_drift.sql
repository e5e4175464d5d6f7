-- relation: metric_drift (view)
-- doc: One row per conversation that is also in the reporting export: our first response and first close beside the export's, in seconds. The workspace names the columns of its dataset. Without a column time_to_first_response_seconds or time_to_first_close_seconds, the columns made from it are null.
-- key: conversation_id
-- column conversation_id: Id of the conversation.
-- column export_rows: Number of rows of the conversation in the export; of several rows the longest time is used.
-- column first_response_ours_calendar: Ours: time_to_first_response_calendar of conversation_metrics.
-- column first_response_ours_office: Ours without time outside the office hours: time_to_first_response_office.
-- column first_response_export: The export's time to first response in seconds, with the precision that it has; null without a number.
-- column first_response_drift: Our calendar time minus the export's, in seconds; null without one of them.
-- column first_close_ours_calendar: Ours: time_to_first_close of conversation_metrics.
-- column first_close_ours_office: Ours without time outside the office hours: time_to_first_close_office.
-- column first_close_export: The export's time to first close in seconds; null without a number.
-- column first_close_drift: Our calendar time minus the export's, in seconds; null without one of them.
-- column agrees: Neither drift is more than a second; null if there is nothing to compare.
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
