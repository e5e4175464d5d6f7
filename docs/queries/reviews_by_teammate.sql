-- Which teammates were reviewed, and what share of the verdicts passed?
-- draw: percent_passed
SELECT CASE WHEN q.reviewed_teammate_id IS NULL THEN coalesce(q.reviewed_teammate_type, 'not told') ELSE coalesce(a.name, 'admin ' || q.reviewed_teammate_id) END AS teammate,
       count(*) AS chosen, count(*) FILTER (q.reviewed) AS reviewed, count(q.passed) AS with_a_verdict, count(*) FILTER (q.passed) AS passed,
       round(100.0 * count(*) FILTER (q.passed) / nullif(count(q.passed), 0), 1) AS percent_passed
FROM models.qa q LEFT JOIN models.teammates a ON a.admin_id = q.reviewed_teammate_id
GROUP BY q.reviewed_teammate_id, q.reviewed_teammate_type, a.name ORDER BY reviewed DESC, teammate, q.reviewed_teammate_id LIMIT 20;
