-- Contacts with a lifecycle that search, the inactive list and the events leave open. Each is read by id. The read is
-- committed later than the evidence that caused it, so the contact is not requested again.
WITH readings AS (
  SELECT id, read_at, _gone_at, _synced_at FROM {raw}.contacts_by_id_all
), ends AS (
  SELECT id, updated_at AS happened_at FROM {schema}.deleted_contacts
  UNION ALL
  SELECT coalesce(CASE WHEN event_type = 'contact.merged' THEN merge_source_id END, contact_id), created_at
  FROM {schema}.contact_activities WHERE event_type IN ('contact.merged', 'contact.deleted')
), reached AS (
  -- Older contacts that search has not returned are before streams.start, or the backfill has not reached them.
  SELECT coalesce(max(history_to), '-infinity'::TIMESTAMPTZ) AS back_to
  FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream = 'contacts'
), short AS (
  SELECT e.key AS id, to_timestamp(e.value) AS noted_at
  FROM (SELECT unnest(map_entries(json_extract(state, '$.short')::MAP(VARCHAR, BIGINT))) AS e
        FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream IN ('contacts', 'contacts_by_id'))
), alive AS NOT MATERIALIZED ( -- kept in memory, a million events cost more than to read them twice
  SELECT contact_id AS id, created_at, _synced_at FROM {schema}.contact_activities WHERE event_type IN ('contact.created', 'contact.role_updated')
  UNION ALL
  SELECT merge_target_id, created_at, _synced_at FROM {schema}.contact_activities WHERE event_type = 'contact.merged'
)
-- Stored with an incomplete list, because they were missing at that moment: they may be back without a new updated_at.
SELECT s.id
FROM short s
WHERE NOT EXISTS (SELECT 1 FROM readings b WHERE b.id = s.id AND b._gone_at IS NULL AND b.read_at > s.noted_at)
  AND NOT EXISTS (SELECT 1 FROM {schema}.deleted_contacts d WHERE d.id = s.id)
  AND NOT EXISTS (SELECT 1 FROM ends e WHERE e.id = s.id)
UNION
-- Left the inactive list: unarchived, perhaps without a new updated_at, or permanently deleted.
SELECT d.id
FROM {schema}.deleted_contacts_all d
LEFT JOIN readings b ON b.id = d.id
LEFT JOIN {raw}.contacts_raw r ON r.id = d.id
WHERE d._gone_at IS NOT NULL
  AND (b.id IS NULL OR b._synced_at < d._synced_at)
  AND (r.id IS NULL OR r.updated_at <= d.updated_at)
UNION
-- Known from an event and not yet returned by search.
SELECT id FROM (
  SELECT id FROM alive, reached WHERE created_at >= back_to
  EXCEPT SELECT id FROM {raw}.contacts_raw
  EXCEPT SELECT id FROM readings
  EXCEPT SELECT id FROM {schema}.deleted_contacts_all
  EXCEPT SELECT id FROM ends
) WHERE id IS NOT NULL
UNION
-- Answered 404 once, and search has returned it later.
SELECT b.id
FROM readings b JOIN {raw}.contacts_raw r ON r.id = b.id
WHERE b._gone_at IS NOT NULL AND r._synced_at > b._synced_at
  AND NOT EXISTS (SELECT 1 FROM {schema}.deleted_contacts d WHERE d.id = b.id)
UNION
-- Answered 404 without a reason in the inactive list or the events: the server may have been behind, or the contact
-- missing for a moment. The 404 is final two days after the evidence that caused the read.
SELECT b.id
FROM readings b JOIN (
  SELECT id, _synced_at FROM alive
  UNION ALL
  SELECT id, _synced_at FROM {schema}.deleted_contacts_all WHERE _gone_at IS NOT NULL
) sign ON sign.id = b.id AND b._gone_at < sign._synced_at + INTERVAL 48 HOUR
WHERE NOT EXISTS (SELECT 1 FROM ends e WHERE e.id = b.id)
UNION
-- Read in the second in which it became inactive: the times do not show the order.
SELECT b.id
FROM readings b JOIN ends e ON e.id = b.id AND e.happened_at = b.read_at
WHERE b._gone_at IS NULL
ORDER BY 1
