-- How many conversations did the AI agent handle alone in each channel, and how were these rated?
-- draw: handled_alone
SELECT c.source_type AS channel, count(*) AS handled_alone, count(*) FILTER (c.state = 'closed') AS closed, count(r.ai_agent_rating) AS rated,
       round(100.0 * count(*) FILTER (r.ai_agent_satisfied) / nullif(count(r.ai_agent_rating), 0), 1) AS percent_satisfied
FROM models.first_contact_resolution f JOIN conversations c ON c.id = f.conversation_id JOIN models.ai_resolution r ON r.conversation_id = c.id
WHERE f.resolved_by = 'ai' GROUP BY channel ORDER BY handled_alone DESC, channel LIMIT 20;
