-- Who is rated, what share of requested ratings is given, and what share of these is 4 or 5?
-- draw: percent_satisfied
WITH ratings AS (
  SELECT *, CASE WHEN rated_party = 'admin' THEN rated_id END AS admin_id FROM models.csat
)
SELECT CASE WHEN c.admin_id IS NULL THEN coalesce(c.rated_party, 'not told') ELSE coalesce(a.name, 'admin ' || c.admin_id) END AS rated,
       count(*) AS requested, count(*) FILTER (c.answered) AS answered, round(100.0 * count(*) FILTER (c.answered) / count(*), 1) AS percent_answered,
       round(100.0 * count(*) FILTER (c.satisfied) / nullif(count(c.satisfied), 0), 1) AS percent_satisfied
FROM ratings c LEFT JOIN models.teammates a ON a.admin_id = c.admin_id
GROUP BY c.admin_id, c.rated_party, a.name ORDER BY answered DESC, rated, c.admin_id LIMIT 20;
