-- Companies of contacts that are not stored, because the list is capped before them and search does not return them yet.
-- A company that answers 404 is stored as soft-deleted, and is not requested again.
SELECT company_id FROM {raw}.contact_companies_raw
UNION
SELECT company_id FROM {raw}.contact_companies_by_id
EXCEPT
SELECT id FROM {schema}.companies_all
ORDER BY 1
