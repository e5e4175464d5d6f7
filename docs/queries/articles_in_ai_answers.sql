-- Which articles do most answers of the AI agent come from, and are the conversations resolved?
-- draw: ai_conversations
SELECT e.article_id, a.title, a.views, e.ai_conversations, e.ai_resolved, round(100.0 * e.ai_resolved / nullif(e.ai_conversations, 0), 1) AS percent_resolved
FROM models.article_effectiveness e JOIN articles a ON a.id = e.article_id WHERE e.ai_conversations > 0 ORDER BY e.ai_conversations DESC, e.article_id LIMIT 20;
