-- relation: contact_lifecycle (table)
-- doc: One row per contact that another source than search tells of: the inactive list, a read by id, or a merge or deletion event. The latest of them decides. In the same second, a read by id comes before the inactive list, then an event, then search.
-- key: id
-- column id from contact_id: Contact id.
-- column lifecycle: active, archived, blocked, merged, deleted, pending_deletion or permanently_deleted; deleted if only a deletion event or a 404 shows it.
-- column inactive_since: Time when it became inactive, by the evidence; null while it is active.
-- column merged_into_id: Contact that it was merged into directly; contact_identity follows the chain.
-- column reason: Source of the deciding evidence.
-- column record_from: Source of its fields: search, a read by id, or the inactive list if it was never read.
-- column role: lead or user, from the inactive list.
-- column external_id: The customer's own id, from the inactive list.
-- column email: Email address, from the inactive list.
-- column _synced_at: Time of the last commit that changed the data of this row.
WITH signs AS (
  SELECT id, updated_at AS happened_at, 3 AS rank, status AS lifecycle, merged_into_id,
         'inactive list' AS reason, _gone_at IS NULL AS listed, _synced_at
  FROM {schema}.deleted_contacts_all
  UNION ALL
  -- A read that was stored after an entry had left the list is newer than the entry, also where the machine's clock is late.
  SELECT b.id, greatest(coalesce(b._gone_at, b.read_at), d.updated_at), 4, CASE WHEN b._gone_at IS NULL THEN 'active' ELSE 'deleted' END, NULL,
         'read by id', false, b._synced_at
  FROM {raw}.contacts_by_id_all b LEFT JOIN {schema}.deleted_contacts_all d ON d.id = b.id AND d._gone_at IS NOT NULL AND d._synced_at < b._synced_at
  UNION ALL
  SELECT coalesce(CASE WHEN event_type = 'contact.merged' THEN merge_source_id END, contact_id), created_at, 2,
         CASE event_type WHEN 'contact.merged' THEN 'merged' ELSE 'deleted' END,
         CASE WHEN event_type = 'contact.merged' THEN merge_target_id END, 'event', false, _synced_at
  FROM {schema}.contact_activities
  WHERE event_type IN ('contact.merged', 'contact.deleted')
), subjects AS (
  SELECT DISTINCT id FROM signs WHERE id IS NOT NULL
), evidence AS (
  SELECT * FROM signs
  UNION ALL
  SELECT contact_id, created_at, 2, 'active', NULL, 'event', false, _synced_at
  FROM {schema}.contact_activities
  WHERE event_type = 'contact.created' AND contact_id IN (SELECT id FROM subjects) -- an archived contact's role changes too
  UNION ALL
  SELECT id, updated_at, 1, 'active', NULL, 'search', false, _synced_at
  FROM {raw}.contacts_raw WHERE id IN (SELECT id FROM subjects)
), decided AS (
  SELECT id,
         arg_max(sign, {'happened_at': happened_at, 'rank': rank}) AS last,
         arg_max(sign, happened_at) FILTER (listed) AS listed,
         arg_max(sign, happened_at) FILTER (sign.lifecycle = 'merged') AS merged,
         arg_max(sign, happened_at) FILTER (sign.lifecycle = 'deleted' AND sign.reason = 'event') AS deletion,
         max(_synced_at) AS _synced_at
  FROM (SELECT id, listed, rank, _synced_at, coalesce(happened_at, '1970-01-01'::TIMESTAMPTZ) AS happened_at,
               {'lifecycle': lifecycle, 'since': happened_at, 'merged_into_id': merged_into_id, 'reason': reason} AS sign
        FROM evidence WHERE id IS NOT NULL)
  GROUP BY id
), settled AS (
  SELECT id, _synced_at,
         -- A 404 shows a soft delete; the list, the merge or the deletion has its kind and time.
         CASE WHEN last.lifecycle = 'active' THEN last
              WHEN listed IS NOT NULL THEN listed
              WHEN last.reason = 'read by id' THEN coalesce(merged, deletion, last)
              ELSE last END AS sign
  FROM decided
)
SELECT s.id, s.sign.lifecycle AS lifecycle,
       CASE WHEN s.sign.lifecycle <> 'active' THEN s.sign.since END AS inactive_since,
       CASE WHEN s.sign.lifecycle <> 'active' THEN s.sign.merged_into_id END AS merged_into_id,
       s.sign.reason AS reason,
       CASE WHEN b.role IS NOT NULL AND (r.id IS NULL OR b.updated_at > r.updated_at
                 OR (b.updated_at IS NOT DISTINCT FROM r.updated_at AND b._synced_at > r._synced_at)) THEN 'by id'
            WHEN r.id IS NOT NULL THEN 'search'
            ELSE 'inactive list' END AS record_from,
       d.role, d.external_id, d.email, s._synced_at
