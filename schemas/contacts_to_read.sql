-- Contacts whose life is not settled by what search, the inactive list and the events say. Each is asked for by id,
-- which settles it: the reading is committed later than the signs that asked for it, and is not asked for again.
WITH readings AS (
  SELECT id, _gone_at, _synced_at FROM {schema}.contacts_by_id_all
)
-- Left the inactive list: un-archived, perhaps without a new updated_at, or deleted for good.
SELECT d.id
FROM {schema}.deleted_contacts_all d
LEFT JOIN readings b ON b.id = d.id
LEFT JOIN {schema}.contacts_raw r ON r.id = d.id
WHERE d._gone_at IS NOT NULL
  AND (b.id IS NULL OR b._synced_at < d._synced_at)
  AND (r.id IS NULL OR r.updated_at <= d.updated_at)
UNION
-- Known from an event and not yet found by search.
SELECT id FROM (
  (SELECT contact_id AS id FROM {schema}.contact_activities WHERE event_type IN ('contact.created', 'contact.role_updated')
   UNION
   SELECT merge_target_id FROM {schema}.contact_activities WHERE event_type = 'contact.merged')
  EXCEPT SELECT id FROM {schema}.contacts_raw
  EXCEPT SELECT id FROM readings
  EXCEPT SELECT id FROM {schema}.deleted_contacts_all
  EXCEPT SELECT contact_id FROM {schema}.contact_activities WHERE event_type = 'contact.deleted'
  EXCEPT SELECT merge_source_id FROM {schema}.contact_activities WHERE event_type = 'contact.merged'
) WHERE id IS NOT NULL
UNION
-- Answered 404 once, and search has returned it since.
SELECT b.id
FROM readings b JOIN {schema}.contacts_raw r ON r.id = b.id
WHERE b._gone_at IS NOT NULL AND r._synced_at > b._synced_at
  AND NOT EXISTS (SELECT 1 FROM {schema}.deleted_contacts d WHERE d.id = b.id)
ORDER BY 1
