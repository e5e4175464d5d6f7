-- How much did each teammate do in the last thirty days of the data?
WITH parts AS (
  SELECT author_id, conversation_id, part_type FROM conversation_parts
  WHERE author_type = 'admin' AND created_at > (SELECT max(synced_to) FROM _sync.freshness) - INTERVAL 30 DAY
)
SELECT coalesce(a.name, 'admin ' || p.author_id || ', who is gone') AS admin, count(DISTINCT p.conversation_id) AS conversations,
       count(*) FILTER (p.part_type = 'comment') AS messages, count(*) FILTER (p.part_type = 'note') AS notes, count(*) FILTER (p.part_type = 'close') AS closings
FROM parts p LEFT JOIN admins a ON a.id = p.author_id GROUP BY p.author_id, a.name ORDER BY conversations DESC, admin LIMIT 20;
