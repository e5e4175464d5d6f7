-- Who writes most often, with merged contacts counted as one person?
SELECT i.current_contact_id AS contact_id, any_value(i.lifecycle) AS lifecycle, count(DISTINCT c.conversation_id) AS conversations, count(DISTINCT c.contact_id) AS under_ids
FROM conversation_contacts c JOIN contact_identity i USING (contact_id) JOIN conversations v ON v.id = c.conversation_id
GROUP BY i.current_contact_id ORDER BY conversations DESC, contact_id LIMIT 20;
