-- What do teammates change in the workspace, and when did that last happen?
SELECT activity_type, count(*) AS actions, count(DISTINCT performed_by_id) AS admins,
       timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(created_at))::DATE AS last_date
FROM admin_activity_logs GROUP BY activity_type ORDER BY actions DESC, activity_type;
