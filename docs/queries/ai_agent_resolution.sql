-- What share of its conversations does the AI agent resolve, and what share does it pass to the team, in each of the last twelve months?
-- Its conversations are those that it took part in. A conversation counts in the month in which it started.
-- draw: percent_resolved
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT m.month_date, count(r.conversation_id) AS conversations, count(*) FILTER (r.involved) AS involved,
       count(*) FILTER (r.resolved) AS resolved, count(*) FILTER (r.resolved_confirmed) AS confirmed, count(*) FILTER (r.escalated) AS passed_to_the_team,
       round(100.0 * count(*) FILTER (r.resolved) / nullif(count(*) FILTER (r.involved), 0), 1) AS percent_resolved,
       round(100.0 * count(*) FILTER (r.escalated) / nullif(count(*) FILTER (r.involved), 0), 1) AS percent_passed_to_the_team
FROM months m LEFT JOIN models.ai_resolution r ON date_trunc('month', r.created_date) = m.month_date
GROUP BY m.month_date ORDER BY m.month_date DESC;
