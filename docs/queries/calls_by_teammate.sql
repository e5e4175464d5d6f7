-- Who takes the calls, how long do callers wait, and how many calls were unanswered?
SELECT CASE WHEN c.admin_id IS NULL THEN 'nobody' ELSE coalesce(a.name, 'admin ' || c.admin_id) END AS admin, count(*) AS calls,
       round(median(epoch(c.answered_at) - epoch(c.initiated_at)), 1) AS median_seconds_to_answer, round(sum(epoch(c.ended_at) - epoch(c.answered_at)) / 3600, 1) AS hours_talked
FROM calls c LEFT JOIN models.teammates a ON a.admin_id = c.admin_id GROUP BY c.admin_id, a.name ORDER BY calls DESC, admin, c.admin_id LIMIT 20;
