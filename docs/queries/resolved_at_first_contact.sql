-- What share of conversations is resolved at the first contact, by channel?
-- A conversation counts seven days after its close.
-- draw: percent_resolved
SELECT c.source_type AS channel, count(*) AS conversations, count(f.resolved) AS decided, count(*) FILTER (f.resolved) AS resolved,
       round(100.0 * count(*) FILTER (f.resolved) / nullif(count(f.resolved), 0), 1) AS percent_resolved
FROM models.first_contact_resolution f JOIN conversations c ON c.id = f.conversation_id GROUP BY channel ORDER BY conversations DESC, channel;
