-- How many conversations began on each of the last thirty days, and who began them?
SELECT timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), created_at)::DATE AS created_date, count(*) AS conversations,
       count(*) FILTER (source_delivered_as = 'customer_initiated') AS by_contacts, count(*) FILTER (source_delivered_as = 'operator_initiated') AS by_bots,
       count(*) FILTER (source_delivered_as = 'admin_initiated') AS by_teammates, count(*) FILTER (source_delivered_as = 'campaigns_initiated') AS by_campaigns,
       count(*) FILTER (source_delivered_as = 'automated') AS automated,
       count(*) FILTER (coalesce(source_delivered_as, '') NOT IN ('customer_initiated', 'operator_initiated', 'admin_initiated', 'campaigns_initiated', 'automated')) AS other
FROM conversations GROUP BY created_date ORDER BY created_date DESC LIMIT 30;
