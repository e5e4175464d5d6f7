-- Who writes most often, with merged contacts counted as one person?
SELECT i.current_contact_id AS contact_id, any_value(i.lifecycle) AS lifecycle, count(DISTINCT m.conversation_id) AS conversations, count(*) AS messages,
       count(DISTINCT m.author_id) AS under_ids
FROM models.conversation_messages m JOIN contact_identity i ON i.contact_id = m.author_id WHERE m.author_kind = 'contact'
GROUP BY i.current_contact_id ORDER BY conversations DESC, messages DESC, contact_id LIMIT 20;
