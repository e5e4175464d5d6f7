-- relation: misspelled (view)
-- doc: One row.
-- column n: How many.

SELECT count(*) AS n
FROM {schema}.contatcs
JOIN {models}.reply_pair USING (id)
JOIN {schema}.reply_pairs USING (id)
JOIN {models}.conversations USING (id)
JOIN {schema}.zzzz USING (id)
