-- Which conversations that the AI agent handled alone have most messages?
-- Alone means: it answered, and no teammate wrote to the contact.
-- draw: messages
WITH messages AS (
  SELECT conversation_id, count(*) AS messages, count(*) FILTER (author_kind = 'contact') AS by_the_contact, count(*) FILTER (author_kind = 'ai') AS by_the_ai_agent
  FROM models.conversation_messages GROUP BY conversation_id
)
SELECT c.id, c.source_type AS channel, c.state, r.ai_agent_resolution_state, m.messages, m.by_the_contact, m.by_the_ai_agent
FROM models.first_contact_resolution f JOIN conversations c ON c.id = f.conversation_id JOIN models.ai_resolution r ON r.conversation_id = c.id JOIN messages m ON m.conversation_id = c.id
WHERE f.resolved_by = 'ai' ORDER BY m.messages DESC, c.id LIMIT 20;
