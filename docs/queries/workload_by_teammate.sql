-- How was the work of the last fourteen active days distributed over teammates?
-- draw: replies
WITH days AS (
  SELECT DISTINCT workload_date FROM models.admin_workload ORDER BY workload_date DESC LIMIT 14
), answers AS (
  SELECT answered_by_id AS admin_id, median(reply_time_calendar) AS median_seconds
  FROM models.reply_pairs WHERE answered_by = 'human'
    AND timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), answered_at)::DATE IN (SELECT workload_date FROM days) GROUP BY answered_by_id
)
SELECT coalesce(a.name, 'admin ' || w.admin_id) AS admin, count(*) AS days, sum(w.replies)::BIGINT AS replies, sum(w.notes)::BIGINT AS notes,
       sum(w.closes)::BIGINT AS closes, sum(w.assigned)::BIGINT AS assigned, round(any_value(r.median_seconds) / 60, 1) AS median_minutes_to_reply
FROM models.admin_workload w JOIN days USING (workload_date) LEFT JOIN models.teammates a ON a.admin_id = w.admin_id LEFT JOIN answers r ON r.admin_id = w.admin_id
GROUP BY w.admin_id, a.name ORDER BY replies DESC, admin, w.admin_id LIMIT 20;
