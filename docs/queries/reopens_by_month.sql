-- What share of closed conversations was opened again, by the month in which they started, over the last twelve months?
-- draw: percent_reopened
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT m.month_date, count(c.conversation_id) AS conversations, count(c.first_close_at) AS closed, count(*) FILTER (c.reopens > 0) AS reopened,
       round(100.0 * count(*) FILTER (c.reopens > 0) / nullif(count(c.first_close_at), 0), 1) AS percent_reopened
FROM months m LEFT JOIN models.conversation_metrics c ON date_trunc('month', c.created_date) = m.month_date
GROUP BY m.month_date ORDER BY m.month_date DESC;
