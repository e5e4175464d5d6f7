-- How many different conversations did each teammate answer, in the running week and in each of the three weeks before?
-- Weeks begin on Monday. A conversation that goes over two weeks counts in both, and once in four_weeks.
-- draw: four_weeks
WITH wrote AS (
  SELECT author_id AS admin_id, conversation_id, date_diff('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), sent_at)::DATE,
         timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), (SELECT max(synced_to) FROM _sync.freshness))::DATE) AS weeks_ago
  FROM models.conversation_messages WHERE author_kind = 'human' AND part_id <> 'source' AND author_id IS NOT NULL
)
SELECT coalesce(a.name, 'admin ' || w.admin_id) AS admin, count(DISTINCT w.conversation_id) AS four_weeks, count(DISTINCT w.conversation_id) FILTER (w.weeks_ago = 0) AS running_week,
       count(DISTINCT w.conversation_id) FILTER (w.weeks_ago = 1) AS last_week, count(DISTINCT w.conversation_id) FILTER (w.weeks_ago = 2) AS week_before,
       count(DISTINCT w.conversation_id) FILTER (w.weeks_ago = 3) AS three_weeks_ago
FROM wrote w LEFT JOIN models.teammates a ON a.admin_id = w.admin_id WHERE w.weeks_ago BETWEEN 0 AND 3
GROUP BY w.admin_id, a.name ORDER BY four_weeks DESC, admin, w.admin_id LIMIT 20;
