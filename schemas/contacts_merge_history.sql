-- Contacts that were merged, with the contact they were merged into, from the record of that contact.
SELECT source_contact_id, contact_id FROM {raw}.contact_merge_history_raw
UNION
SELECT source_contact_id, contact_id FROM {raw}.contact_merge_history_by_id
