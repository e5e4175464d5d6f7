-- What is our rating in each month, and what share of ratings is 4 or 5?
-- draw: percent_satisfied
SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), rating_created_at))::DATE AS month_date, count(*) AS ratings,
       round(avg(rating), 2) AS mean_rating, round(100.0 * count(*) FILTER (rating >= 4) / count(*), 1) AS percent_satisfied, count(rating_remark) AS with_remark
FROM conversations WHERE rating IS NOT NULL GROUP BY month_date ORDER BY month_date DESC NULLS LAST LIMIT 12;
