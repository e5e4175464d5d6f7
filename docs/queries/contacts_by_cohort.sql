-- What is the lifecycle today of the contacts created in each month?
SELECT date_trunc('month', cohort_date)::DATE AS month_date, sum(contacts)::BIGINT AS contacts, sum(leads_created)::BIGINT AS leads, sum(became_users)::BIGINT AS became_users,
       sum(active)::BIGINT AS active, sum(archived)::BIGINT AS archived, sum(blocked)::BIGINT AS blocked, sum(merged)::BIGINT AS merged, sum(deleted)::BIGINT AS deleted
FROM models.lifecycle_funnel GROUP BY month_date ORDER BY month_date DESC NULLS LAST LIMIT 12;
