-- How many conversations began on each of the last thirty days, and who began them?
WITH days AS (
  SELECT unnest(generate_series(newest - INTERVAL 29 DAY, newest, INTERVAL 1 DAY))::DATE AS created_date
  FROM (SELECT timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))::DATE AS newest FROM _sync.freshness)
)
SELECT d.created_date, count(c.id) AS conversations,
       count(*) FILTER (c.source_delivered_as = 'customer_initiated') AS by_contacts, count(*) FILTER (c.source_delivered_as = 'operator_initiated') AS by_bots,
       count(*) FILTER (c.source_delivered_as = 'admin_initiated') AS by_teammates, count(*) FILTER (c.source_delivered_as = 'campaigns_initiated') AS by_campaigns,
       count(*) FILTER (c.source_delivered_as = 'automated') AS automated,
       count(c.id) FILTER (coalesce(c.source_delivered_as, '') NOT IN ('customer_initiated', 'operator_initiated', 'admin_initiated', 'campaigns_initiated', 'automated')) AS other
FROM days d LEFT JOIN conversations c ON timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), c.created_at)::DATE = d.created_date
GROUP BY d.created_date ORDER BY d.created_date DESC;
