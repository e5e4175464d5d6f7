-- relation: contact_current (view)
-- doc: One row per known contact that was not merged away, for the survivor of its merges. Join conversations, tickets and calls to it when you count people. Join through contact_identity: its current_contact_id is the contact_id here.
-- key: contact_id
-- column contact_id: Contact id of the survivor.
-- column lifecycle: Lifecycle of the survivor - active, archived, blocked, deleted, pending_deletion or permanently_deleted. It is merged if the target of the merge is unknown, and null if only a merge into the contact shows it.
-- column role: Role of the survivor, user or lead; null if it was never read.
-- column external_id: The customer's own id of this person.
-- column created_at: Time of creation by its record. Null if it was inactive before its first read; first_seen_at also uses the creation event.
-- column merged_contacts: Number of other contacts that were merged into it, directly or indirectly; 0 without any.
-- column first_seen_at: Earliest known creation time of the contact and of those merged into it, by their records and creation events; null if none was read.
SELECT m.contact_id, coalesce(c.lifecycle, m.lifecycle) AS lifecycle, c.inactive_since, c.role, c.external_id, c.email, c.phone, c.name,
       m.merged_contacts, m.first_seen_at,
       c.created_at, c.updated_at, c.signed_up_at, c.last_seen_at, c.last_contacted_at, c.last_replied_at, c.last_email_opened_at,
       c.location_country, c.location_region, c.location_city, c.language_override, c.owner_id, c.unsubscribed_from_emails,
       greatest(c._synced_at, m._synced_at) AS _synced_at
FROM (
  -- A survivor that was never read itself is a person all the same.
  SELECT i.current_contact_id AS contact_id, max(i.lifecycle) FILTER (i.contact_id = i.current_contact_id) AS lifecycle,
         count(*) FILTER (i.contact_id <> i.current_contact_id) AS merged_contacts,
         min(coalesce(least(a.created_at, e.created_at), CASE WHEN i.lifecycle = 'active' THEN i.since END)) AS first_seen_at, greatest(max(i._synced_at), max(e._synced_at)) AS _synced_at
  FROM {schema}.contact_identity i LEFT JOIN {schema}.contacts_all a ON a.id = i.contact_id
  LEFT JOIN (
    SELECT contact_id, min(created_at) AS created_at, max(_synced_at) AS _synced_at
    FROM {schema}.contact_activities WHERE event_type = 'contact.created' GROUP BY contact_id
  ) e ON e.contact_id = i.contact_id
  GROUP BY i.current_contact_id
) m LEFT JOIN {schema}.contacts_all c ON c.id = m.contact_id
