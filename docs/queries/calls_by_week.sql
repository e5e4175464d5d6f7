-- How many calls were there in each of the last twelve weeks, how many were answered, and how long did people talk?
WITH weeks AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 WEEK, newest, INTERVAL 1 WEEK))::DATE AS week_date
  FROM (SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT w.week_date, count(c.id) AS calls, count(c.answered_at) AS answered, count(*) FILTER (c.direction = 'inbound' AND c.answered_at IS NULL) AS missed,
       round(median(epoch(c.ended_at) - epoch(c.answered_at)) / 60, 1) AS median_minutes
FROM weeks w LEFT JOIN calls c ON date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), c.initiated_at)) = w.week_date
GROUP BY w.week_date ORDER BY w.week_date DESC;
