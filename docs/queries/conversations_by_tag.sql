-- Which tags are on most conversations, on the conversation itself or on one of its parts?
WITH tagged AS (
  SELECT conversation_id, tag_id, name FROM conversation_tags UNION SELECT conversation_id, tag_id, name FROM conversation_part_tags
)
SELECT coalesce(t.name, max(g.name), g.tag_id) AS tag, count(DISTINCT g.conversation_id) AS conversations
FROM tagged g JOIN conversations c ON c.id = g.conversation_id LEFT JOIN tags t ON t.id = g.tag_id
GROUP BY g.tag_id, t.name ORDER BY conversations DESC, tag, g.tag_id LIMIT 20;
