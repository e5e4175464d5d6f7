-- How much did each teammate do in the last thirty days of the data?
WITH since AS (
  SELECT timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))::DATE - 30 AS day FROM _sync.freshness
), wrote AS (
  SELECT author_id AS admin_id, count(DISTINCT conversation_id) AS conversations
  FROM models.conversation_messages
  WHERE author_kind = 'human' AND part_id <> 'source' AND timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), sent_at)::DATE > (SELECT day FROM since) GROUP BY author_id
)
SELECT coalesce(a.name, 'admin ' || w.admin_id) AS admin, coalesce(any_value(r.conversations), 0) AS conversations, sum(w.replies)::BIGINT AS messages, sum(w.notes)::BIGINT AS notes,
       sum(w.closes)::BIGINT AS closes
FROM models.admin_workload w LEFT JOIN wrote r ON r.admin_id = w.admin_id LEFT JOIN models.teammates a ON a.admin_id = w.admin_id
WHERE w.workload_date > (SELECT day FROM since) GROUP BY w.admin_id, a.name ORDER BY conversations DESC, admin, w.admin_id LIMIT 20;
