-- Companies that a contact belongs to and that are not stored: the list stops before them, and search does not have them yet.
-- One that answers 404 is stored as gone, and so is not asked for again.
SELECT company_id FROM {schema}.contact_companies_raw
UNION
SELECT company_id FROM {schema}.contact_companies_by_id
EXCEPT
SELECT id FROM {schema}.companies_all
ORDER BY 1
