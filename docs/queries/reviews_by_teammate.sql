-- Which teammates were reviewed, and what share of the reviews passed?
SELECT CASE WHEN q.reviewed_teammate_id IS NULL THEN coalesce(q.reviewed_teammate_type, 'not told') ELSE coalesce(a.name, 'admin ' || q.reviewed_teammate_id || ', who is gone') END AS teammate,
       count(*) AS chosen, count(*) FILTER (q.reviewed) AS reviewed, count(*) FILTER (q.passed) AS passed,
       round(100.0 * count(*) FILTER (q.passed) / nullif(count(*) FILTER (q.reviewed), 0), 1) AS percent_passed
FROM models.qa q LEFT JOIN admins a ON a.id = q.reviewed_teammate_id GROUP BY teammate ORDER BY reviewed DESC, teammate LIMIT 20;
