-- relation: old_and_new (view)
-- doc: Tables of the raw schema by names that are there, and by others.
-- key: id
SELECT id FROM {raw}.contacts_raw
UNION ALL SELECT id FROM {raw}.contact_raw
UNION ALL SELECT id FROM {raw}.contacts
UNION ALL SELECT id FROM {models}.contacts_raw
