-- relation: company_tag_history (view)
-- doc: One row per tag of a company.
-- key: company_id, tag_id
-- column company_updated_at from updated_at: Last change of the company.
SELECT t.company_id, t.tag_id, timezone('UTC', c.updated_at) AS company_updated_at, {state of c with t}
FROM {schema}.company_tags t LEFT JOIN {current companies} c ON c.id = t.company_id