FROM settled s
LEFT JOIN {raw}.contacts_raw r ON r.id = s.id
LEFT JOIN {raw}.contacts_by_id_all b ON b.id = s.id
LEFT JOIN {schema}.deleted_contacts_all d ON d.id = s.id

-- relation: contacts_all (view)
-- key: id
-- union: contacts, contacts_inactive
-- doc: One row per known contact, active or inactive. To keep a copy: upsert rows by _synced_at, and replace the child rows of these contacts.
-- column lifecycle: active, archived, blocked, merged, deleted, pending_deletion or permanently_deleted.
-- column inactive_since: Time when it became inactive; null while it is active.
-- column merged_into_id: Contact that it was merged into directly; contact_identity follows the chain.
-- column _synced_at: Time of the last commit that changed this row or its lifecycle.
SELECT r.* EXCLUDE (_synced_at), coalesce(l.lifecycle, 'active') AS lifecycle, l.inactive_since, l.merged_into_id,
       greatest(r._synced_at, l._synced_at) AS _synced_at
FROM {raw}.contacts_raw r LEFT JOIN {schema}.contact_lifecycle l ON l.id = r.id
WHERE coalesce(l.record_from, 'search') = 'search'
UNION ALL BY NAME
SELECT b.* EXCLUDE (_synced_at, _gone_at, read_at), l.lifecycle, l.inactive_since, l.merged_into_id, l._synced_at
FROM {raw}.contacts_by_id_all b JOIN {schema}.contact_lifecycle l ON l.id = b.id
WHERE l.record_from = 'by id'
UNION ALL BY NAME
SELECT l.id, l.role, l.external_id, l.email, l.lifecycle, l.inactive_since, l.merged_into_id, l._synced_at
FROM {schema}.contact_lifecycle l
WHERE l.record_from = 'inactive list' AND l.lifecycle <> 'active'

-- relation: contacts (view)
-- doc: One row per active contact, as contact search returns it. Merged, archived, blocked and deleted contacts are in contacts_inactive.
-- key: id
-- rows of: contacts_raw, contacts_by_id_all
SELECT * FROM {schema}.contacts_all WHERE lifecycle = 'active'

-- relation: contacts_inactive (view)
-- doc: One row per contact that search no longer returns: archived, blocked, merged or deleted, with time and reason. Fields are from its last read.
-- key: id
SELECT * FROM {schema}.contacts_all WHERE lifecycle <> 'active'

-- relation: contacts_deleted (view)
-- doc: One row per contact that was deleted, or whose deletion was requested, whatever shows it. Archived, blocked and merged contacts are not deleted: they are in contacts_inactive. The row has no personal data.
-- key: id
-- column id from contact_id: Contact id.
-- column how: permanently_deleted or pending_deletion, if its entry in the API's inactive list says so: erased for good, or to be erased. Otherwise deleted, by an event or a read by id.
-- column deleted_at: Time of the deletion or of its request, by the evidence. Where the certainty is inferred, the time of the read by id that no longer found it.
-- column first_seen_at: Time when it was created, from its record or its event of creation; null if neither was read.
-- column certainty: stated - the inactive list or a deletion event says so; inferred - only a read by id says so, because it no longer found the contact. A merge that no list and no event shows looks the same.
-- column _synced_at: Time of the last commit that changed the data of this row.
SELECT a.id, a.lifecycle AS how, a.inactive_since AS deleted_at, coalesce(a.created_at, e.created_at) AS first_seen_at,
       CASE l.reason WHEN 'read by id' THEN 'inferred' ELSE 'stated' END AS certainty, greatest(a._synced_at, e._synced_at) AS _synced_at
FROM {schema}.contacts_all a
JOIN {schema}.contact_lifecycle l ON l.id = a.id
LEFT JOIN (
  SELECT contact_id, min(created_at) AS created_at, max(_synced_at) AS _synced_at
  FROM {schema}.contact_activities
  WHERE event_type = 'contact.created' AND contact_id IN (SELECT id FROM {schema}.contact_lifecycle) -- few of all contacts
  GROUP BY contact_id
) e ON e.contact_id = a.id
WHERE a.lifecycle IN ('deleted', 'pending_deletion', 'permanently_deleted')

