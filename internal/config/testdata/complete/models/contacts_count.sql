-- relation: contacts_count (view)
-- doc: How many contacts there are.
-- column n: Number of contacts.
SELECT count(*) AS n FROM {schema}.contacts
