-- Contacts whose life is not settled by what search, the inactive list and the events say. Each is asked for by id,
-- which settles it: the reading is committed later than the signs that asked for it, and is not asked for again.
WITH readings AS (
  SELECT id, read_at, _gone_at, _synced_at FROM {schema}.contacts_by_id_all
), ends AS (
  SELECT id, updated_at AS happened_at FROM {schema}.deleted_contacts
  UNION ALL
  SELECT coalesce(CASE WHEN event_type = 'contact.merged' THEN merge_source_id END, contact_id), created_at
  FROM {schema}.contact_activities WHERE event_type IN ('contact.merged', 'contact.deleted')
), reached AS (
  -- Older contacts that search has not given are not wanted, or still to come.
  SELECT coalesce(max(history_to), '-infinity'::TIMESTAMPTZ) AS back_to
  FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream = 'contacts'
), short AS (
  SELECT e.key AS id, to_timestamp(e.value) AS noted_at
  FROM (SELECT unnest(map_entries(json_extract(state, '$.short')::MAP(VARCHAR, BIGINT))) AS e
        FROM _sync.checkpoints WHERE schema = trim('{schema}', '"') AND stream IN ('contacts', 'contacts_by_id'))
), alive AS (
  SELECT contact_id AS id, created_at, _synced_at FROM {schema}.contact_activities WHERE event_type IN ('contact.created', 'contact.role_updated')
  UNION ALL
  SELECT merge_target_id, created_at, _synced_at FROM {schema}.contact_activities WHERE event_type = 'contact.merged'
)
-- Stored without the rest of a list of theirs, for they were away just then: they may be back without a new updated_at.
SELECT s.id
FROM short s
WHERE NOT EXISTS (SELECT 1 FROM readings b WHERE b.id = s.id AND b._gone_at IS NULL AND b.read_at > s.noted_at)
  AND NOT EXISTS (SELECT 1 FROM {schema}.deleted_contacts d WHERE d.id = s.id)
  AND NOT EXISTS (SELECT 1 FROM ends e WHERE e.id = s.id)
UNION
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
  SELECT id FROM alive, reached WHERE created_at >= back_to
  EXCEPT SELECT id FROM {schema}.contacts_raw
  EXCEPT SELECT id FROM readings
  EXCEPT SELECT id FROM {schema}.deleted_contacts_all
  EXCEPT SELECT id FROM ends
) WHERE id IS NOT NULL
UNION
-- Answered 404 once, and search has returned it since.
SELECT b.id
FROM readings b JOIN {schema}.contacts_raw r ON r.id = b.id
WHERE b._gone_at IS NOT NULL AND r._synced_at > b._synced_at
  AND NOT EXISTS (SELECT 1 FROM {schema}.deleted_contacts d WHERE d.id = b.id)
UNION
-- Answered 404, and neither the inactive list nor an event says why: what answered may have been behind, or the contact
-- away for a moment. That is believed two days after the sign that asked for the reading.
SELECT b.id
FROM readings b JOIN (
  SELECT id, _synced_at FROM alive
  UNION ALL
  SELECT id, _synced_at FROM {schema}.deleted_contacts_all WHERE _gone_at IS NOT NULL
) sign ON sign.id = b.id AND b._gone_at < sign._synced_at + INTERVAL 48 HOUR
WHERE NOT EXISTS (SELECT 1 FROM ends e WHERE e.id = b.id)
UNION
-- Read in the very second in which it left: the times do not tell which came first.
SELECT b.id
FROM readings b JOIN ends e ON e.id = b.id AND e.happened_at = b.read_at
WHERE b._gone_at IS NULL
ORDER BY 1
