-- How many contacts were deleted in each of the last twelve months, how, and how sure is it?
-- A row without a month has those whose time of deletion is not known.
-- draw: contacts
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT m.month_date, count(c.id) AS contacts, count(*) FILTER (c.how = 'permanently_deleted') AS permanently_deleted, count(*) FILTER (c.how = 'pending_deletion') AS to_be_deleted,
       count(*) FILTER (c.how = 'deleted') AS deleted, count(*) FILTER (c.certainty = 'inferred') AS inferred
FROM (FROM months UNION ALL SELECT NULL) m LEFT JOIN contacts_deleted c ON date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), c.deleted_at))::DATE IS NOT DISTINCT FROM m.month_date
GROUP BY m.month_date HAVING m.month_date IS NOT NULL OR count(c.id) > 0 ORDER BY m.month_date DESC NULLS LAST;
