-- How many contacts were deleted in each month, how, and how sure is it?
-- draw: contacts
SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), deleted_at))::DATE AS month_date,
       count(*) AS contacts, count(*) FILTER (how = 'permanently_deleted') AS permanently_deleted, count(*) FILTER (how = 'pending_deletion') AS to_be_deleted,
       count(*) FILTER (how = 'deleted') AS deleted, count(*) FILTER (certainty = 'inferred') AS inferred
FROM contacts_deleted GROUP BY month_date ORDER BY month_date DESC NULLS LAST LIMIT 12;
