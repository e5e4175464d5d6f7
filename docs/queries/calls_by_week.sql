-- How many calls were there in each of the last twelve weeks, how many were answered, and how long did people talk?
SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), initiated_at))::DATE AS week_date, count(*) AS calls,
       count(answered_at) AS answered, count(*) FILTER (direction = 'inbound' AND answered_at IS NULL) AS missed,
       round(median(epoch(ended_at) - epoch(answered_at)) / 60, 1) AS median_minutes
FROM calls GROUP BY week_date ORDER BY week_date DESC NULLS LAST LIMIT 12;
