-- relation: contact_current (view)
-- doc: One row a contact that was ever seen and not merged away, rolled up to the survivor of its merges: what to join conversations, tickets and calls to when people are counted. Join by contact_identity: its current_contact_id is the contact_id here.
-- key: contact_id
-- column contact_id: Contact id of the survivor.
-- column lifecycle: What became of the survivor: active, archived, blocked, deleted, pending_deletion or permanently_deleted.
-- column merged_contacts: How many other contacts were merged into it, directly or by way of others; 0 when none was.
-- column first_seen_at: Earliest creation time among it and those merged into it, as far as it is known.
SELECT c.id AS contact_id, c.lifecycle, c.inactive_since, c.role, c.external_id, c.email, c.phone, c.name,
       m.merged_contacts, m.first_seen_at,
       c.created_at, c.updated_at, c.signed_up_at, c.last_seen_at, c.last_contacted_at, c.last_replied_at, c.last_email_opened_at,
       c.location_country, c.location_region, c.location_city, c.language_override, c.owner_id, c.unsubscribed_from_emails,
       c._synced_at
FROM {schema}.contacts_all c
JOIN (
  SELECT i.current_contact_id, count(*) FILTER (i.contact_id <> i.current_contact_id) AS merged_contacts, min(a.created_at) AS first_seen_at
  FROM {schema}.contact_identity i LEFT JOIN {schema}.contacts_all a ON a.id = i.contact_id
  GROUP BY ALL
) m ON m.current_contact_id = c.id
