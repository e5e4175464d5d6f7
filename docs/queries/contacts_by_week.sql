-- How many contacts were created in each of the last twelve weeks, as users and as leads, including contacts that are inactive now?
-- Contact ids count, by their records or creation events: a lead that was merged later counts in the week of its creation.
-- draw: contacts
WITH weeks AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 WEEK, newest, INTERVAL 1 WEEK))::DATE AS week_date
  FROM (SELECT date_trunc('week', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
)
SELECT w.week_date, coalesce(sum(f.users_created), 0)::BIGINT AS users, coalesce(sum(f.leads_created), 0)::BIGINT AS leads, coalesce(sum(f.contacts), 0)::BIGINT AS contacts,
       coalesce(sum(f.contacts - f.active), 0)::BIGINT AS inactive_now
FROM weeks w LEFT JOIN models.lifecycle_funnel f ON date_trunc('week', f.cohort_date) = w.week_date
GROUP BY w.week_date ORDER BY w.week_date DESC;
