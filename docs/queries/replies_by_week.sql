-- How fast was the first answer of a human in each of the last twelve weeks, and how many conversations never got one?
-- Half of the answers came within the median, nine of ten within p90; office minutes count only time inside the office hours.
SELECT date_trunc('week', created_date)::DATE AS week_date, count(*) AS conversations, count(first_human_response_at) AS answered,
       round(median(time_to_first_response_calendar) / 60, 1) AS median_minutes,
       round(quantile_cont(time_to_first_response_calendar, 0.9) / 60, 1) AS p90_minutes, round(median(time_to_first_response_office) / 60, 1) AS median_office_minutes
FROM models.conversation_metrics GROUP BY week_date ORDER BY week_date DESC LIMIT 12;
