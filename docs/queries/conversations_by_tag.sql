-- Which tags are on most conversations, on the conversation itself or on one of its parts, and how many of these are closed?
-- draw: conversations
WITH tagged AS (
  SELECT conversation_id, tag_id, name, true AS on_itself FROM conversation_tags UNION ALL SELECT conversation_id, tag_id, name, false FROM conversation_part_tags
)
SELECT coalesce(t.name, max(g.name), g.tag_id) AS tag, count(DISTINCT g.conversation_id) AS conversations, count(DISTINCT g.conversation_id) FILTER (c.state = 'closed') AS closed,
       count(DISTINCT CASE WHEN g.on_itself THEN g.conversation_id END) AS on_the_conversation, count(DISTINCT CASE WHEN NOT g.on_itself THEN g.conversation_id END) AS on_a_part
FROM tagged g JOIN conversations c ON c.id = g.conversation_id LEFT JOIN tags t ON t.id = g.tag_id
GROUP BY g.tag_id, t.name ORDER BY conversations DESC, tag, g.tag_id LIMIT 20;
