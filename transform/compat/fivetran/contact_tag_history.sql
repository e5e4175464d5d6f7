-- relation: contact_tag_history (view)
-- doc: One row per tag of a contact. Those of inactive contacts, as of their last read, are not active.
-- key: contact_id, tag_id
-- column contact_id: Id of the contact.
-- column contact_updated_at from updated_at: Last change of the contact.
SELECT t.contact_id, t.tag_id, timezone('UTC', c.updated_at) AS contact_updated_at, {state of c with t}
FROM {schema}.contact_tags t LEFT JOIN {current contacts} c ON c.id = t.contact_id
