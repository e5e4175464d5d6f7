-- relation: visits (view)
-- doc: One row per visit.
SELECT *
FROM {schema}.visits_raw
