-- relation: contact_current (view)
-- doc: One row a contact.
SELECT id AS contact_id FROM {schema}.contacts
