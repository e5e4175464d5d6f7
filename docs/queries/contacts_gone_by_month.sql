-- How many contacts became inactive in each month, and how?
SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), inactive_since))::DATE AS month_date,
       count(*) AS contacts, count(*) FILTER (lifecycle = 'merged') AS merged, count(*) FILTER (lifecycle = 'archived') AS archived,
       count(*) FILTER (lifecycle = 'blocked') AS blocked, count(*) FILTER (lifecycle = 'permanently_deleted') AS permanently_deleted,
       count(*) FILTER (lifecycle = 'pending_deletion') AS to_be_deleted, count(*) FILTER (lifecycle NOT IN ('merged', 'archived', 'blocked', 'permanently_deleted', 'pending_deletion')) AS deleted
FROM contacts_inactive GROUP BY month_date ORDER BY month_date DESC NULLS LAST LIMIT 12;
