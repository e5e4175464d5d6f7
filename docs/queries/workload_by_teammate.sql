-- How was the work of the last fourteen active days distributed over teammates?
WITH days AS (
  SELECT DISTINCT workload_date FROM models.admin_workload ORDER BY workload_date DESC LIMIT 14
)
SELECT coalesce(a.name, 'admin ' || w.admin_id || ', who is gone') AS admin, count(*) AS days, sum(w.replies)::BIGINT AS replies, sum(w.notes)::BIGINT AS notes,
       sum(w.closes)::BIGINT AS closes, sum(w.assigned)::BIGINT AS assigned, round(median(w.median_reply_time) / 60, 1) AS median_minutes_to_reply
FROM models.admin_workload w JOIN days USING (workload_date) LEFT JOIN admins a ON a.id = w.admin_id
GROUP BY w.admin_id, a.name ORDER BY replies DESC, admin, w.admin_id LIMIT 20;
