-- Which content do the answers of the AI agent come from most?
SELECT content_type, title, count(DISTINCT conversation_id) AS conversations, count(DISTINCT locale) AS languages
FROM conversation_content_sources GROUP BY content_type, title ORDER BY conversations DESC, content_type, title LIMIT 20;
