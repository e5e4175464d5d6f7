-- How fast was the first response of a human in each of the last twelve full weeks, and how many contacts never got one?
-- Only conversations in which the contact wrote count. Half of the responses came within the median, nine of ten within p90; office minutes count only time
-- inside the office hours.
-- draw: median_minutes
SELECT date_trunc('week', created_date)::DATE AS week_date, count(*) AS conversations, count(first_human_response_at) AS by_a_human,
       count(*) FILTER (first_human_response_at IS NULL AND first_ai_response_at IS NOT NULL) AS by_a_bot_alone,
       count(*) FILTER (first_human_response_at IS NULL AND first_ai_response_at IS NULL) AS by_nobody,
       round(median(time_to_first_response_calendar) / 60, 1) AS median_minutes,
       round(quantile_cont(time_to_first_response_calendar, 0.9) / 60, 1) AS p90_minutes, round(median(time_to_first_response_office) / 60, 1) AS median_office_minutes
FROM models.conversation_metrics
WHERE first_contact_reply_at IS NOT NULL
  AND created_date < date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), (SELECT max(synced_to) FROM _sync.freshness)))
GROUP BY week_date ORDER BY week_date DESC LIMIT 12;
