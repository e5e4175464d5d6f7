-- relation: stored_contacts (view)
-- doc: Tables of the raw schema by the names that they had before.
-- key: id
SELECT id FROM {schema}.contacts_raw
UNION ALL SELECT id FROM {schema}.contacts_by_id
UNION ALL SELECT id FROM {raw}.contacts_by_id_all
