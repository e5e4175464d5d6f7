-- What is the lifecycle today of the contacts created in each of the last twelve months?
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT m.month_date, coalesce(sum(f.contacts), 0)::BIGINT AS contacts, coalesce(sum(f.leads_created), 0)::BIGINT AS leads, coalesce(sum(f.became_users), 0)::BIGINT AS became_users,
       coalesce(sum(f.active), 0)::BIGINT AS active, coalesce(sum(f.archived), 0)::BIGINT AS archived, coalesce(sum(f.blocked), 0)::BIGINT AS blocked,
       coalesce(sum(f.merged), 0)::BIGINT AS merged, coalesce(sum(f.deleted), 0)::BIGINT AS deleted
FROM months m LEFT JOIN models.lifecycle_funnel f ON date_trunc('month', f.cohort_date) = m.month_date
GROUP BY m.month_date ORDER BY m.month_date DESC;