-- relation: contact_identity (view)
-- doc: One row per known contact id, with the contact it is today. Join old ids through it.
-- key: contact_id
-- column contact_id: Contact id, as in conversations and events.
-- column current_contact_id from merged_into_id: Survivor: the contact at the end of the chain of merges; the same id without a merge.
-- column lifecycle: active, archived, blocked, merged, deleted, pending_deletion or permanently_deleted.
-- column since: Start of this lifecycle; for an active contact its creation.
-- column reason: Source of the evidence.
-- column _synced_at: Time of the last commit that changed the data of this row.
WITH RECURSIVE chain AS (
  SELECT id, merged_into_id AS survivor, [id, merged_into_id] AS path, _synced_at
  FROM {schema}.contact_lifecycle WHERE lifecycle = 'merged' AND merged_into_id IS NOT NULL
  UNION ALL
  -- Stop at a contact that was visited before, because contradictory merges of the source may form a loop.
  SELECT c.id, l.merged_into_id, list_append(c.path, l.merged_into_id), greatest(c._synced_at, l._synced_at)
  FROM chain c JOIN {schema}.contact_lifecycle l ON l.id = c.survivor
  WHERE l.lifecycle = 'merged' AND l.merged_into_id IS NOT NULL AND NOT list_contains(c.path, l.merged_into_id)
), survivors AS (
  SELECT id, arg_max(survivor, len(path)) AS survivor, max(_synced_at) AS _synced_at FROM chain GROUP BY id
)
SELECT a.id AS contact_id, coalesce(s.survivor, a.id) AS current_contact_id, a.lifecycle,
       coalesce(a.inactive_since, a.created_at) AS since, coalesce(l.reason, 'search') AS reason,
       greatest(a._synced_at, s._synced_at) AS _synced_at
FROM {schema}.contacts_all a
LEFT JOIN {schema}.contact_lifecycle l ON l.id = a.id
LEFT JOIN survivors s ON s.id = a.id
UNION ALL
SELECT e.contact_id, e.contact_id, 'active', min(e.created_at), 'event', max(e._synced_at)
FROM {schema}.contact_activities e ANTI JOIN {schema}.contacts_all a ON a.id = e.contact_id
WHERE e.event_type IN ('contact.created', 'contact.role_updated')
GROUP BY e.contact_id

-- relation: contact_tags (view)
-- doc: One row per tag of a contact, complete for active contacts; inactive contacts keep their last ones.
-- rows of: contact_tags_raw, contact_tags_by_id
SELECT t.* FROM {raw}.contact_tags_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_tags_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: contact_notes (view)
-- doc: One row per note about a contact, complete for active contacts; inactive contacts keep their last ones.
-- rows of: contact_notes_raw, contact_notes_by_id
SELECT t.* FROM {raw}.contact_notes_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_notes_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: contact_companies (view)
-- doc: One row per company of a contact, complete for active contacts; inactive contacts keep their last ones.
-- rows of: contact_companies_raw, contact_companies_by_id
SELECT t.* FROM {raw}.contact_companies_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_companies_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: company_contacts (view)
-- doc: One row per active contact of a company, from the contact. Merged and archived contacts belong to no company. The company's own list of contacts is not read.
-- key: company_id, contact_id
-- column company_id: Id of the company.
-- column contact_id: Id of the contact.
-- column _synced_at: Time of the last commit that changed this row or the lifecycle of its contact.
SELECT t.company_id, t.contact_id, greatest(t._synced_at, l._synced_at) AS _synced_at
FROM {schema}.contact_companies t LEFT JOIN {schema}.contact_lifecycle l ON l.id = t.contact_id
WHERE coalesce(l.lifecycle, 'active') = 'active'

-- relation: contact_social_profiles (view)
-- doc: One row per social profile of a contact, complete for active contacts; inactive contacts keep their last ones.
-- rows of: contact_social_profiles_raw, contact_social_profiles_by_id
SELECT t.* FROM {raw}.contact_social_profiles_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_social_profiles_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: contact_opted_in_subscription_types (view)
-- doc: One row per type of messages that a contact has opted in to, as of its last read. The source sends the first ten.
-- rows of: contact_opted_in_subscription_types_raw, contact_opted_in_subscription_types_by_id
SELECT t.* FROM {raw}.contact_opted_in_subscription_types_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_opted_in_subscription_types_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: contact_opted_out_subscription_types (view)
-- doc: One row per type of messages that a contact has opted out of, as of its last read. The source sends the first ten.
-- rows of: contact_opted_out_subscription_types_raw, contact_opted_out_subscription_types_by_id
SELECT t.* FROM {raw}.contact_opted_out_subscription_types_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_opted_out_subscription_types_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')

-- relation: contact_merge_history (view)
-- doc: One row per contact that was merged into another, if the source sends this with the contact; contact_identity follows all known merges.
-- rows of: contact_merge_history_raw, contact_merge_history_by_id
SELECT t.* FROM {raw}.contact_merge_history_raw t
WHERE NOT EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
UNION ALL BY NAME
SELECT t.* FROM {raw}.contact_merge_history_by_id t
WHERE EXISTS (SELECT 1 FROM {schema}.contact_lifecycle l WHERE l.id = t.contact_id AND l.record_from = 'by id')
