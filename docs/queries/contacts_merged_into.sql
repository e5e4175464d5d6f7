-- Which contacts were merged last, into which contact, and under how many ids is that person known?
-- A contact that was merged several times has the survivor at the end of the chain.
-- draw: ids
WITH people AS (
  SELECT current_contact_id, count(*) AS ids, any_value(lifecycle) FILTER (contact_id = current_contact_id) AS lifecycle FROM contact_identity GROUP BY current_contact_id
)
SELECT i.contact_id, i.since AS merged_at, i.current_contact_id, p.lifecycle AS current_lifecycle, p.ids
FROM contact_identity i JOIN people p ON p.current_contact_id = i.current_contact_id
WHERE i.lifecycle = 'merged' AND i.contact_id <> i.current_contact_id ORDER BY i.since DESC NULLS LAST, i.contact_id LIMIT 20;
