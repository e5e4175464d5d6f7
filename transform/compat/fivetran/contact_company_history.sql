-- relation: contact_company_history (view)
-- doc: One row per company of a contact. Those of inactive contacts, as of their last read, are not active.
-- key: contact_id, company_id
-- column contact_id: Id of the contact.
-- column contact_updated_at from updated_at: Last change of the contact.
SELECT m.contact_id, m.company_id, timezone('UTC', c.updated_at) AS contact_updated_at, {state of c with m}
FROM {schema}.contact_companies m LEFT JOIN {current contacts} c ON c.id = m.contact_id
