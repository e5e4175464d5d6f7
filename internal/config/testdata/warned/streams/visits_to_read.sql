-- Contacts whose visits are read.
SELECT id FROM {raw}.contacts_raw
UNION SELECT id FROM {schema}.contacts_by_id_all
