-- How fast was the first response of a human in each of the last twelve full weeks, and how many contacts never got one?
-- Only conversations in which the contact wrote count, and only what was answered after that. Half of the responses came within the median, nine of ten within
-- p90; office minutes count only time inside the office hours.
-- draw: median_minutes
WITH weeks AS (
  SELECT unnest(generate_series(newest - INTERVAL 12 WEEK, newest - INTERVAL 1 WEEK, INTERVAL 1 WEEK))::DATE AS week_date
  FROM (SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
), wrote AS (
  SELECT m.*, f.resolved_by AS answered_by FROM models.conversation_metrics m JOIN models.first_contact_resolution f ON f.conversation_id = m.conversation_id
  WHERE m.first_contact_reply_at IS NOT NULL
)
SELECT w.week_date, count(c.conversation_id) AS conversations, count(c.first_human_response_at) AS by_a_human,
       count(c.conversation_id) FILTER (c.answered_by IN ('ai', 'workflow')) AS by_a_bot_alone,
       count(c.conversation_id) FILTER (c.answered_by IS NULL) AS by_nobody,
       round(median(c.time_to_first_response_calendar) / 60, 1) AS median_minutes,
       round(quantile_cont(c.time_to_first_response_calendar, 0.9) / 60, 1) AS p90_minutes, round(median(c.time_to_first_response_office) / 60, 1) AS median_office_minutes
FROM weeks w LEFT JOIN wrote c ON date_trunc('week', c.created_date) = w.week_date
GROUP BY w.week_date ORDER BY w.week_date DESC;
