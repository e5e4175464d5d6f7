-- relation: things_count (view)
-- doc: How many things there are.
-- column n: Number of things.
SELECT count(*) AS n FROM {schema}.things
