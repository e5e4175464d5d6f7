-- Who is rated, what share of requested ratings is given, and what share of these is 4 or 5?
SELECT CASE WHEN c.rated_party = 'admin' THEN coalesce(a.name, 'admin ' || c.rated_id || ', who is gone') ELSE coalesce(c.rated_party, 'not told') END AS rated,
       count(*) AS requested, count(*) FILTER (c.answered) AS answered, round(100.0 * count(*) FILTER (c.answered) / count(*), 1) AS percent_answered,
       round(100.0 * count(*) FILTER (c.satisfied) / nullif(count(c.satisfied), 0), 1) AS percent_satisfied
FROM models.csat c LEFT JOIN admins a ON a.id = c.rated_id GROUP BY rated ORDER BY answered DESC, rated LIMIT 20;
