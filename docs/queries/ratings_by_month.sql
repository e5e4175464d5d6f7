-- What is our rating in each of the last twelve months, and what share of ratings is 4 or 5?
-- A row without a month has the ratings whose time is not known.
-- draw: percent_satisfied
WITH months AS (
  SELECT unnest(generate_series(newest - INTERVAL 11 MONTH, newest, INTERVAL 1 MONTH))::DATE AS month_date
  FROM (SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), max(synced_to))) AS newest FROM _sync.freshness)
), ratings AS (
  SELECT date_trunc('month', timezone((SELECT value FROM _sync.meta WHERE key = 'timezone'), rating_created_at))::DATE AS rated_month, rating, rating_remark FROM conversations WHERE rating IS NOT NULL
)
SELECT m.month_date, count(r.rating) AS ratings, round(avg(r.rating), 2) AS mean_rating,
       round(100.0 * count(*) FILTER (r.rating >= 4) / nullif(count(r.rating), 0), 1) AS percent_satisfied, count(r.rating_remark) AS with_remark
FROM (FROM months UNION ALL SELECT NULL) m LEFT JOIN ratings r ON r.rated_month IS NOT DISTINCT FROM m.month_date
GROUP BY m.month_date HAVING m.month_date IS NOT NULL OR count(r.rating) > 0 ORDER BY m.month_date DESC NULLS LAST;
